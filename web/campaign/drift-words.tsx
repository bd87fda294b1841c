/** The settings in which a meter differs from its profile. */
import type { Drift } from '../../client/index.ts';
import { dayAndTime } from '../state/numbers.ts';
import { say } from '../words/say.ts';

const words = (name: string): string => name.replaceAll('_', ' ');

/** The differences in a list, or a text that there are no differences. `zone`: of the time at which they were read. */
export function DriftWords({ drift, zone }: { readonly drift: Drift; readonly zone?: string }) {
  const { state, differences, not_read, read_at } = drift;
  if (state === 'differs') {
    return (
      <div class="trouble act">
        <strong>{say('The meter differs from it:')}</strong>
        <ul>
          {differences.map(({ setting, wanted, found }) => (
            <li key={setting}>
              {say('{setting} is {found}, should be {wanted}', { setting: words(setting), found, wanted })}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (state === 'unknown')
    return <p class="soft">{say('Not read yet: {settings}.', { settings: not_read.map(words).join(', ') })}</p>;
  const time = read_at && dayAndTime(read_at, zone);
  return (
    <p class="soft">
      {time ? say('The meter has these settings, read {time}.', { time }) : say('The meter has these settings.')}
    </p>
  );
}

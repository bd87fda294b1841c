/** The settings in which a meter differs from its profile. */
import type { Drift } from '../../client/index.ts';
import { dayAndTime } from '../app/numbers.ts';

const words = (name: string): string => name.replaceAll('_', ' ');

/** The differences in a list, or that there are none. `zone`: of the time at which they were read. */
export function DriftWords({ drift, zone }: { readonly drift: Drift; readonly zone?: string }) {
  const { state, differences, not_read, read_at } = drift;
  if (state === 'differs') {
    return (
      <div class="trouble act">
        <strong>The meter differs from it:</strong>
        <ul>
          {differences.map(({ setting, wanted, found }) => (
            <li key={setting}>
              {words(setting)} is {found}, should be {wanted}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (state === 'unknown') return <p class="soft">Not read yet: {not_read.map(words).join(', ')}.</p>;
  return <p class="soft">The meter has these settings{read_at && `, read ${dayAndTime(read_at, zone)}`}.</p>;
}

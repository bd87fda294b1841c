/** API keys: made, listed and revoked. The text of a key is shown once. */
import { signal } from '@preact/signals';
import type { schemas } from '../../client/index.ts';
import { about, client, enter, isOpen } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, dayWithYear } from '../state/numbers.ts';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { chosenUnits, FreshSecret, isComplete, leastRights, rightsParts, rightsText } from '../ui/rights.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

const ends = () =>
  [
    ['', say('never')],
    ['1', say('in a day')],
    ['30', say('in 30 days')],
    ['365', say('in a year')],
  ] as const;
const DAY_MS = 86_400_000;
/** The key that was just made. The page is drawn again when the first key signs in. */
const fresh = signal('');

export function Keys() {
  const { found: keys = [], again } = useFound(() => client.value.keys(), []);
  const caller = about.value?.caller;
  const good = keys.filter(({ standing }) => standing === 'good');
  const ended = keys.filter(({ standing }) => standing !== 'good');
  return (
    <Card
      id="keys"
      title={say('Keys')}
      about={say('Others use this gateway with API keys. From the first key on, everybody needs a key.')}
    >
      <ul>
        {good.map((key) => (
          <KeyLine key={key.id} one={key} again={again} />
        ))}
      </ul>
      {ended.length > 0 && (
        <details>
          <summary>{say('{count} key has ended|{count} keys have ended', { count: ended.length })}</summary>
          <ul>
            {ended.map((key) => (
              <KeyLine key={key.id} one={key} again={again} />
            ))}
          </ul>
        </details>
      )}
      <NewKey isFirst={caller !== undefined && isOpen(caller)} again={again} />
    </Card>
  );
}

function KeyLine({ one, again }: { readonly one: schemas.ApiKey; again(): void }) {
  const { id, name, standing, expires_at, revoked_at, last_used_at } = one;
  const end = revoked_at
    ? say('revoked {time}', { time: dayAndTime(revoked_at) })
    : expires_at && say('until {time}', { time: dayWithYear(expires_at) });
  const revoke = () => client.value.revokeKey(id);
  return (
    <li>
      <Entry name={name} mayChange={standing === 'good'} remove={revoke} onChange={again} verb="revoke">
        <Name>{name}</Name> {rightsText(one)}{' '}
        <span class="soft small">
          {id}
          {end && `, ${end}`},{' '}
          {last_used_at ? say('last used {time}', { time: dayAndTime(last_used_at) }) : say('never used')}
        </span>
      </Entry>
    </li>
  );
}

function NewKey({ isFirst, again }: { readonly isFirst: boolean; again(): void }) {
  const [values, set] = useValues({ name: '', days: '', ...leastRights() });
  const { name, days, role } = values;
  const save = async () => {
    const end = days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    const body = isFirst ? { name, role: 'admin' as const } : { name, role, ...chosenUnits(values), ...end };
    const answer = await client.value.addKey(body);
    fresh.value = answer.key;
    // Nobody gets in without it any more, this page neither.
    if (isFirst) await enter(answer.key);
    set({ name: '' });
    return answer;
  };
  const namePart = { name: 'name', label: say('Name'), required: true, hint: say('site office') } as const;
  const endPart = { name: 'days', label: say('Ends ## when a key ends'), choices: ends() } as const;
  return (
    <SchemaForm
      title={say('New key')}
      button={say('Make the key')}
      use={{ saved: again, isPlain: true }}
      parts={isFirst ? [namePart] : [namePart, endPart, ...rightsParts(values, set)]}
      values={values}
      set={set}
      save={save}
      isReady={isComplete(values)}
    >
      {isFirst && (
        <p class="soft">
          {say(
            'The first key is for you, with the role admin. From then on nobody gets in without a key, also on this page: save it at once.',
          )}
        </p>
      )}
      {fresh.value !== '' && (
        <FreshSecret
          what={say('This is the key. It is shown only now:')}
          text={fresh.value}
          forget={() => {
            fresh.value = '';
          }}
        />
      )}
    </SchemaForm>
  );
}

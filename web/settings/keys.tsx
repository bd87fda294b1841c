/** API keys: made, listed and revoked. The text of a key is shown once. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { about, client, enter, isOpen } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, dayWithYear } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { RevocableEntry } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { chosenUnits, FreshSecret, isComplete, leastRights, RightsFields, rightsText } from '../ui/rights.tsx';
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

/** For admins. */
export function Keys() {
  const { found: keys = [], again } = useFound(() => client.value.keys(), []);
  const caller = about.value?.caller;
  const good = keys.filter(({ standing }) => standing === 'good');
  const ended = keys.filter(({ standing }) => standing !== 'good');
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys">{say('Keys')}</h2>
      <p class="soft">{say('Others use this gateway with API keys. From the first key on, everybody needs a key.')}</p>
      {good.length > 0 && (
        <ul>
          {good.map((key) => (
            <KeyLine key={key.id} one={key} again={again} />
          ))}
        </ul>
      )}
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
    </section>
  );
}

interface LineProps {
  readonly one: schemas.ApiKey;
  again(): void;
}

function KeyLine({ one, again }: LineProps) {
  const { id, name, standing, expires_at, revoked_at, last_used_at } = one;
  const end = revoked_at
    ? say('revoked {time}', { time: dayAndTime(revoked_at) })
    : expires_at && say('until {time}', { time: dayWithYear(expires_at) });
  const revoke = async () => (await client.value.revokeKey(id)).message;
  return (
    <RevocableEntry name={name} canEnd={standing === 'good'} revoke={revoke} again={again}>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      {rightsText(one)}{' '}
      <span class="soft small">
        {id}
        {end && `, ${end}`},{' '}
        {last_used_at ? say('last used {time}', { time: dayAndTime(last_used_at) }) : say('never used')}
      </span>
    </RevocableEntry>
  );
}

function NewKey({ isFirst, again }: { readonly isFirst: boolean; again(): void }) {
  const [name, setName] = useState('');
  const [rights, setRights] = useState(leastRights());
  const [days, setDays] = useState<string>('');
  const { outcome, run, waits } = useAction();
  const make = async (event: Event) => {
    event.preventDefault();
    const ends = days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    const body = isFirst
      ? { name: name.trim(), role: 'admin' as const }
      : { name: name.trim(), role: rights.role, ...chosenUnits(rights), ...ends };
    const made = await run(async () => {
      const answer = await client.value.addKey(body);
      fresh.value = answer.key;
      // Nobody gets in without it any more, this page neither.
      if (isFirst) await enter(answer.key);
      return answer.message;
    });
    if (!made) return;
    setName('');
    again();
  };
  return (
    <form class="stack" onSubmit={(event) => void make(event)} aria-label={say('New key')}>
      <div class="fields">
        <Field label={say('Name')} value={name} change={setName} required hint={say('site office')} />
        {!isFirst && (
          <Choice
            label={say('Ends ## when a key ends')}
            value={days}
            choices={ends()}
            change={(next) => setDays(next)}
          />
        )}
      </div>
      {!isFirst && <RightsFields value={rights} change={setRights} />}
      {isFirst && (
        <p class="soft">
          {say(
            'The first key is for you, with the role admin. From then on nobody gets in without a key, also on this page: save it at once.',
          )}
        </p>
      )}
      <div class="row">
        <button type="submit" class="main" disabled={waits || !isComplete(rights)}>
          {say('Make the key')}
        </button>
        <Said outcome={outcome} waiting="" />
      </div>
      {fresh.value !== '' && (
        <FreshSecret
          what={say('This is the key. It is shown only now:')}
          text={fresh.value}
          forget={() => {
            fresh.value = '';
          }}
        />
      )}
    </form>
  );
}

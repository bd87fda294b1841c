/** Shares: links that show a few values of a few meters to residents and clients. The link is shown once. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { about, client } from '../app/access.ts';
import { ROOT } from '../app/address.ts';
import { meters, titleOf } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { RevocableEntry } from '../ui/revoke.tsx';

type Part = schemas.CreateShareBody['show'][number];

const PARTS = [
  ['live', 'The level now'],
  ['levels', 'The last 24 hours'],
  ['indices', 'The last 7 days'],
  ['limits', 'Limits'],
] as const satisfies readonly (readonly [Part, string])[];
const DELAYS = [
  ['0', 'at once'],
  ['900', 'after 15 minutes'],
  ['3600', 'after an hour'],
  ['86400', 'after a day'],
] as const;
const ENDS = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
] as const;
const DAY_MS = 86_400_000;
const MOST_TEXT = 2_000;

/** For admins. */
export function Shares() {
  const { found: shares = [], again } = useFound(() => client.value.shares(), []);
  return (
    <section class="card" aria-labelledby="shares">
      <h2 id="shares">Shares</h2>
      <p class="soft">A share is a link that shows a few values to everybody who has it, without a key.</p>
      {shares.length > 0 && (
        <ul>
          {shares.map((share) => (
            <RevocableEntry
              key={share.id}
              name={share.name}
              canEnd
              revoke={async () => (await client.value.revokeShare(share.id)).message}
              again={again}
            >
              <ShareWords share={share} />
            </RevocableEntry>
          ))}
        </ul>
      )}
      <NewShare again={again} />
    </section>
  );
}

function ShareWords({ share }: { readonly share: schemas.Share }) {
  const { name, units, show, state, expires_at, views, last_viewed_at } = share;
  const parts = PARTS.filter(([part]) => show.includes(part)).map(([, words]) => words);
  return (
    <>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      <bdi>{units.map(titleOf).join(', ')}</bdi>: {parts.join(', ')}{' '}
      <span class="soft small">
        {state === 'active' ? 'until' : 'ended'} {dayAndTime(expires_at)},{' '}
        {last_viewed_at ? `opened ${views} times, last ${dayAndTime(last_viewed_at)}` : 'never opened'}
      </span>
    </>
  );
}

function NewShare({ again }: { again(): void }) {
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [units, setUnits] = useState<readonly string[]>([]);
  const [show, setShow] = useState<readonly Part[]>(['live', 'limits']);
  const [delay, setDelay] = useState<string>('0');
  const [days, setDays] = useState<string>('30');
  const [link, setLink] = useState('');
  const { outcome, run, waits } = useAction();
  const own = about.value?.caller.units;
  const choices = [...(meters.value?.keys() ?? [])]
    .filter((unitId) => !own || own.includes(unitId))
    .map((unitId) => [unitId, titleOf(unitId)] as const);
  const make = async (event: Event) => {
    event.preventDefault();
    const made = await run(async () => {
      const answer = await client.value.addShare({
        ...{ name: name.trim(), title: title.trim(), text: text.trim(), units, show, delay_s: Number(delay) },
        expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      });
      // The link begins at the root of the gateway, which a proxy may have put below a prefix.
      setLink(new URL(`.${answer.data.link}`, ROOT).href);
      return answer.message;
    });
    if (!made) return;
    setName('');
    again();
  };
  return (
    <form class="stack" onSubmit={(event) => void make(event)} aria-label="New share">
      <div class="fields">
        <Field label="Name, for you alone" value={name} change={setName} required hint="town hall" />
        <Field label="Heading of the page" value={title} change={setTitle} hint="Noise of the bridge works" />
        <Choice label="Values are shown" value={delay} choices={DELAYS} change={(next) => setDelay(next)} />
        <Choice label="The link ends" value={days} choices={ENDS} change={(next) => setDays(next)} />
      </div>
      <Checks label="Meters" chosen={units} choices={choices} change={setUnits} />
      <Checks label="It shows" chosen={show} choices={PARTS} change={setShow} />
      <label class="field">
        What is measured and by whom, and whom to ask
        <textarea
          rows={3}
          maxLength={MOST_TEXT}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="main" disabled={waits || units.length === 0 || show.length === 0}>
          Make the link
        </button>
        <Said outcome={outcome} waiting="" />
      </div>
      {link !== '' && (
        <p role="status">
          This is the link. It is shown only now:{' '}
          <a class="key-text" href={link} target="_blank" rel="noreferrer">
            {link}
          </a>{' '}
          <button type="button" onClick={() => void navigator.clipboard?.writeText(link)}>
            Copy
          </button>{' '}
          <button type="button" onClick={() => setLink('')}>
            I have it
          </button>
        </p>
      )}
    </form>
  );
}

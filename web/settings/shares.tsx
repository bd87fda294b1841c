/** Shares: links that show a few values of a few meters to residents and clients. The link is shown once. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { ROOT } from '../state/address.ts';
import { titleOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { RevocableEntry } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { FreshSecret, isComplete, MetersField, metersText, type Rights } from '../ui/rights.tsx';
import { say } from '../words/say.ts';

type Part = schemas.CreateShareBody['show'][number];

const parts = () =>
  [
    ['live', say('The level now')],
    ['levels', say('The last 24 hours')],
    ['indices', say('The last 7 days')],
    ['limits', say('Limits')],
  ] as const satisfies readonly (readonly [Part, string])[];
const delays = () =>
  [
    ['0', say('at once')],
    ['900', say('after 15 minutes')],
    ['3600', say('after an hour')],
    ['86400', say('after a day')],
  ] as const;
const ends = () =>
  [
    ['30', say('in 30 days')],
    ['90', say('in 90 days')],
    ['365', say('in a year')],
  ] as const;
const DAY_MS = 86_400_000;
const MOST_TEXT = 2_000;

/** For admins. */
export function Shares() {
  const { found: shares = [], again } = useFound(() => client.value.shares(), []);
  return (
    <section class="card" aria-labelledby="shares">
      <h2 id="shares">{say('Shares')}</h2>
      <p class="soft">{say('A share is a link that shows a few values to everybody who has it, without a key.')}</p>
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
  const { name, units, tag, show, state, expires_at, views, last_viewed_at } = share;
  const shown = parts().filter(([part]) => show.includes(part));
  const end = { time: dayAndTime(expires_at) };
  return (
    <>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      <bdi>{tag ? metersText(null, [tag]) : units.map(titleOf).join(', ')}</bdi>:{' '}
      {shown.map(([, words]) => words).join(', ')}{' '}
      <span class="soft small">
        {state === 'active' ? say('until {time}', end) : say('ended {time}', end)},{' '}
        {last_viewed_at
          ? say('opened {count} time, last {time}|opened {count} times, last {time}', {
              count: views,
              time: dayAndTime(last_viewed_at),
            })
          : say('never opened')}
      </span>
    </>
  );
}

function NewShare({ again }: { again(): void }) {
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Pick<Rights, 'units' | 'tags'>>({ units: [], tags: null });
  const [show, setShow] = useState<readonly Part[]>(['live', 'limits']);
  const [delay, setDelay] = useState<string>('0');
  const [days, setDays] = useState<string>('30');
  const [link, setLink] = useState('');
  const { outcome, run, waits } = useAction();
  const make = async (event: Event) => {
    event.preventDefault();
    const made = await run(async () => {
      const answer = await client.value.addShare({
        name: name.trim(),
        title: title.trim(),
        text: text.trim(),
        ...(chosen.tags ? { tag: chosen.tags[0] ?? null } : { units: chosen.units ?? [] }),
        show,
        delay_s: Number(delay),
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
    <form class="stack" onSubmit={(event) => void make(event)} aria-label={say('New share')}>
      <div class="fields">
        <Field label={say('Name, for you alone')} value={name} change={setName} required hint={say('town hall')} />
        <Field
          label={say('Heading of the page')}
          value={title}
          change={setTitle}
          hint={say('Noise of the bridge works')}
        />
        <Choice label={say('Values are shown')} value={delay} choices={delays()} change={(next) => setDelay(next)} />
        <Choice label={say('The link ends')} value={days} choices={ends()} change={(next) => setDays(next)} />
        <MetersField value={chosen} change={setChosen} canBeAll={false} />
      </div>
      <Checks label={say('It shows')} chosen={show} choices={parts()} change={setShow} />
      <label class="field">
        {say('The measurement, its operator and a contact')}
        <textarea
          rows={3}
          maxLength={MOST_TEXT}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="main" disabled={waits || !isComplete(chosen) || show.length === 0}>
          {say('Make the link')}
        </button>
        <Said outcome={outcome} waiting="" />
      </div>
      {link !== '' && (
        <FreshSecret
          what={say('This is the link. It is shown only now:')}
          text={link}
          isLink
          forget={() => setLink('')}
        />
      )}
    </form>
  );
}

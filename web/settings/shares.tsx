/** Shares: links that show a few values of a few meters to residents and clients. The link is shown once. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { ROOT } from '../state/address.ts';
import { titleOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { NUMBERS } from '../ui/form-parts.ts';
import { type Chosen, FreshSecret, isComplete, metersPart, metersText, unitsOrTag } from '../ui/rights.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
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

export function Shares() {
  const { found: shares = [], again } = useFound(() => client.value.shares(), []);
  return (
    <Card
      id="shares"
      title={say('Shares')}
      about={say('A share is a link that shows a few values to everybody who has it, without a key.')}
    >
      <ul>
        {shares.map((share) => (
          <li key={share.id}>
            <Entry
              name={share.name}
              mayChange
              remove={() => client.value.revokeShare(share.id)}
              onChange={again}
              verb="revoke"
            >
              <ShareWords share={share} />
            </Entry>
          </li>
        ))}
      </ul>
      <NewShare again={again} />
    </Card>
  );
}

function ShareWords({ share }: { readonly share: schemas.Share }) {
  const { name, units, tag, show, state, expires_at, views, last_viewed_at } = share;
  const shown = parts().filter(([part]) => show.includes(part));
  const end = { time: dayAndTime(expires_at) };
  return (
    <>
      <Name>{name}</Name> <bdi>{tag ? metersText(null, [tag]) : units.map(titleOf).join(', ')}</bdi>:{' '}
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
  const [link, setLink] = useState('');
  const chosen: Chosen = { units: [], tags: null };
  const show: readonly Part[] = ['live', 'limits'];
  const [values, set] = useValues({ name: '', title: '', text: '', show, delay_s: 0, days: 30, ...chosen });
  const save = async () => {
    const { days, units, tags, ...body } = values;
    const expires_at = new Date(Date.now() + days * DAY_MS).toISOString();
    const answer = await client.value.addShare({ ...body, ...unitsOrTag({ units, tags }), expires_at });
    // The link begins at the root of the gateway, which a proxy may have put below a prefix.
    setLink(new URL(`.${answer.data.link}`, ROOT).href);
    set({ name: '' });
    return answer;
  };
  return (
    <SchemaForm
      title={say('New share')}
      button={say('Make the link')}
      use={{ saved: again, isPlain: true }}
      parts={[
        { name: 'name', label: say('Name, for you alone'), required: true, hint: say('town hall') },
        { name: 'title', label: say('Heading of the page'), hint: say('Noise of the bridge works') },
        { name: 'delay_s', label: say('Values are shown'), choices: delays(), written: NUMBERS },
        { name: 'days', label: say('The link ends'), choices: ends(), written: NUMBERS },
        metersPart(values, set),
        { name: 'show', type: 'checks', label: say('It shows'), choices: parts() },
        { name: 'text', type: 'lines', label: say('The measurement, its operator and a contact') },
      ]}
      values={values}
      set={set}
      save={save}
      isReady={isComplete(values) && values.show.length > 0}
    >
      {link !== '' && (
        <FreshSecret
          what={say('This is the link. It is shown only now:')}
          text={link}
          isLink
          forget={() => setLink('')}
        />
      )}
    </SchemaForm>
  );
}

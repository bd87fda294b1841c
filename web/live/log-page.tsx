/** What happened at a meter: commands, connections, states, changes; the newest first. */
import { useEffect, useState } from 'preact/hooks';
import type { LogEntry, Unit } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { clockTime, dayOf, whole } from '../app/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Choice, Field } from '../ui/field.tsx';

const KINDS = [
  ['', 'everything'],
  ['command', 'commands'],
  ['connection', 'connections'],
  ['reachability', 'reachability'],
  ['state', 'states'],
  ['change', 'changes by users'],
  ['file', 'files'],
  ['job', 'long work'],
  ['recording', 'recording'],
] as const;
const OUTCOMES = [
  ['', 'all'],
  ['failed', 'only what failed'],
] as const;
const PAGE = 100;

/** The page of the log of a meter, by kind. */
export function LogPage({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const [kind, setKind] = useState('');
  const [outcome, setOutcome] = useState('');
  const [text, setText] = useState('');
  const [entries, setEntries] = useState<readonly LogEntry[] | undefined>(undefined);
  const [next, setNext] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const query = {
    ...(kind && { kind }),
    ...(outcome && { outcome }),
    ...(text.trim() && { q: text.trim() }),
  };
  const ask = async (cursor?: string) => {
    const page = await client.value.log(unit_id, { ...query, limit: PAGE, ...(cursor && { cursor }) });
    setNext(page.next);
    setFailure('');
    return page.data;
  };
  useEffect(() => {
    let left = false;
    ask().then(
      (found) => left || setEntries(found),
      (error: unknown) => left || setFailure(messageOf(error)),
    );
    return () => {
      left = true;
    };
  }, [unit_id, kind, outcome, text]);
  const more = () => ask(next ?? undefined).then((found) => setEntries([...(entries ?? []), ...found]));
  return (
    <section class="card" aria-label="Log">
      <div class="fields">
        <Choice label="Show" value={kind} choices={KINDS} change={setKind} />
        <Choice label="Outcome" value={outcome} choices={OUTCOMES} change={setOutcome} />
        <Field label="With the text" hint="Measure" value={text} change={setText} />
        <DownloadLink
          path={`/${encodeURIComponent(unit_id)}/log`}
          query={{ ...query, format: 'csv' }}
          name={`${unit_id}_log.csv`}
        >
          Save as CSV
        </DownloadLink>
      </div>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {entries?.length === 0 && <p class="soft">Nothing of this kind has happened.</p>}
      {entries && entries.length > 0 && <LogTable entries={entries} zone={timezone} />}
      {next !== null && (
        <button type="button" onClick={() => void more()}>
          Older ones
        </button>
      )}
    </section>
  );
}

function LogTable({ entries, zone }: { readonly entries: readonly LogEntry[]; readonly zone: string }) {
  return (
    <table class="folds">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, time, kind, text, outcome, duration_ms, by }) => (
          <tr key={id}>
            <td>
              {dayOf(time, zone)} {clockTime(time, zone)}
            </td>
            <td>
              <span class="soft small">{kind}</span> <bdi>{text}</bdi>
              {by && <span class="soft small"> by {by}</span>}
            </td>
            <td class={outcome === null || outcome === 'ok' ? 'soft' : 'said bad'}>{outcome}</td>
            <td class="number soft">{duration_ms === null ? '' : `${whole(duration_ms)} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

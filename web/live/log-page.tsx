/** The log of a meter: commands, connections, states, changes; the newest first. */
import { useState } from 'preact/hooks';
import type { LogEntry, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { clockTime, csvFormat, dayOf, whole } from '../state/numbers.ts';
import { Failed } from '../ui/action.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { Table } from '../ui/table.tsx';
import { say } from '../words/say.ts';

const kinds = () =>
  [
    ['', say('everything')],
    ['command', say('commands')],
    ['connection', say('connections')],
    ['reachability', say('reachability')],
    ['state', say('states')],
    ['change', say('changes by users')],
    ['file', say('files')],
    ['job', say('tasks')],
    ['recording', say('recording')],
  ] as const;
const outcomes = () =>
  [
    ['', say('all ## outcomes')],
    ['failed', say('only what failed')],
  ] as const;
const PAGE = 100;

export function LogPage({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const [kind, setKind] = useState('');
  const [outcome, setOutcome] = useState('');
  const [text, setText] = useState('');
  const query = { ...(kind && { kind }), ...(outcome && { outcome }), ...(text.trim() && { q: text.trim() }) };
  const ask = (cursor?: string) => client.value.log(unit_id, { ...query, limit: PAGE, ...(cursor && { cursor }) });
  const { found, failure, put } = useFound(() => ask(), [unit_id, kind, outcome, text]);
  const { data: entries, next = null } = found ?? {};
  const more = async () => {
    const older = await ask(next ?? undefined);
    put({ ...older, data: [...(entries ?? []), ...older.data] });
  };
  return (
    <section class="card" aria-label={say('Log')}>
      <div class="fields">
        <Choice label={say('Show')} value={kind} choices={kinds()} change={setKind} />
        <Choice label={say('Outcome')} value={outcome} choices={outcomes()} change={setOutcome} />
        <Field label={say('With the text')} hint="Measure" value={text} change={setText} />
        <DownloadLink
          path={`/${encodeURIComponent(unit_id)}/log`}
          query={{ ...query, format: csvFormat }}
          name={`${unit_id}_log.csv`}
        >
          {say('Save as CSV')}
        </DownloadLink>
      </div>
      <Failed failure={failure} />
      {entries?.length === 0 && <p class="soft">{say('Nothing of this kind has happened.')}</p>}
      {entries && entries.length > 0 && <LogTable entries={entries} zone={timezone} />}
      {next !== null && (
        <button type="button" onClick={() => void more()}>
          {say('Older ones')}
        </button>
      )}
    </section>
  );
}

function LogTable({ entries, zone }: { readonly entries: readonly LogEntry[]; readonly zone: string }) {
  return (
    <Table heads={[say('When'), say('What'), say('Outcome'), { number: say('Took') }]} class="folds">
      {entries.map(({ id, time, kind, text, outcome, duration_ms, by }) => (
        <tr key={id}>
          <td>
            {dayOf(time, zone)} {clockTime(time, zone)}
          </td>
          <td>
            <span class="soft small">{kind}</span> <bdi>{text}</bdi>
            {by && <span class="soft small"> {say('by {name}', { name: by })}</span>}
          </td>
          <td class={outcome === null || outcome === 'ok' ? 'soft' : 'said bad'}>{outcome}</td>
          <td class="number soft">{duration_ms === null ? '' : `${whole(duration_ms)} ms`}</td>
        </tr>
      ))}
    </Table>
  );
}

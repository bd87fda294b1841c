/** What was recorded of a meter: any span, as a chart, a table and a CSV of exactly that. */
import { useEffect, useState } from 'preact/hooks';
import type { Cell, History, Unit } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { go, meterPath, search } from '../app/address.ts';
import { now } from '../app/fleet.ts';
import { dayAndTime, decibels, localInput, momentOf, percent, span } from '../app/numbers.ts';
import { nameOf } from '../app/quantity.ts';
import { save } from '../app/save.ts';
import { HistoryChart } from '../charts/history-chart.tsx';
import { messageOf, Said, useAction } from '../parts/action.tsx';

const HOUR_MS = 3_600_000;
const SPANS: readonly (readonly [ms: number, word: string])[] = [
  [HOUR_MS, 'Hour'],
  [24 * HOUR_MS, 'Day'],
  [7 * 24 * HOUR_MS, 'Week'],
  [30 * 24 * HOUR_MS, '30 days'],
];
const QUANTITIES = 'leq,lmax,l10,l50,l90,lp';
/** A span that ends now moves on with the time, in steps of this length. */
const MOVES_MS = 60_000;

interface Chosen {
  readonly from: number;
  readonly to: number;
  /** Length of a span that ends now; undefined for a fixed one. */
  readonly last: number | undefined;
}

function chosenSpan(): Chosen {
  const from = Date.parse(search.value.get('from') ?? '');
  const to = Date.parse(search.value.get('to') ?? '');
  if (from < to) return { from, to, last: undefined };
  const last = Number(search.value.get('last') ?? 24 * HOUR_MS) || 24 * HOUR_MS;
  const end = Math.ceil(now.peek() / MOVES_MS) * MOVES_MS;
  return { from: end - last, to: end, last };
}

const queryOf = ({ from, to }: Chosen) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  quantities: QUANTITIES,
});

export function HistoryPage({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const chosen = chosenSpan();
  const [history, setHistory] = useState<History | undefined>(undefined);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const leaving = new AbortController();
    const ask = () =>
      client.value.history(unit_id, queryOf(chosenSpan()), leaving.signal).then(
        (answer) => {
          setHistory(answer);
          setFailure('');
        },
        (error: unknown) => leaving.signal.aborted || setFailure(messageOf(error)),
      );
    void ask();
    const timer = chosen.last === undefined ? undefined : setInterval(() => void ask(), MOVES_MS);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [unit_id, search.value.toString()]);
  const address = meterPath(unit_id, 'history');
  const show = (from: number, to: number) =>
    go(`${address}?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);
  return (
    <>
      <SpanChoice chosen={chosen} zone={timezone} address={address} show={show} />
      {failure !== '' && <p class="said bad">{failure}</p>}
      {history && (
        <section class="card" aria-label="Levels">
          <div class="row end">
            <p class="soft">
              {dayAndTime(history.from, timezone)} to {dayAndTime(history.to, timezone)} · one row is{' '}
              {span(history.step_s)}
              {history.weighting && ` · weighting ${history.weighting.frequency}, ${history.weighting.time}`} ·{' '}
              {history.zone}
            </p>
            <SaveCsv unitId={unit_id} chosen={chosen} />
          </div>
          {history.weighting ? (
            <HistoryChart history={history} onZoom={(from, to) => show(from * 1_000, to * 1_000)} />
          ) : (
            <p>Nothing was recorded in this time.</p>
          )}
          {history.notes.map((note) => (
            <p key={note} class="soft small">
              {note}
            </p>
          ))}
        </section>
      )}
      {history?.weighting && <Gaps history={history} show={show} />}
      {history?.weighting && <LevelTable history={history} />}
    </>
  );
}

interface ChoiceProps {
  readonly chosen: Chosen;
  readonly zone: string | null;
  readonly address: string;
  readonly show: (from: number, to: number) => void;
}

function SpanChoice({ chosen, zone, address, show }: ChoiceProps) {
  const change = (from: string, to: string) => {
    const [begin, end] = [momentOf(from, zone), momentOf(to, zone)];
    if (begin < end) show(begin, end);
  };
  const [from, to] = [localInput(chosen.from, zone), localInput(chosen.to, zone)];
  const length = chosen.to - chosen.from;
  return (
    <div class="row end">
      <fieldset class="row choice">
        <legend class="hidden-label">Time shown</legend>
        {SPANS.map(([ms, word]) => (
          <button key={ms} type="button" aria-pressed={chosen.last === ms} onClick={() => go(`${address}?last=${ms}`)}>
            {word}
          </button>
        ))}
        <button type="button" aria-label="Earlier" onClick={() => show(chosen.from - length, chosen.from)}>
          ←
        </button>
        <button type="button" aria-label="Later" onClick={() => show(chosen.to, chosen.to + length)}>
          →
        </button>
      </fieldset>
      <div class="row">
        <label class="row small soft">
          From
          <input type="datetime-local" value={from} onChange={({ currentTarget }) => change(currentTarget.value, to)} />
        </label>
        <label class="row small soft">
          to
          <input type="datetime-local" value={to} onChange={({ currentTarget }) => change(from, currentTarget.value)} />
        </label>
      </div>
    </div>
  );
}

function SaveCsv({ unitId, chosen }: { readonly unitId: string; readonly chosen: Chosen }) {
  const { outcome, run, waits } = useAction();
  const fetchCsv = () =>
    run(async () => {
      const query = { ...queryOf(chosen), format: 'csv' };
      save(await client.value.blob(`/${encodeURIComponent(unitId)}/history`, { query }), `${unitId}.csv`);
      return '';
    });
  return (
    <div class="row">
      <Said outcome={outcome} waiting="" />
      <button type="button" disabled={waits} onClick={() => void fetchCsv()}>
        Save as CSV
      </button>
    </div>
  );
}

interface Gap {
  readonly from: number;
  readonly to: number;
}
const MOST_GAPS = 20;

function Gaps({ history, show }: { readonly history: History; readonly show: (from: number, to: number) => void }) {
  const gaps = gapsIn(history);
  if (gaps.length === 0) return null;
  return (
    <section class="card" aria-labelledby="gaps">
      <h2 id="gaps">Times without data</h2>
      <ul>
        {gaps.slice(0, MOST_GAPS).map(({ from, to }) => (
          <li key={from}>
            <button type="button" class="plain" onClick={() => show(from - (to - from), to + (to - from))}>
              {dayAndTime(from, history.zone)} to {dayAndTime(to, history.zone)}
            </button>{' '}
            <span class="soft">{span((to - from) / 1_000)}</span>
          </li>
        ))}
      </ul>
      {gaps.length > MOST_GAPS && <p class="soft small">And {gaps.length - MOST_GAPS} more.</p>}
    </section>
  );
}

/** Rows without data between rows with some: what lies before the first and after the last one is no gap. */
function gapsIn({ columns, rows, step_s }: History): readonly Gap[] {
  const quality = columns.indexOf('quality');
  const isEmpty = (row: readonly Cell[]) => row[quality] === 'none';
  const first = rows.findIndex((row) => !isEmpty(row));
  const last = rows.findLastIndex((row) => !isEmpty(row));
  const gaps: Gap[] = [];
  for (const row of rows.slice(first, last + 1)) {
    if (!isEmpty(row)) continue;
    const from = Date.parse(String(row[0]));
    const before = gaps.at(-1);
    if (before?.to === from) gaps[gaps.length - 1] = { from: before.from, to: from + step_s * 1_000 };
    else gaps.push({ from, to: from + step_s * 1_000 });
  }
  return gaps;
}

function LevelTable({ history }: { readonly history: History }) {
  const [open, setOpen] = useState(false);
  const { columns, rows, weighting, zone } = history;
  const weightings = { frequency: weighting?.frequency ?? null, time: weighting?.time ?? null };
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The same as a table</summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by keyboard
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} class={/^l/.test(name) ? 'number' : ''} scope="col">
                    {/^l/.test(name) ? `${nameOf(name, weightings)} dB` : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={String(row[0])}>
                  {row.map((cell, index) => (
                    <td key={columns[index]} class={/^l/.test(columns[index] ?? '') ? 'number' : ''}>
                      {cellText(columns[index] ?? '', cell, zone)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function cellText(name: string, cell: Cell, zone: string): string {
  if (name === 'start') return dayAndTime(String(cell), zone);
  if (name === 'coverage') return percent(Number(cell));
  if (typeof cell === 'string') return cell;
  return cell === null && !/^l/.test(name) ? '' : decibels(cell as number | null);
}

/** Recorded levels as a table: the numbers of the chart. */
import { useState } from 'preact/hooks';
import type { Cell, History } from '../../client/index.ts';
import { dayAndTime, decibels, nameOf, percent } from '../state/numbers.ts';
import { say } from '../words/say.ts';
import { qualityWord } from './coverage.ts';

/** Columns that are no levels. */
const COLUMNS: Readonly<Record<string, () => string>> = {
  start: () => say('start ## of a row'),
  coverage: () => say('coverage'),
  quality: () => say('quality'),
  source: () => say('source ## of levels'),
};

/** The table, closed at first. */
export function LevelTable({ history }: { readonly history: History }) {
  const [open, setOpen] = useState(false);
  const { columns, rows, weighting, zone } = history;
  const weightings = { frequency: weighting?.frequency ?? null, time: weighting?.time ?? null };
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('The same as a table')}</summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by keyboard
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} class={/^l/.test(name) ? 'number' : ''} scope="col">
                    {/^l/.test(name) ? `${nameOf(name, weightings)} dB` : (COLUMNS[name]?.() ?? name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={String(row[0])}>
                  {row.map((cell, index) => (
                    <td
                      key={columns[index]}
                      class={/^l/.test(columns[index] ?? '') ? 'number' : columns[index] === 'start' ? 'when' : ''}
                    >
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
  if (name === 'quality') return qualityWord(String(cell));
  if (typeof cell === 'string') return cell;
  return cell === null && !/^l/.test(name) ? '' : decibels(cell as number | null);
}

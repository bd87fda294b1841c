/** Recorded levels as a table: the numbers of the chart. */
import { useState } from 'preact/hooks';
import type { Cell, History } from '../../client/index.ts';
import { dayAndTime, decibels, percent } from '../app/numbers.ts';
import { nameOf } from '../app/quantity.ts';

/** The table, closed at first. */
export function LevelTable({ history }: { readonly history: History }) {
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

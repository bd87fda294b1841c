/** Recorded levels as a table: the numbers of the chart. */
import { useState } from 'preact/hooks';
import type { Cell, History } from '../../client/index.ts';
import { mayOperate } from '../state/access.ts';
import { type ChosenTime, isChosen, toggled } from '../state/chosen-time.ts';
import { dayAndTime, decibels, nameOf, percent } from '../state/numbers.ts';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';
import { qualityWord } from './coverage.ts';

const COLUMNS: Readonly<Record<string, () => string>> = {
  start: () => say('start ## of a row'),
  coverage: () => say('coverage'),
  quality: () => say('quality'),
  source: () => say('source ## of levels'),
};

interface Props {
  readonly history: History;
  readonly chosen: ChosenTime | undefined;
  choose(time: ChosenTime | undefined): void;
}

export function LevelTable({ history, chosen, choose }: Props) {
  const [open, setOpen] = useState(false);
  const { columns, rows, weighting, zone } = history;
  const startOf = (index: number) => Date.parse(String(rows[index]?.[0] ?? history.to));
  const timeOf = (index: number) => ({ from: startOf(index), to: Math.min(startOf(index + 1), Date.now()) });
  const weightings = { frequency: weighting?.frequency ?? null, time: weighting?.time ?? null };
  const headOf = (name: string) =>
    /^l/.test(name) ? { number: `${nameOf(name, weightings)} dB` } : (COLUMNS[name]?.() ?? name);
  const chosenHead = <span class="hidden-label">{say('chosen ## a row')}</span>;
  const heads = [...(mayOperate.value ? [chosenHead] : []), ...columns.map(headOf)];
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('The same as a table')}</summary>
      {open && (
        <WideTable heads={heads}>
          {rows.map((row, place) => (
            <tr key={String(row[0])}>
              {mayOperate.value && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={say('Choose {time}', { time: dayAndTime(String(row[0]), zone) })}
                    checked={isChosen(timeOf(place), chosen)}
                    disabled={startOf(place) >= Date.now()}
                    onChange={() => choose(toggled(timeOf(place), chosen))}
                  />
                </td>
              )}
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
        </WideTable>
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

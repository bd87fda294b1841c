/** Two days of one meter or of two, hour by hour, with their difference. The address says which. */
import { firstMomentOf, type History } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { go, search } from '../state/address.ts';
import { changes, now, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { decibels, localInput } from '../state/numbers.ts';
import { Choice, Field } from '../ui/field.tsx';
import { WideTable } from '../ui/table.tsx';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';

interface Props {
  /** Ids and names of the units that can be chosen. */
  readonly choices: readonly (readonly [unitId: string, name: string])[];
  readonly first: string;
}

interface DayOf {
  readonly unitId: string;
  /** `2026-11-24` in the zone of the unit. */
  readonly day: string;
}

interface Hour {
  readonly level: number;
  readonly measuredS: number;
}
/** By the hour of the local clock; an hour that comes twice has a second entry, `02 (2)`. */
type Hours = ReadonlyMap<string, Hour>;

const DAY_MS = 86_400_000;
const dayAfter = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

export function TwoDays({ choices, first }: Props) {
  const chosen = (side: 'a' | 'b', daysAgo: number): DayOf => {
    const unitId = search.value.get(`unit_${side}`) ?? first;
    const usual = localInput(now.peek() - daysAgo * DAY_MS, unitOf(unitId)?.timezone).slice(0, 10);
    return { unitId, day: search.value.get(`day_${side}`) ?? usual };
  };
  const days = [chosen('a', 2), chosen('b', 1)] as const;
  const { found } = useFound(
    () => Promise.all(days.map(hoursOf)),
    [...days.flatMap(Object.values), changes.value.config],
  );
  const choose = (more: Readonly<Record<string, string>>) =>
    go(`compare?${new URLSearchParams({ ...Object.fromEntries(search.value), ...more })}`, { replace: true });
  return (
    <section class="card" aria-labelledby="two-days">
      <h2 id="two-days">{say('Two days side by side')}</h2>
      <div class="columns">
        {(['a', 'b'] as const).map((side, index) => (
          <fieldset key={side} class="checks">
            <legend>{index === 0 ? say('First day') : say('Second day')}</legend>
            <Choice
              label={say('Meter')}
              value={days[index]?.unitId ?? ''}
              choices={choices}
              change={(unitId) => choose({ [`unit_${side}`]: unitId })}
            />
            <Field
              label={say('Day')}
              type="date"
              value={days[index]?.day ?? ''}
              change={(day) => day !== '' && choose({ [`day_${side}`]: day })}
            />
          </fieldset>
        ))}
      </div>
      {found && <DaysTable days={days} hours={[found[0] ?? new Map(), found[1] ?? new Map()]} />}
      <p class="soft small">
        {say('Leq by the local clock. Averages are those of the energy. Excluded time does not count.')}
      </p>
    </section>
  );
}

async function hoursOf({ unitId, day }: DayOf): Promise<Hours> {
  const zone = unitOf(unitId)?.timezone;
  const [from, to] = [day, dayAfter(day)].map((local) => new Date(firstMomentOf(local, zone)).toISOString());
  const query = { from, to, step: '1h', quantities: 'leq', exclusions: 'apply' };
  return byHour(await client.value.history(unitId, query).catch(() => undefined));
}

function byHour(history: History | undefined): Hours {
  const hours = new Map<string, Hour>();
  if (!history) return hours;
  const { columns, rows, step_s, zone } = history;
  const [leq, coverage] = [columns.indexOf('leq'), columns.indexOf('coverage')];
  for (const row of rows) {
    const hour = localInput(String(row[0]), zone).slice(11, 13);
    const [level, measuredS] = [row[leq], Number(row[coverage] ?? 0) * step_s];
    if (typeof level === 'number' && measuredS > 0)
      hours.set(hours.has(hour) ? `${hour} (2)` : hour, { level, measuredS });
  }
  return hours;
}

function meanOf(hours: readonly Hour[]): number | undefined {
  const seconds = hours.reduce((sum, { measuredS }) => sum + measuredS, 0);
  const energy = hours.reduce((sum, { level, measuredS }) => sum + measuredS * 10 ** (level / 10), 0);
  return seconds > 0 ? 10 * Math.log10(energy / seconds) : undefined;
}

const headOf = ({ unitId, day }: DayOf): string => {
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return `${titleOf(unitId)}, ${new Date(day).toLocaleDateString(LOCALES, options)}`;
};

interface TableProps {
  readonly days: readonly [DayOf, DayOf];
  readonly hours: readonly [Hours, Hours];
}

function DaysTable({ days: [one, other], hours: [a, b] }: TableProps) {
  const names = [...new Set([...a.keys(), ...b.keys()])].sort();
  if (names.length === 0) return <p>{say('Nothing was recorded in this time.')}</p>;
  const both = names.filter((name) => a.has(name) && b.has(name));
  const mean = (hours: Hours, some: readonly string[]) => meanOf(some.flatMap((name) => hours.get(name) ?? []));
  const heads = [one, other].map((day) => ({
    number: (
      <>
        <bdi>{headOf(day)}</bdi>, dB
      </>
    ),
  }));
  const foot = (
    <>
      <LevelsRow name={say('All of the day')} levels={[mean(a, names), mean(b, names)]} isComparable={false} />
      <LevelsRow name={say('Hours of both days')} levels={[mean(a, both), mean(b, both)]} />
    </>
  );
  return (
    <WideTable heads={[say('Hour ## in a table'), ...heads, { number: say('Second less first, dB') }]} foot={foot}>
      {names.map((name) => (
        <LevelsRow key={name} name={name.replace(/^\d\d/, '$&:00')} levels={[a.get(name)?.level, b.get(name)?.level]} />
      ))}
    </WideTable>
  );
}

interface RowProps {
  readonly name: string;
  readonly levels: readonly [first: number | undefined, second: number | undefined];
  /** Whether the two can be compared: they are about the same hours. */
  readonly isComparable?: boolean;
}

function LevelsRow({ name, levels: [first, second], isComparable = true }: RowProps) {
  const difference = isComparable && first !== undefined && second !== undefined ? second - first : undefined;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{decibels(first)}</td>
      <td class="number">{decibels(second)}</td>
      <td class="number">{isComparable && `${(difference ?? 0) >= 0.05 ? '+' : ''}${decibels(difference)}`}</td>
    </tr>
  );
}

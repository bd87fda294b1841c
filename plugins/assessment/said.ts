/** Reads the values of a query that a person chose: numbers for all periods or for some. */
import { type InputError, invalid } from '../../lib/built-in.ts';
import * as assessment from './model/index.ts';
import type { KeptPreset } from './preset-schemas.ts';
import type { AssessmentQuery } from './schemas.ts';

/** dB, if the preset has no list. */
const MOST = 20;
const ALL = '*';

/** `3` or `day:3,night:0`. Errors: INVALID if a name is there twice. */
function numbersOf(parameter: string, text: string): ReadonlyMap<string, number> {
  if (!text.includes(':')) return new Map([[ALL, Number(text)]]);
  const numbers = new Map<string, number>();
  for (const each of text.split(',')) {
    const [name = '', number] = each.split(':');
    if (numbers.has(name)) throw invalid([{ path: `/${parameter}`, message: `names ${name} twice` }]);
    numbers.set(name, Number(number));
  }
  return numbers;
}

/** The chosen values, and the limits that count. Errors: INVALID with the path of the word. */
export function readSaid(
  preset: KeptPreset,
  query: Pick<AssessmentQuery, assessment.SaidName | 'limits'>,
  zoneArea: assessment.AreaBody | null,
): Omit<assessment.Judging, 'now'> {
  const problems: InputError[] = [];
  const periods = preset.periods.map(({ name }) => name);
  const said = new Map<assessment.SaidName, ReadonlyMap<string, number>>();
  for (const name of assessment.SAID) {
    const text = query[name];
    if (text === undefined) continue;
    const numbers = numbersOf(name, text);
    said.set(name, numbers);
    const problem = unknown([...numbers.keys()], periods, 'period') ?? wrongNumber(preset, name, [...numbers.values()]);
    if (problem) problems.push({ path: `/${name}`, message: problem });
  }
  const limits = query.limits === undefined ? new Map<string, number>() : numbersOf('limits', query.limits);
  const figures = preset.figures.map(({ name }) => name);
  const problem = unknown([...limits.keys()], figures, 'figure');
  if (problem) problems.push({ path: '/limits', message: problem });
  if (problems.length > 0) throw invalid(problems);
  return {
    chosen: (period) =>
      Object.fromEntries(
        [...said].flatMap(([name, numbers]) => {
          const number = numbers.get(period) ?? numbers.get(ALL);
          return number === undefined ? [] : [[name, number]];
        }),
      ),
    limit: (figure) => limits.get(figure) ?? zoneArea?.limits[figure] ?? null,
  };
}

function unknown(names: readonly string[], known: readonly string[], what: string): string | undefined {
  const wrong = names.find((name) => name !== ALL && !known.includes(name));
  return wrong === undefined ? undefined : `has no ${what} ${wrong}; there are ${known.join(', ')}`;
}

const isAddition = (name: assessment.SaidName): name is assessment.AdditionName =>
  (assessment.ADDITIONS as readonly string[]).includes(name);

function wrongNumber(preset: KeptPreset, name: assessment.SaidName, numbers: readonly number[]): string | undefined {
  if (name === 'duration_s') return range(numbers, 1, 86_400, 's');
  if (!isAddition(name)) return range(numbers, -20, 200, 'dB');
  const rule = preset[name];
  if (!rule) return `is nothing that ${preset.name} adds`;
  if (rule.by !== 'person') return range(numbers, 0, MOST, 'dB');
  const wrong = numbers.some((number) => number !== 0 && !rule.values.includes(number));
  return wrong ? `must be one of ${rule.values.join(', ')} dB` : undefined;
}

const range = (numbers: readonly number[], least: number, most: number, unit: string): string | undefined =>
  numbers.every((number) => number >= least && number <= most) ? undefined : `must be ${least} to ${most} ${unit}`;

/** Errors: INVALID. */
export function areaOf(preset: KeptPreset, name: string | undefined): assessment.AreaBody | null {
  const { areas } = preset;
  if (name === undefined) return areas.length === 1 ? (areas[0] ?? null) : null;
  const found = areas.find((area) => area.name === name);
  if (found) return found;
  const known = areas.map((area) => area.name).join(', ');
  throw invalid([{ path: '/area', message: known ? `must be one of ${known}` : `${preset.name} has no areas` }]);
}

/** The limits of a permit as a preset: its own, or those of the preset that it names. */
import { type InputError, invalid } from '../../lib/built-in.ts';
import { isGatewayError } from '../../lib/index.ts';
import { type Assessments, assessment, type KeptPreset, PLAIN } from '../assessment/index.ts';
import { PERMIT_WINDOWS, type PermitBody, type PermitLimit } from './contract.ts';

const MINUTES_OF_DAY = 1_440;

/** Errors: INVALID if the preset of the permit is no longer there. */
export function presetOf(assessments: Assessments, permit: PermitBody): KeptPreset {
  if (permit.limits) return presetOfLimits(permit.title, permit.limits);
  const preset = assessments.preset(permit.preset ?? '');
  if (!preset) throw invalid([{ path: '/preset', message: 'is no preset of GET _assessments' }]);
  // Events are counted in assessments only: they need the seconds of each day.
  return { ...preset, events: null };
}

function presetOfLimits(title: string, limits: readonly PermitLimit[]): KeptPreset {
  const named = limits.map((limit, at) => ({ limit, name: nameOf(limits, at) }));
  return {
    ...PLAIN,
    name: 'permit',
    built_in: false,
    own: true,
    title,
    source: '',
    confirmed_by: '',
    periods: named.map(({ name, limit: { days, from, to } }) => ({ name, times: [{ days, from, to }] })),
    figures: named.map(({ name, limit: { index, window, over_background_db } }) => ({
      name,
      period: name,
      quantity: index === 'leq' || index === 'lmax' ? index : Number(index.slice(1)),
      window_s: PERMIT_WINDOWS[window],
      ...(over_background_db !== undefined && { overBackground: true }),
    })),
    areas: [
      {
        name: '',
        title,
        limits: Object.fromEntries(
          named.map(({ name, limit: { limit_db, over_background_db } }) => [name, limit_db ?? over_background_db ?? 0]),
        ),
      },
    ],
  };
}

/** By the name of a limit: the level of its warning, dB. */
export const amberOf = ({ limits = [] }: PermitBody): ReadonlyMap<string, number> =>
  new Map(
    limits.flatMap(({ amber_db }, at) => (amber_db === undefined ? [] : [[nameOf(limits, at), amber_db] as const])),
  );

/** `LAeq,15m 07:00-20:00`; limits of the same words are numbered. */
function nameOf(limits: readonly PermitLimit[], at: number): string {
  const words = limits.map(wordsOf);
  const own = words[at] ?? '';
  const before = words.slice(0, at).filter((each) => each === own).length;
  return before > 0 ? `${own} (${before + 1})` : own;
}

function wordsOf({ index, window, from, to, over_background_db }: PermitLimit): string {
  const quantity = index === 'leq' ? 'LAeq' : index === 'lmax' ? 'LAFmax' : `LA${Number(index.slice(1))}`;
  const over = over_background_db === undefined ? '' : ' over LA90';
  return `${quantity}${window === 'period' ? '' : `,${window}`}${over} ${from}-${to}`;
}

/** The values that a person chose, as the query of an assessment has them: `3`, or `day:3,night:0`. */
export const saidOf = ({ additions = {} }: PermitBody): Partial<Record<assessment.SaidName, string>> =>
  Object.fromEntries(
    Object.entries(additions).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? String(value)
        : Object.entries(value)
            .map(([period, number]) => `${period}:${number}`)
            .join(','),
    ]),
  );

/** All faults of the judgement that a permit asks for, each with its path. */
export function limitProblems(assessments: Assessments, permit: PermitBody): InputError[] {
  const { preset: name, limits, area, additions, calendar } = permit;
  if ((name === undefined) === (limits === undefined))
    return [
      { path: '/preset', message: name === undefined ? 'is needed, or limits' : 'cannot be used together with limits' },
    ];
  const problems: InputError[] =
    calendar === undefined || assessments.hasCalendar(calendar)
      ? []
      : [{ path: '/calendar', message: 'is no calendar of GET _calendars' }];
  if (limits) {
    if (area !== undefined) problems.push({ path: '/area', message: 'cannot be used together with limits' });
    if (additions) problems.push({ path: '/additions', message: 'cannot be used together with limits' });
    return [...problems, ...limits.flatMap(ownProblems)];
  }
  const preset = assessments.preset(name ?? '');
  if (!preset) return [...problems, { path: '/preset', message: 'is no preset of GET _assessments' }];
  if (preset.areas.length === 0)
    return [...problems, { path: '/preset', message: 'has no limits: give limits of your own' }];
  if (area === undefined && preset.areas.length > 1)
    problems.push({ path: '/area', message: `is needed: ${preset.areas.map((each) => each.name).join(', ')}` });
  else problems.push(...saidProblems(assessments, preset, permit));
  return problems;
}

function saidProblems(assessments: Assessments, preset: KeptPreset, permit: PermitBody): InputError[] {
  const { area } = permit;
  try {
    const span = { from: '1970-01-01T00:00:00Z', to: '1970-01-02T00:00:00Z' };
    const asked = { ...saidOf(permit), ...(area !== undefined && { area }) };
    assessments.check(preset, { ...span, ...asked, preset: preset.name, by: 'none', exclusions: 'apply' });
    return [];
  } catch (error) {
    if (!isGatewayError(error) || !error.errors) throw error;
    return error.errors.map(({ path, message }) => ({ path: path === '/area' ? path : `/additions${path}`, message }));
  }
}

function ownProblems(limit: PermitLimit, at: number): InputError[] {
  const { window, limit_db, over_background_db, amber_db, from, to } = limit;
  const path = `/limits/${at}`;
  if ((limit_db === undefined) === (over_background_db === undefined))
    return [
      {
        path: `${path}/limit_db`,
        message:
          limit_db === undefined
            ? 'is needed, or over_background_db'
            : 'cannot be used together with over_background_db',
      },
    ];
  if (amber_db !== undefined && amber_db >= (limit_db ?? over_background_db ?? 0))
    return [{ path: `${path}/amber_db`, message: 'must be below the limit' }];
  if (from === to) return [{ path: `${path}/to`, message: 'must differ from `from`; a whole day is 00:00 to 24:00' }];
  const minutes = (PERMIT_WINDOWS[window] ?? 0) / 60;
  const [begin, end] = [assessment.minutesOf(from), assessment.minutesOf(to)];
  const first = minutes > 0 ? Math.ceil(begin / minutes) * minutes : begin;
  return first + minutes > (end > begin ? end : end + MINUTES_OF_DAY)
    ? [{ path: `${path}/window`, message: 'has no full window in this time' }]
    : [];
}

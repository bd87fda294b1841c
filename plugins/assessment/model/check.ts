/** Checks of a preset that a schema cannot do: times that fit together, and existing names. */

import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '../../../lib/built-in.ts';
import { ADDITIONS } from './additions.ts';
import { minutesOfTime, USUAL_MINUTES } from './calendar.ts';
import { DAY_KINDS, type DayKind, type EventsBody, type PresetBody } from './contract.ts';

/** All faults, each with its path; empty: no fault. */
export function problemsOf(preset: PresetBody): readonly InputError[] {
  return [
    ...[...doubles(preset), ...misfits(preset), ...unknownNames(preset)],
    ...[...figureProblems(preset), ...eventProblems(preset)],
  ];
}

/** The next version of a preset whose text was not compared: with other numbers than before it counts as unchecked. */
export function changedPreset(present: PresetBody, next: PresetBody): PresetBody {
  const names = Object.keys(next) as (keyof PresetBody)[];
  return names.every((name) => isDeepStrictEqual(present[name], next[name])) ? next : { ...next, confirmed_by: null };
}

function doubles({ periods, figures, areas }: PresetBody): InputError[] {
  const lists = { periods, figures, areas };
  return Object.entries(lists).flatMap(([list, items]) => {
    const names = items.map(({ name }) => name);
    return names.flatMap((name, index) =>
      names.indexOf(name) === index ? [] : [{ path: `/${list}/${index}/name`, message: `is there twice: ${name}` }],
    );
  });
}

/** Any day may follow any other, because any day may be a holiday. So each day must begin where each day may end. */
function misfits({ periods }: PresetBody): InputError[] {
  const begins = new Map<number, DayKind>();
  for (const kind of DAY_KINDS) {
    const own = periods
      .flatMap(({ times }, period) =>
        times.map((time, at) => ({ time, path: `/periods/${period}/times/${at}`, ...minutesOfTime(time) })),
      )
      .filter(({ time }) => time.days.includes(kind))
      .toSorted((one, other) => one.from - other.from);
    const [first] = own;
    if (!first) return [{ path: '/periods', message: `has no period that holds ${kind}` }];
    let reached = first.from;
    for (const { from, to, path } of own) {
      if (from !== reached) {
        return [{ path, message: misfit(from > reached, kind, Math.min(from, reached)) }];
      }
      reached = to;
    }
    if (reached !== first.from + USUAL_MINUTES) {
      const end = first.from + USUAL_MINUTES;
      return [{ path: own.at(-1)?.path ?? '/periods', message: misfit(reached < end, kind, Math.min(reached, end)) }];
    }
    begins.set(first.from, kind);
  }
  if (begins.size < 2) return [];
  const words = [...begins].map(([at, kind]) => `${kind} at ${clock(at)}`).join(', ');
  return [{ path: '/periods', message: `must begin at the same time on all days, not ${words}` }];
}

const misfit = (isHole: boolean, kind: DayKind, at: number): string =>
  isHole
    ? `leaves a hole: on ${kind} ${clock(at)} lies in no period`
    : `overlaps another: on ${kind} ${clock(at)} lies in several periods`;

const clock = (minutes: number): string =>
  [Math.floor(minutes / 60) % 24, minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

function unknownNames(preset: PresetBody): InputError[] {
  const { periods, figures, areas, duration, peaks_over, rest } = preset;
  const known = { period: new Set(periods.map(({ name }) => name)), figure: new Set(figures.map(({ name }) => name)) };
  const missing = (kind: keyof typeof known, path: string, names: readonly string[]): InputError[] =>
    names
      .filter((name) => !known[kind].has(name))
      .map((name) => ({ path: `${path}/${name}`, message: `names a ${kind} that is not there: ${name}` }));
  const names = new Set(areas.map(({ name }) => name));
  return [
    ...figures.flatMap(({ weights }, at) => missing('period', `/figures/${at}/weights`, Object.keys(weights ?? {}))),
    ...areas.flatMap(({ limits }, at) => missing('figure', `/areas/${at}/limits`, Object.keys(limits))),
    ...missing('period', '/duration/steps', Object.keys(duration?.steps ?? {})),
    ...missing('figure', '/peaks_over', Object.keys(peaks_over)),
    ...ADDITIONS.flatMap((name) => {
      const rule = preset[name];
      return rule?.by === 'person' ? missing('period', `/${name}/periods`, rule.periods ?? []) : [];
    }),
    ...(rest?.areas ?? []).flatMap((name, at) =>
      names.has(name) ? [] : [{ path: `/rest/areas/${at}`, message: `names an area that is not there: ${name}` }],
    ),
  ];
}

/** Without a threshold nothing would be an event, and with two the right one is unknown. */
export function thresholdProblems(
  { threshold, over_background: over }: Pick<EventsBody, 'threshold' | 'over_background'>,
  path: string,
): InputError[] {
  if (threshold === null && over === null) return [{ path, message: 'is needed, or over_background' }];
  return threshold === null || over === null
    ? []
    : [{ path, message: 'cannot be given together with over_background: leave one of them out' }];
}

function eventProblems({ events }: PresetBody): InputError[] {
  return events ? thresholdProblems(events, '/events/threshold') : [];
}

function figureProblems({ periods, figures, duration, peaks_over }: PresetBody): InputError[] {
  const of = figures.flatMap(({ period, weights, window_s, quantity }, at): InputError[] => {
    const path = `/figures/${at}`;
    if (period !== null && !periods.some(({ name }) => name === period))
      return [{ path: `${path}/period`, message: `names a period that is not there: ${period}` }];
    if ((period === null) !== (weights !== undefined))
      return [
        {
          path: `${path}/weights`,
          message: 'must be given for an index (its period is null), and for no other figure',
        },
      ];
    if (weights && (window_s !== null || quantity !== 'leq'))
      return [{ path: `${path}/quantity`, message: 'must be leq, and window_s null: an index is of whole periods' }];
    if (weights && periods.some(({ name }) => weights[name] === undefined))
      return [{ path: `${path}/weights`, message: 'must have a weight for each period; 0 adds nothing' }];
    if (window_s !== null && (window_s % 60 !== 0 || 86_400 % window_s !== 0))
      return [{ path: `${path}/window_s`, message: 'must be full minutes, and a day must be full of them' }];
    return [];
  });
  const steps = Object.entries(duration?.steps ?? {}).flatMap(([name, list]) =>
    list.flatMap(({ up_to_s }, at) =>
      at > 0 && up_to_s <= (list[at - 1]?.up_to_s ?? 0)
        ? [{ path: `/duration/steps/${name}/${at}/up_to_s`, message: 'must be longer than that of the step before' }]
        : [],
    ),
  );
  const peaks = figures.flatMap(({ name, period }): InputError[] =>
    period === null && peaks_over[name] !== undefined
      ? [{ path: `/peaks_over/${name}`, message: 'is of an index: only the figure of a period has peaks' }]
      : [],
  );
  return [...of, ...steps, ...peaks];
}

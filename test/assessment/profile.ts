/** A place whose level depends on the hour of its clock alone, measured by a meter without faults: for the presets. */

import { LevelCounts, mergeLevels, type SpanLevels } from '../../lib/domain/indices/index.ts';
import { zoneOffset } from '../../lib/domain/zone.ts';
import type { PresetBody } from '../../plugins/assessment/model/index.ts';
import {
  type Chosen,
  figuresOf,
  type MeasuredWindow,
  type PlannedPart,
  planDays,
  verdictOfDay,
} from '../../plugins/assessment/model/index.ts';
import { readShipped } from '../../plugins/assessment/store.ts';

const MINUTE_MS = 60_000;

/** Levels of a place. */
export interface Place {
  readonly zone: string;
  /** dB at an hour of the local clock (0 to 23); null: nothing was measured. */
  level(hour: number, at: number): number | null;
  /** LAFTeq minus LAeq, dB; null: no seconds are kept. */
  readonly takt?: number | null;
  /** LAIeq minus LAeq. */
  readonly impulse?: number;
  readonly lmax?: number;
}

export interface AskedDay {
  readonly date: string;
  readonly holidays?: readonly string[];
  readonly area?: string;
  readonly chosen?: Readonly<Record<string, Chosen>>;
  readonly limits?: Readonly<Record<string, number>>;
  /** ms since 1970 UTC; without it all is over. */
  readonly now?: number;
}

/** Presets of the gateway, by name. */
export const STANDARD_PRESETS = readShipped().presets;

export const presetOf = (name: string): PresetBody => {
  const found = STANDARD_PRESETS.get(name);
  if (!found) throw new Error(`there is no preset ${name}`);
  return found;
};

/** Minute by minute. */
function measure({ zone, level, impulse, lmax }: Place, { from, to }: PlannedPart): SpanLevels {
  const minutes: SpanLevels[] = [];
  for (let at = from; at < to; at += MINUTE_MS) {
    const leq = level(new Date(at + zoneOffset(zone, at)).getUTCHours(), at);
    if (leq === null) continue;
    const counts = new LevelCounts();
    counts.add(leq, 600);
    const lieq = impulse === undefined ? null : leq + impulse;
    minutes.push({
      leq,
      lieq,
      lmax: lmax ?? leq,
      lmin: leq,
      lpeak: null,
      counts,
      seconds: 60,
      bounds: { lmax: null, lmin: null, lpeak: null },
      lmaxAt: at,
      readings: 0,
      flaggedS: 0,
    });
  }
  return mergeLevels(minutes);
}

/** The day of this date. */
export function assess(preset: PresetBody, place: Place, asked: AskedDay) {
  const { date, holidays = [], area = null, chosen = {}, limits, now = Number.POSITIVE_INFINITY } = asked;
  const noon = Date.parse(`${date}T12:00Z`) - zoneOffset(place.zone, Date.parse(`${date}T12:00Z`));
  const dates = { zone: place.zone, span: { from: noon, to: noon + 1 }, holidays: new Set(holidays) };
  const [day] = planDays(preset, dates, area);
  if (!day) throw new Error('there is no day');
  const own = preset.areas.find(({ name }) => name === area)?.limits ?? {};
  const measured = day.periods.map(({ key, windows }): [string, MeasuredWindow[]] => [
    key,
    windows.map((window) => ({
      ...window,
      parts: window.parts.map((part) => {
        const levels = measure(place, part);
        const { takt = null } = place;
        return { ...part, levels, takt: takt === null || levels.leq === null ? null : levels.leq + takt };
      }),
    })),
  ]);
  const figures = figuresOf(preset, new Map(measured), {
    now,
    chosen: (period) => chosen[period] ?? {},
    limit: (figure) => limits?.[figure] ?? own[figure] ?? null,
  });
  const of = (name: string) => {
    const found = figures.find(({ figure }) => figure === name);
    if (!found) throw new Error(`there is no figure ${name}`);
    return found;
  };
  return { figures, of, kind: day.date.kind, verdict: verdictOfDay(figures) };
}

/** dB of each hour of the clock. */
export const HOURS: readonly number[] = [
  ...[40, 40, 40, 40, 40, 40, 50, 60, 60, 60, 60, 60],
  ...[60, 58, 58, 62, 62, 62, 62, 55, 52, 52, 45, 42],
];

/** With `HOURS`. */
export const placeIn = (zone: string, more: Partial<Place> = {}): Place => ({
  zone,
  level: (hour) => HOURS[hour] ?? null,
  ...more,
});

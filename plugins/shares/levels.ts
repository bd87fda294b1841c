/**
 * The recorded levels that a share shows: up to its delay, from its beginning on, and rounded. Time that notes exclude is
 * left out: nobody sees a calibration. Levels are dB, times ms since 1970 UTC.
 */
import type { SharedHour, SharedLive } from '../../client/schemas.ts';
import { STALE_INTERVALS, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, type HistoryRow, type Host, iso } from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';
import type { ShareRow } from './schemas.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Without trouble, rows are on the disk after this time. */
const RECORDED_AFTER_MS = 5_000;
/** A unit that is seldom polled has a level this often. */
const LONGEST_LIVE_MS = HOUR_MS;

export interface SharedPlace {
  readonly host: Host & WithNotes;
  readonly share: ShareRow;
  readonly config: DeviceConfig;
  /** Later levels are not shown. */
  readonly until: number;
}

/** Rounds to full steps of `step` dB. The API gives two decimals. */
export function roundedTo(level: number | null, step: number): number | null {
  if (level === null) return null;
  const [hundredths, hundredthsOfStep] = [Math.round(level * 100), Math.round(step * 100)];
  return (Math.floor(hundredths / hundredthsOfStep + 0.5) * hundredthsOfStep) / 100;
}

/** Words for levels, from the least: the word counts below so many dB, A-weighted. */
const WORDS = [
  [35, 'very_quiet'],
  [50, 'quiet'],
  [65, 'moderate'],
  [80, 'loud'],
  [Number.POSITIVE_INFINITY, 'very_loud'],
] as const;
export const LEVEL_WORDS = WORDS.map(([, word]) => word);

const NO_LEVEL = { level_db: null, kind: null, word: null, at: null, since: null, weighting: null } as const;

/** The newest level. Errors: those of the history. */
export async function liveLevel(place: SharedPlace): Promise<SharedLive> {
  const { host, share, config, until } = place;
  if (config.history === 'off') return { ...NO_LEVEL, state: 'not_recorded' };
  const to = floorTo(until - RECORDED_AFTER_MS, MINUTE_MS);
  const window = Math.min(LONGEST_LIVE_MS, (STALE_INTERVALS * config.pollIntervalSeconds + 60) * 1_000);
  const from = Math.max(to - Math.ceil(window / MINUTE_MS) * MINUTE_MS, earliest(share));
  const { rows, weighting } = await minutes(host, config.unitId, from, to);
  const last = rows.findLast(hasLevel);
  if (!last) return { ...NO_LEVEL, ...(await lastLevel(place, from)) };
  const level = roundedTo(last.leq ?? last.lp, share.roundDb);
  return {
    state: 'level',
    level_db: level,
    kind: last.leq === null ? 'reading' : 'mean',
    since: null,
    word: weighting === 'A' && level !== null ? (WORDS.find(([below]) => level < below)?.[1] ?? null) : null,
    at: iso(last.to * 1_000),
    weighting,
  };
}

async function lastLevel(
  { host, share, config, until }: SharedPlace,
  before: number,
): Promise<Pick<SharedLive, 'state' | 'since'>> {
  const { last } = await host.history.extent(config.unitId, {}, host.signal);
  const end = last === null ? null : last * 1_000;
  if (end !== null && end <= before && end > earliest(share)) return { state: 'stale', since: iso(end) };
  // The answer must not show that later rows exist.
  const found =
    end !== null && end > before ? await minutes(host, config.unitId, dayBefore(before, share), before) : undefined;
  const known = found?.rows.findLast(hasLevel);
  if (known) return { state: 'stale', since: iso(known.to * 1_000) };
  const since = end !== null && end > before ? dayBefore(before, share) : share.fromAt;
  return { state: 'none', since: since === null || since > until ? null : iso(since) };
}

const hasLevel = ({ leq, lp }: HistoryRow): boolean => leq !== null || lp !== null;
const earliest = ({ fromAt }: ShareRow): number => Math.ceil((fromAt ?? 0) / MINUTE_MS) * MINUTE_MS;
/** A day before a full minute, or the beginning of the share. */
const dayBefore = (at: number, share: ShareRow): number => Math.max(at - DAY_MS, earliest(share));
const floorTo = (at: number, step: number): number => Math.floor(at / step) * step;

async function minutes({ history, notes, signal }: Host & WithNotes, unitId: string, from: number, to: number) {
  if (to <= from) return { rows: [], weighting: null };
  const excluded = notes.excluded(unitId, { from, to }).ranges;
  return rowsOf(history.query({ unitId, excluded, over: { from: from / 1_000, to: to / 1_000, step: 60 } }, signal));
}

async function rowsOf(answer: ReturnType<Host['history']['query']>) {
  const { rows, weighting } = await answer;
  const all: HistoryRow[] = [];
  for await (const page of rows) all.push(...page);
  return { rows: all, weighting: weighting?.frequency ?? null };
}

/** The last 24 hours by the clock of the unit, the newest first. Errors: those of the history. */
export async function lastHours({ host, share, config, until }: SharedPlace): Promise<readonly SharedHour[]> {
  const end = floorTo(until - RECORDED_AFTER_MS, MINUTE_MS);
  const ranges = hoursBefore(config.timezone, end)
    .map(({ from, to }) => ({ from: Math.max(from, earliest(share)), to }))
    .filter(({ from, to }) => to > from);
  if (ranges.length === 0) return [];
  const over = { ranges: ranges.map(({ from, to }) => ({ from: from / 1_000, to: to / 1_000 })) };
  const excluded = host.notes.excluded(config.unitId, { from: end - DAY_MS - HOUR_MS, to: end }).ranges;
  const { rows } = await rowsOf(host.history.query({ unitId: config.unitId, excluded, over }, host.signal));
  return rows.toReversed().map(({ from, to, leq, lp, lmax, measured }) => ({
    from: utc(from),
    to: utc(to),
    leq_db: roundedTo(leq ?? lp, share.roundDb),
    lmax_db: roundedTo(lmax, share.roundDb),
    coverage: hundredths(Math.min(1, measured / (to - from))),
  }));
}

const utc = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const hundredths = (part: number): number => Math.floor(part * 100) / 100;

/** In order of time; the last hour may not be over. Zones with half hours have their own full hours. */
function hoursBefore(zone: string, end: number): { readonly from: number; readonly to: number }[] {
  const hours = [];
  for (let at = end - 1; at >= end - DAY_MS; ) {
    const { from, to } = zones.stepAt(zone, at, HOUR_MS);
    hours.push({ from, to: Math.min(to, end) });
    at = from - 1;
  }
  return hours.reverse();
}

/** The measured share of a span in a channel, 0 to 1; a reading counts for its minute. Errors: those of the history. */
export async function measuredPart(
  { host, config }: SharedPlace,
  channel: string,
  from: number,
  to: number,
): Promise<number> {
  const range = { from: Math.ceil(from / MINUTE_MS) * 60, to: Math.floor(to / MINUTE_MS) * 60 };
  if (range.to <= range.from) return 0;
  const query = { unitId: config.unitId, channel, over: { ranges: [range] } };
  const { rows } = await rowsOf(host.history.query(query, host.signal));
  return hundredths(Math.min(1, (rows[0]?.measured ?? 0) / (range.to - range.from)));
}

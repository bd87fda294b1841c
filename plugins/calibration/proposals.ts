/** Tones of calibrators that nobody announced, in the recorded seconds of a unit. */
import type { Clock, History, Range } from '../../lib/index.ts';
import type { Notes } from '../notes/index.ts';
import type { CalibrationRecords } from './records.ts';
import { NOMINAL_LEVELS, type Second, type Tone, tonesIn } from './tones.ts';

/** Without an announcement only a meter that is nearly right is recognized, dB. */
const WITHIN_DB = 2;
const MINUTE_S = 60;
/** A tone of ten seconds gives the Leq of its minute all but this much, dB. */
const SHARE_DB = 8;
/** A logged check explains the tones of this time around it, s. */
const LOGGED_S = 3_600;

interface Parts {
  readonly clock: Pick<Clock, 'now'>;
  readonly history: Pick<History, 'query'>;
  readonly calibrations: Pick<CalibrationRecords, 'list'>;
  readonly notes: Pick<Notes, 'list'>;
}

/** `span`: ms since 1970 UTC. Errors: as `History.query`. */
export async function unannounced(
  { clock, history, calibrations, notes }: Parts,
  unitId: string,
  span: Range,
  signal: AbortSignal,
): Promise<readonly Tone[]> {
  const from = Math.floor(span.from / 1_000 / MINUTE_S) * MINUTE_S;
  const to = Math.ceil(span.to / 1_000 / MINUTE_S) * MINUTE_S;
  const tones: Tone[] = [];
  for (const loud of await loudTimes(history, unitId, { from, to }, signal))
    tones.push(...tonesIn(await secondsOf(history, unitId, loud, signal), { within: WITHIN_DB }));
  const logged = calibrations.list(unitId).map(({ time }) => time / 1_000);
  const announced = notes
    .list(unitId)
    .filter(
      ({ kind, reason, to }) => kind === 'exclusion' && reason === 'calibration' && (to === null || to > clock.now()),
    )
    .map((note) => note.from / 1_000);
  return tones.filter(
    (tone) =>
      !logged.some((time) => time > tone.from - LOGGED_S && time < tone.to + LOGGED_S) &&
      !announced.some((begin) => begin < tone.to),
  );
}

/** Minutes that may have such a tone, each with its neighbours, joined. Minutes are read much faster than seconds. */
async function loudTimes(history: Parts['history'], unitId: string, { from, to }: Range, signal: AbortSignal) {
  const least = Math.min(...NOMINAL_LEVELS) - WITHIN_DB;
  const { rows } = await history.query({ unitId, over: { from, to, step: MINUTE_S } }, signal);
  const times: { from: number; to: number }[] = [];
  for await (const page of rows)
    for (const row of page) {
      if (row.leq === null || row.leq < least - SHARE_DB) continue;
      const last = times.at(-1);
      const begin = Math.max(from, row.from - MINUTE_S);
      const end = Math.min(to, row.to + MINUTE_S);
      if (last && begin <= last.to) last.to = end;
      else times.push({ from: begin, to: end });
    }
  return times;
}

/** None where only minutes are kept. */
async function secondsOf(
  history: Parts['history'],
  unitId: string,
  { from, to }: Range,
  signal: AbortSignal,
): Promise<readonly Second[]> {
  const { rows } = await history.query({ unitId, over: { from, to, step: 1 } }, signal);
  const seconds: Second[] = [];
  for await (const page of rows)
    for (const { from: at, leq, lmax, lmin, resolution } of page)
      if (resolution === 1 && leq !== null && lmax !== null && lmin !== null)
        seconds.push({ at, level: leq, low: lmin, high: lmax });
  return seconds;
}

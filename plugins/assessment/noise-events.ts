/** Single noise events in the seconds of a span: as an answer of the API, and as tables for spreadsheets. */

import { indices, invalid, NEXT, pageOf, tables, type zones } from '../../lib/built-in.ts';
import { daysIn, type HistoryQuery, type Host } from '../../lib/index.ts';
import type { ExcludedTime, WithNotes } from '../notes/index.ts';
import { askedLevels, spanSeconds } from './asked-levels.ts';
import { noiseEventsFile, shownEvent } from './event-table.ts';
import { leave } from './measured.ts';
import * as assessment from './model/index.ts';
import { EVENTS_QUERY, NOISE_EVENTS, type NoiseEventsQuery } from './spread-schemas.ts';

const MOST_DAYS = 62;
const { decibels, shownCoverage } = tables;

export function addNoiseEvents(host: Host & WithNotes): void {
  host.route<unknown, NoiseEventsQuery>({
    method: 'GET',
    path: '/{unit_id}/events',
    access: 'viewer',
    operation: 'listNoiseEvents',
    summary: 'Find single noise events in the seconds of a span',
    description:
      'An event starts above a threshold, fixed or over the background, and ends when the level stays at or below it. At most 62 days.',
    query: EVENTS_QUERY,
    answer: { data: NOISE_EVENTS, next: NEXT },
    etag: true,
    contentTypes: ['text/csv', tables.XLSX_TYPE],
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query) * 6,
    async handle({ unitId, query, caller }) {
      const { span, excluded, asked } = askedLevels(host, unitId, query, MOST_DAYS);
      const { threshold = null, over_background: overBackground = null, min_s: minS, hold_s: holdS } = query;
      const problems = assessment.thresholdProblems({ threshold, over_background: overBackground }, '/threshold');
      if (problems.length > 0) throw invalid(problems);
      const { excluded: _ranges, ...of } = asked;
      const search = { ...of, span, excluded, threshold, overBackground, minS, holdS };
      const { events, reason, weighting, leq, measuredS } = await findEvents(host, search, caller.signal);
      const coverage = shownCoverage(indices.coverageOf(measuredS, spanSeconds(span)));
      if (query.format !== 'json')
        return noiseEventsFile(
          { unitId, zone: host.configs.of(unitId).timezone ?? 'UTC', span, coverage, reason, events },
          query.format,
        );
      const sum = assessment.sumOfEvents(events, query.nat.split(',').map(Number));
      const after = query.cursor === undefined ? Number.NEGATIVE_INFINITY : Number(query.cursor);
      const { page, next } = pageOf(
        events.filter(({ from }) => from > after),
        query.limit,
        ({ from }) => from,
      );
      return {
        data: {
          unit_id: unitId,
          weighting,
          exclusions: excluded.notes.map(String),
          assessable: reason === null,
          notes: reason === null ? [] : [reason],
          count: sum.count,
          nat: sum.nat,
          lae: decibels(sum.lae),
          leq: decibels(leq),
          share: reason !== null ? null : assessment.energyShare(sum.lae, leq, measuredS),
          coverage,
          events: page.map(shownEvent),
        },
        next,
      };
    },
  });
}

const QUARTER_S = 900;
const NO_SECONDS = 'Single seconds of this time are not kept: no event can be found.';
const NO_BACKGROUND =
  'The LN90 of some quarters of an hour is not known, because their rows brought no level counts: events there are missing. Give a fixed threshold.';

export interface EventSearch {
  readonly unitId: string;
  /** ms since 1970 UTC. */
  readonly span: zones.Span;
  readonly excluded: ExcludedTime;
  readonly channel?: HistoryQuery['channel'];
  readonly weighting?: HistoryQuery['weighting'] | undefined;
  /** dB; null: `overBackground` dB over the LA90 of the quarter of an hour. */
  readonly threshold: number | null;
  readonly overBackground: number | null;
  readonly minS: number;
  readonly holdS: number;
}

/** All events of the span, in order of time. `weighting`: of its levels; null: no levels. */
interface FoundEvents {
  readonly events: readonly assessment.NoiseEvent[];
  /** The reason why events may be missing; null: none is missing. */
  readonly reason: string | null;
  readonly weighting: NonNullable<HistoryQuery['weighting']> | null;
  readonly leq: number | null;
  readonly measuredS: number;
}

/** Reads second by second; the signal ends the work. */
export async function findEvents(
  { history }: Pick<Host, 'history'>,
  search: EventSearch,
  signal: AbortSignal,
): Promise<FoundEvents> {
  const { unitId, span, excluded, minS, holdS } = search;
  const over = { from: Math.floor(span.from / 1_000), to: Math.ceil(span.to / 1_000), step: 1 };
  const of = { unitId, ...(search.channel && { channel: search.channel }) };
  const given = { ...of, excluded: excluded.ranges, ...(search.weighting && { weighting: search.weighting }) };
  const answer = await history.query({ ...given, over }, signal);
  const { weighting } = answer;
  if (answer.step !== 1) {
    await leave(answer.rows);
    return { events: [], reason: NO_SECONDS, weighting, leq: null, measuredS: 0 };
  }
  const threshold = await thresholdOf({ history }, search, weighting, signal);
  const finder = new assessment.EventFinder({ minS, holdS, threshold });
  const events: assessment.NoiseEvent[] = [];
  let [energy, measuredS, isCoarse, isUnknown] = [0, 0, false, false];
  for await (const page of answer.rows)
    for (const { from, leq, lmax, measured, resolution } of page) {
      if (leq === null || !(measured > 0)) continue;
      isCoarse ||= resolution > 1;
      isUnknown ||= threshold(from) === null;
      energy += indices.energyOf(leq) * measured;
      measuredS += measured;
      const event = finder.add({ at: from, leq, lmax, seconds: measured });
      if (event) events.push(event);
    }
  const last = finder.end();
  if (last) events.push(last);
  const leq = measuredS > 0 ? indices.levelOf(energy / measuredS) : null;
  const reason = isCoarse ? NO_SECONDS : isUnknown ? NO_BACKGROUND : null;
  return { events: isCoarse ? [] : events, reason, weighting, leq, measuredS };
}

async function thresholdOf(
  { history }: Pick<Host, 'history'>,
  { unitId, channel, span, excluded, threshold, overBackground }: EventSearch,
  weighting: FoundEvents['weighting'],
  signal: AbortSignal,
): Promise<(at: number) => number | null> {
  if (threshold !== null || overBackground === null) return () => threshold;
  const over = {
    from: Math.floor(span.from / 1_000 / QUARTER_S) * QUARTER_S,
    to: Math.ceil(span.to / 1_000 / QUARTER_S) * QUARTER_S,
    step: QUARTER_S,
  };
  const of = { unitId, ...(channel && { channel }), ...(weighting && { weighting }) };
  const query = { ...of, over, percentiles: [90], excluded: excluded.ranges };
  const background = new Map<number, number>();
  const { rows } = await history.query(query, signal);
  for await (const page of rows) for (const { from, ln } of page) if (ln[0] != null) background.set(from, ln[0]);
  return (at) => {
    const level = background.get(Math.floor(at / QUARTER_S) * QUARTER_S);
    return level === undefined ? null : level + overBackground;
  };
}

/** Routes beside the assessment: the distribution of levels, the loudest hour, the moving Leq. */
import { indices, rowsAsked, tables, type zones } from '../../lib/built-in.ts';
import { daysIn, type HistoryQuery, type Host, iso } from '../../lib/index.ts';
import { edgeOf, type WithNotes } from '../notes/index.ts';
import { askedLevels, spanSeconds } from './asked-levels.ts';
import * as assessment from './model/index.ts';
import {
  DISTRIBUTION,
  LOUDEST,
  LOUDEST_QUERY,
  type LocalQuery,
  MOVING,
  SPREAD_QUERY,
  type SpreadQuery,
} from './spread-schemas.ts';

const ENOUGH = indices.ENOUGH;
const QUARTER_S = 900;
const HOUR_S = 3_600;
const MOST_DAYS = { distribution: 370, loudest: 370, moving: 31 } as const;
const { decibels, shownCoverage } = tables;

export function addSpread(host: Host & WithNotes): void {
  addDistribution(host);
  addLoudestHour(host);
  addMoving(host);
}

function addDistribution(host: Host & WithNotes): void {
  host.route<unknown, SpreadQuery>({
    method: 'GET',
    path: '/{unit_id}/distribution',
    access: 'viewer',
    operation: 'showDistribution',
    summary: 'Show how often each level was there, and the spread of the background',
    description:
      'LN90 of each quarter of an hour with mode and median: a person chooses what is representative. At most 370 days.',
    query: SPREAD_QUERY,
    answer: { data: DISTRIBUTION },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query),
    async handle({ unitId, query, caller }) {
      const { span, excluded, asked } = askedLevels(host, unitId, query, MOST_DAYS.distribution);
      const over = rowsAsked(span, '15m', 'UTC');
      const answer = await host.history.query({ ...asked, over, percentiles: [90], counts: true }, caller.signal);
      const [levels, samples] = [[] as number[], new Map<number, number>()];
      let [measured, leftOut] = [0, 0];
      for await (const page of answer.rows)
        for (const row of page) {
          measured += row.measured;
          for (const [tenths, count] of row.counts ?? []) {
            const name = Math.floor((tenths + 5) / 10);
            samples.set(name, (samples.get(name) ?? 0) + count);
          }
          const [level = null] = row.ln;
          if (level !== null && row.measured >= QUARTER_S * ENOUGH) levels.push(level);
          else leftOut += 1;
        }
      const classes = [...samples].sort(([one], [other]) => one - other).map(([level, count]) => ({ level, count }));
      const { mode, median, lowest, highest, ...spread } = assessment.spreadOf(levels);
      const background = {
        of: 'LN90,15min',
        ...spread,
        left_out: leftOut,
        mode,
        median: decibels(median),
        lowest: decibels(lowest),
        highest: decibels(highest),
      };
      const { weighting } = answer;
      const isA = weighting === null || weighting.frequency === 'A';
      return {
        data: {
          unit_id: unitId,
          weighting,
          ...leftOutOf(excluded, answer),
          classes,
          background,
          notes: isA ? [] : [`The levels are ${weighting.frequency}-weighted.`],
          coverage: shownCoverage(indices.coverageOf(measured, spanSeconds(span))),
        },
      };
    },
  });
}

const leftOutOf = (
  excluded: Parameters<typeof edgeOf>[0],
  ...answers: readonly { readonly cutMinutes: boolean }[]
) => ({
  exclusions: excluded.notes.map(String),
  edge: edgeOf(excluded, ...answers),
});

function addLoudestHour(host: Host & WithNotes): void {
  host.route<unknown, LocalQuery>({
    method: 'GET',
    path: '/{unit_id}/loudest_hour',
    access: 'viewer',
    operation: 'showLoudestHour',
    summary: 'Show the loudest hour of a span, by the clock and moving',
    description: 'Hours with at least 75 % measured. At most 370 days.',
    query: LOUDEST_QUERY,
    answer: { data: LOUDEST },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query),
    async handle({ unitId, query, caller }) {
      const { span, excluded, asked } = askedLevels(host, unitId, query, MOST_DAYS.loudest);
      const zone = query.zone ?? host.configs.of(unitId).timezone;
      const answer = await host.history.query({ ...asked, over: rowsAsked(span, '1h', zone) }, caller.signal);
      const hours: assessment.MovingValue[] = [];
      // Only full hours inside the span.
      for await (const page of answer.rows)
        for (const { from, to, leq, measured } of page)
          if (to - from === HOUR_S && from * 1_000 >= span.from && to * 1_000 <= span.to)
            hours.push({ from, to, leq, coverage: measured / HOUR_S });
      const same = { ...asked, ...(answer.weighting && { weighting: answer.weighting }) };
      const minutes = await host.history.query({ ...same, over: minutesOf(span) }, caller.signal);
      let moving: assessment.MovingValue | undefined;
      for await (const value of movingOf(minutes.rows, span, HOUR_S))
        moving = assessment.loudest([...(moving ? [moving] : []), value], ENOUGH);
      const leftOut = hours.filter(({ leq, coverage }) => leq === null || coverage < ENOUGH).length;
      return {
        data: {
          unit_id: unitId,
          zone,
          weighting: answer.weighting,
          ...leftOutOf(excluded, answer, minutes),
          clock: shownHour(assessment.loudest(hours, ENOUGH)),
          moving: shownHour(moving),
          left_out: leftOut,
          assessable: hours.length > 0 && leftOut === 0,
        },
      };
    },
  });
}

const shownHour = (hour: assessment.MovingValue | undefined) =>
  hour
    ? {
        from: iso(hour.from * 1_000),
        to: iso(hour.to * 1_000),
        leq: decibels(hour.leq),
        coverage: shownCoverage(hour.coverage),
      }
    : null;

const minutesOf = (span: zones.Span): HistoryQuery['over'] => ({
  from: span.from / 1_000,
  to: span.to / 1_000,
  step: 60,
});

/** The rows are minutes. Only windows that are inside the span as a whole. */
async function* movingOf(
  pages: AsyncIterable<readonly assessment.MeasuredRow[]>,
  span: zones.Span,
  seconds: number,
): AsyncGenerator<assessment.MovingValue, undefined> {
  const moving = new assessment.MovingLeq(seconds, ENOUGH);
  for await (const page of pages)
    for (const row of page) {
      const value = moving.add(row);
      if (value.from * 1_000 >= span.from) yield value;
    }
}

function addMoving(host: Host & WithNotes): void {
  const WINDOW = { type: 'integer', minimum: 60, maximum: 86_400, multipleOf: 60, default: QUARTER_S } as const;
  host.route<unknown, SpreadQuery & { readonly window_s: number }>({
    method: 'GET',
    path: '/{unit_id}/moving',
    access: 'viewer',
    operation: 'showMovingLeq',
    summary: 'Show the moving Leq: at each minute the mean of the time before it',
    description: 'The windows end within the span and may begin before it. At most 31 days.',
    query: { ...SPREAD_QUERY, window_s: { ...WINDOW, description: 'Length of the window, seconds: full minutes.' } },
    answer: { data: MOVING },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysIn(query),
    async handle({ unitId, query, caller }) {
      const { window_s } = query;
      const { span } = askedLevels(host, unitId, query, MOST_DAYS.moving);
      const from = Math.max(0, span.from - (window_s - 60) * 1_000);
      const wide = { ...query, from: new Date(from).toISOString(), to: new Date(span.to).toISOString() };
      const { excluded, asked } = askedLevels(host, unitId, wide, MOST_DAYS.moving + 1);
      const whole = { from, to: span.to };
      const answer = await host.history.query({ ...asked, over: minutesOf(whole) }, caller.signal);
      const { weighting } = answer;
      const rows: object[] = [];
      for await (const { to, leq, coverage } of movingOf(answer.rows, whole, window_s))
        if (to * 1_000 > span.from)
          rows.push({ at: iso(to * 1_000), leq: decibels(leq), coverage: shownCoverage(coverage) });
      return { data: { unit_id: unitId, weighting, ...leftOutOf(excluded, answer), window_s, rows } };
    },
  });
}

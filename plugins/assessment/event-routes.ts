/** Single noise events: as an answer of the API, and as tables for spreadsheets. */
import { daysIn, type Host, indices, invalid, pageOf, tables } from '../../lib/index.ts';
import type { WithNotes } from '../notes/index.ts';
import { askedLevels, spanSeconds } from './asked-levels.ts';
import { noiseEventsFile, shownEvent } from './event-table.ts';
import { findEvents } from './find-events.ts';
import * as assessment from './model/index.ts';
import { EVENTS_QUERY, MORE, NOISE_EVENTS, type NoiseEventsQuery } from './spread-schemas.ts';

const MOST_DAYS = 62;
const { decibels, shownCoverage } = tables;

/** `GET /{unit_id}/events`. */
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
    answer: { data: NOISE_EVENTS, next: MORE },
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

/** The first page of a report, about all its units: verdicts, a strip of the days, levels with their limits, events with their causes, weather. */

import type { AlertEvent } from '../../client/schemas.ts';
import { zones } from '../../lib/built-in.ts';
import { rest, texts } from '../../lib/index.ts';
import { PERMIT_VERDICTS, type PermitVerdict, together, togetherOfDays } from '../permits/index.ts';
import type { PermitVerdicts } from './answers.ts';
import {
  headings,
  paragraph,
  type ReportBlock,
  type ReportCell,
  type ReportChart,
  type ReportStrip,
  tableOf,
  type VerdictMark,
} from './document.ts';
import type { Gathered } from './gathered.ts';
import { chartWords, levelsChart } from './levels-chart.ts';
import { andMore } from './lists.ts';
import { figureOfEvent, namesOf, type ReportWords } from './words.ts';

/** Rows of verdicts, units with a chart, and events that have room on one page. */
const MOST_VERDICTS = 12;
const MOST_CHARTS = 3;
const MOST_EVENTS = 6;
/** Days whose cells have room for a decimal, and for a number. */
const [MOST_DECIMALS, MOST_NUMBERS] = [16, 35];
const MOST_STATIONS = 2;

const VERDICT_WORDS = texts({
  met: 'met',
  exceeded: 'exceeded',
  not_assessable: 'not assessable',
  excluded: 'excluded',
  not_over: 'not over ## a day by its permit',
});
const MARKS: Readonly<Record<PermitVerdict, VerdictMark>> = {
  met: 'good',
  exceeded: 'bad',
  not_assessable: 'unknown',
  excluded: 'unknown',
  not_over: 'unknown',
};
const LEADS = texts({
  not_over: 'Nothing is exceeded so far; the time is not over.',
  not_assessable: 'Not assessable as a whole: too little was measured and counts.',
  excluded: 'All that would count is excluded.',
});

type Row = readonly ReportCell[];
type Judged = Pick<ReturnType<typeof together>, 'verdict' | 'margin_db' | 'is_amber'>;

/** The part of a unit on the first page. It is small, so that the answers about a unit can go before the next is read. */
export interface UnitOverview {
  readonly verdicts: readonly { readonly judged: Judged | undefined; readonly row: Row }[];
  readonly strip: ReportStrip['rows'];
  readonly days: readonly string[];
  readonly chart: ReportChart | undefined;
  readonly chartWords: string;
  /** The worst ones, as many as have room. */
  readonly events: readonly { readonly over: number; readonly from: string; readonly row: Row }[];
  readonly eventCount: number;
  readonly hasMoreEvents: boolean;
}

/** `title`: name of the unit. Others have their turns: a year of levels, days and events is much for one. */
export async function overviewOf(title: string, gathered: Gathered, words: ReportWords): Promise<UnitOverview> {
  const { indices, wish, events } = gathered;
  const permits = (gathered.verdicts ?? []).filter(({ days }) => days.length > 0);
  const chart = levelsChart(gathered, words, title);
  await rest();
  const concerned = (events?.items ?? []).filter(({ channel }) => channel === null || channel === wish.channel);
  const worst = concerned
    .map((event) => ({ event, over: (event.worst ?? 0) - (event.limit ?? event.worst ?? 0) }))
    .toSorted((one, other) => other.over - one.over)
    .slice(0, MOST_EVENTS);
  return {
    verdicts:
      permits.length > 0
        ? permits.map((permit) => verdictOf(title, permit, words))
        : [{ judged: undefined, row: [words.say('no permit'), title, '', null, levelWords(gathered, words)] }],
    strip: [levelRow(title, gathered, permits, words), ...weatherRows(gathered, words)],
    days: indices.days.map(({ date }) => date),
    chart,
    chartWords: chart ? chartWords(gathered, chart, words) : '',
    events: worst.map(({ event, over }) => ({
      over,
      from: event.opened_at,
      row: eventRow(title, gathered, event, words),
    })),
    eventCount: concerned.length,
    hasMoreEvents: events?.isCut ?? false,
  };
}

export function* overview(units: readonly UnitOverview[], words: ReportWords): Iterable<ReportBlock> {
  const { say } = words;
  const verdicts = units.flatMap((unit) => unit.verdicts);
  yield { ...paragraph(leadOf(verdicts, words)), look: 'lead' };
  const sorted = verdicts.toSorted((one, other) => byVerdict(one.judged, other.judged));
  const shown = sorted.slice(0, MOST_VERDICTS);
  yield {
    ...tableOf(
      say('Verdicts'),
      [
        ...headings('text', say('Verdict'), say('Meter'), say('Permit ## of a site')),
        ...headings('level', say('Margin, dB')),
        ...headings('text', say('What decides')),
      ],
      shown.map(({ row }) => row),
    ),
    marks: shown.map(({ judged }) =>
      judged ? (judged.is_amber && judged.verdict === 'met' ? 'warn' : MARKS[judged.verdict]) : null,
    ),
  };
  yield* andMore(words, sorted.length - shown.length);
  const rows = units.flatMap(({ strip }) => strip).slice(0, MOST_VERDICTS);
  yield { block: 'strip', name: say('Level of each day, dB'), days: units[0]?.days ?? [], rows };
  const charts = units.length <= MOST_CHARTS ? units.filter(({ chart }) => chart) : [];
  for (const { chart } of charts) if (chart) yield chart;
  if (charts[0]) yield { ...paragraph(charts[0].chartWords), look: 'note' };
  yield* eventRows(units, words);
}

/** The worst first, then the least margin. */
function byVerdict(one: Judged | undefined, other: Judged | undefined): number {
  const order = (judged: Judged | undefined) =>
    judged ? PERMIT_VERDICTS.indexOf(judged.verdict) : PERMIT_VERDICTS.length;
  const margin = (judged: Judged | undefined) => judged?.margin_db ?? Number.MAX_VALUE;
  return order(one) - order(other) || margin(one) - margin(other);
}

function leadOf(verdicts: UnitOverview['verdicts'], { say, level }: ReportWords): string {
  const judged = verdicts.flatMap((each) => each.judged ?? []);
  if (judged.length === 0) return say('No permit is valid for this time: these are levels and no verdict.');
  const { verdict, margin_db: margin } = together(judged);
  if (verdict === 'exceeded')
    return say('Exceeded: {count} of {all}, by up to {excess} dB.', {
      count: judged.filter((each) => each.verdict === 'exceeded').length,
      all: judged.length,
      excess: level(Math.max(0, -(margin ?? 0))),
    });
  if (verdict === 'met') return say('Within the permit, with {margin} dB to spare.', { margin: level(margin ?? 0) });
  return say(LEADS[verdict]);
}

function verdictOf(title: string, { title: permit, days }: PermitVerdicts, words: ReportWords) {
  const { say } = words;
  const judged = togetherOfDays(days);
  const deciding = days
    .flatMap(({ parts }) => parts)
    .filter(({ verdict }) => verdict === judged.verdict)
    .toSorted((a, b) => (a.margin_db ?? Number.POSITIVE_INFINITY) - (b.margin_db ?? Number.POSITIVE_INFINITY))[0];
  const { met, exceeded, excluded, not_assessable } = judged.days;
  const counts =
    days.length > 1
      ? say('Days met: {met}; exceeded: {exceeded}; excluded: {excluded}; not assessable: {unknown}.', {
          met: met ?? 0,
          exceeded: exceeded ?? 0,
          excluded: excluded ?? 0,
          unknown: not_assessable ?? 0,
        })
      : '';
  const lines = [deciding ? partWords(deciding, words) : '', counts].filter(Boolean);
  return { judged, row: [say(VERDICT_WORDS[judged.verdict]), title, permit, judged.margin_db, lines.join('\n')] };
}

type Part = PermitVerdicts['days'][number]['parts'][number];

/** `LAFmax 22:00-06:00: 92.3 of 90 dB, Mon 24 Nov, 22:00–06:00.` */
function partWords({ date, limit, value, limit_db, from, to, reason, leq_all, excluded_s }: Part, words: ReportWords) {
  const { say } = words;
  const name = words.known('period', limit);
  const time =
    from === null || to === null ? words.shortDate(date) : words.span(zones.instantOf(from), zones.instantOf(to));
  const why = reason === null ? '' : words.translated(reason);
  if (value !== null && limit_db !== null)
    return [
      say('{figure}: {value} of {limit} dB, {time}.', {
        figure: name,
        value: words.level(value),
        limit: words.plain(limit_db),
        time,
      }),
      why,
    ]
      .filter(Boolean)
      .join(' ');
  if (leq_all !== null)
    return say('{figure}, {time}: {duration} excluded; with this time the Leq is {level} dB.', {
      figure: name,
      time,
      duration: words.duration(excluded_s),
      level: words.level(leq_all),
    });
  return [[name, time].filter(Boolean).join(', '), why].filter(Boolean).join(': ');
}

function levelWords(gathered: Gathered, words: ReportWords): string {
  const { total, days } = gathered.indices;
  const names = namesOf(gathered);
  const measured = days.flatMap(({ leq_24h }) => (leq_24h === null ? [] : [leq_24h]));
  if (total.lmax === null && measured.length === 0) return words.say('There is no data in this period.');
  // The mean is of assessable days only; one day that is not is its own level.
  const leq = total.leq_24h ?? (measured.length === 1 ? (measured[0] ?? null) : null);
  return [[names.leq, leq] as const, [names.lmax, total.lmax] as const]
    .flatMap(([name, level]) => (level === null ? [] : [`${name} ${words.level(level)} dB`]))
    .join(', ');
}

function levelRow(
  title: string,
  { indices }: Gathered,
  permits: readonly PermitVerdicts[],
  words: ReportWords,
): ReportStrip['rows'][number] {
  const { days } = indices;
  const byDate = Map.groupBy(
    permits.flatMap((permit) => permit.days),
    ({ date }) => date,
  );
  return {
    name: title,
    cells: days.map(({ date, leq_24h, leq_all }) => {
      const judged = byDate.get(date) ?? [];
      const { verdict, is_amber } = together(judged);
      const isExcluded = leq_24h === null && leq_all !== null;
      const level = leq_24h ?? leq_all;
      return {
        text: level === null ? '' : shortLevel(level, days.length, words),
        level,
        look: isExcluded ? 'excluded' : level === null ? 'none' : 'level',
        mark: judged.length === 0 ? null : verdict === 'met' && is_amber ? 'warn' : MARKS[verdict],
      };
    }),
  };
}

const shortLevel = (level: number, days: number, words: ReportWords): string =>
  days <= MOST_DECIMALS ? words.level(level) : days <= MOST_NUMBERS ? String(Math.round(level)) : '';

function weatherRows({ weather, indices }: Gathered, words: ReportWords): ReportStrip['rows'] {
  if (indices.days.length > MOST_DECIMALS) return [];
  const several = (weather?.stations.length ?? 0) > 1;
  return (weather?.stations ?? []).slice(0, MOST_STATIONS).flatMap(({ station, days }) =>
    (
      [
        ['Rain, mm', 'rain'],
        ['Gust, m/s', 'gust'],
      ] as const
    ).map(([name, value]) => ({
      name: several ? `${words.say(name)} (${station.title || station.id})` : words.say(name),
      cells: indices.days.map((_, at) => {
        const observed = days[at]?.values[value] ?? null;
        return {
          text: observed === null ? '–' : words.plain(observed),
          level: null,
          look: 'plain',
          mark: null,
        } as const;
      }),
    })),
  );
}

function eventRow(title: string, gathered: Gathered, event: AlertEvent, words: ReportWords): Row {
  const { opened_at, closed_at, worst, limit, unit, rule_name } = event;
  const cause = event.cause === null ? words.say('without a cause') : words.known('cause', event.cause);
  const from = zones.instantOf(event.window_from ?? opened_at);
  const values = {
    figure: figureOfEvent(gathered, words, event),
    value: words.plain(worst ?? 0),
    limit: words.plain(limit ?? 0),
  };
  const level =
    worst === null
      ? ''
      : unit === 'dB' && limit !== null
        ? words.say('{figure} {value} of {limit} dB', { ...values, value: words.level(worst) })
        : `${values.value} ${unit ?? ''}`;
  const time = closed_at === null ? words.moment(opened_at) : words.span(from, zones.instantOf(closed_at));
  return [time, title, level, rule_name, cause];
}

function* eventRows(units: readonly UnitOverview[], words: ReportWords): Iterable<ReportBlock> {
  const { say } = words;
  const all = units.flatMap(({ events }) => events);
  if (all.length === 0) {
    yield paragraph(say('No rule saw an event in this period.'));
    return;
  }
  const shown = all
    .toSorted((one, other) => other.over - one.over)
    .slice(0, MOST_EVENTS)
    .toSorted((one, other) => (one.from < other.from ? -1 : 1));
  yield tableOf(
    say('Events of rules that began in this period'),
    headings('text', say('When'), say('Meter'), say('Worst'), say('Rule'), say('Cause')),
    shown.map(({ row }) => row),
  );
  const left = units.reduce((sum, { eventCount }) => sum + eventCount, 0) - shown.length;
  yield* andMore(
    words,
    left,
    units.some(({ hasMoreEvents }) => hasMoreEvents),
  );
}

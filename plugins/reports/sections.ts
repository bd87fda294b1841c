/** The sections of a report, each made of the answers of the API alone. */

import type { AlertEvent, Calibration, IndexLevels } from '../../client/schemas.ts';
import { indices as domain, VERSION, zones } from '../../lib/built-in.ts';
import { texts } from '../../lib/index.ts';
import type { PermitVerdicts } from './answers.ts';
import { headings, paragraph, type ReportBlock, type ReportCell, type SectionName, tableOf } from './document.ts';
import type { Gathered } from './gathered.ts';
import { chartWords, levelsChart } from './levels-chart.ts';
import { limits } from './limits.ts';
import { andMore, MOST_ROWS, noteTable } from './lists.ts';
import { exceedances, levels, meter, rowsText, whatIsLeftOut } from './unit-sections.ts';
import { weather } from './weather.ts';
import { figureOfEvent, namesOf, type ReportWords } from './words.ts';

const INDEX_TITLES = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' } as const;
const PERIODS = [
  ['lday', 'Lday'],
  ['levening', 'Levening'],
  ['lnight', 'Lnight'],
] as const;

/** In the columns from the maximum to the end. */
const NO_CELLS = Array.from({ length: 5 }, () => '');

type Row = readonly ReportCell[];

const indexOf = ({ wish: { periods } }: Gathered): keyof typeof INDEX_TITLES =>
  periods === 'us' ? 'ldn' : periods === 'cnel' ? 'cnel' : 'lden';

const local = ({ wish: { zone } }: Gathered, iso: string): string => zones.localIso(zone, zones.instantOf(iso));

function* summary(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { config, wish, indices, assessment, verdicts } = gathered;
  const { weighting, total, days } = indices;
  yield paragraph(
    words.say('Unit {unit}, {place}. Channel: {channel}. Weighting: {weighting}.', {
      unit: config.unitId,
      place: config.place ?? words.say('place not entered'),
      channel: wish.channel,
      weighting: weighting ? `${weighting.frequency}, ${weighting.time}` : words.say('no data'),
    }),
  );
  const [level, value] = [total.leq_24h, total.mean_of_days[indexOf(gathered)]];
  const levels =
    level === null || value === null
      ? words.say('On none of {days} days there is enough data for a level of the whole period.', {
          days: days.length,
        })
      : words.say(
          'On {valid} of {days} days there is enough data: {leq} is {level} dB over their measured time, and {index} is {value} dB as the mean of these days.',
          {
            valid: total.days,
            days: days.length,
            leq: namesOf(gathered).leq,
            level: words.level(level),
            index: INDEX_TITLES[indexOf(gathered)],
            value: words.level(value),
          },
        );
  const judged = (verdicts ?? []).filter(({ days }) => days.length > 0);
  const permits = judged.map(
    (permit) => `${judged.length > 1 ? `${permit.title}: ` : ''}${permitWords(words, permit)}`,
  );
  yield paragraph([levels, ...permits, assessment && verdictWords(words, assessment)].filter(Boolean).join(' '));
}

function permitWords(words: ReportWords, { days }: PermitVerdicts): string {
  const count = (verdict: string) => days.filter((day) => day.verdict === verdict).length;
  const [met, exceeded] = [count('met'), count('exceeded')];
  const margins = days.flatMap(({ margin_db }) => margin_db ?? []);
  const gaps = { met, exceeded, others: days.length - met - exceeded };
  return margins.length === 0
    ? words.say('By the permit, no day could be judged.')
    : words.say(
        'By the permit, days that met it: {met}; days that exceeded it: {exceeded}; other days: {others}. The least margin is {margin} dB.',
        { ...gaps, margin: words.level(Math.min(...margins)) },
      );
}

function verdictWords(words: ReportWords, { title, total }: NonNullable<Gathered['assessment']>): string {
  const { met, exceeded, not_assessable: unknown, no_limit: unlimited } = total;
  return unlimited > 0 && met + exceeded === 0
    ? words.say('By {preset} no limit was given: nothing is said of met or exceeded.', { preset: words.say(title) })
    : words.say(
        'By {preset}, days that met the limits: {met}; days that exceeded them: {exceeded}; days that could not be assessed: {unknown}.',
        { preset: words.say(title), met, exceeded, unknown },
      );
}

function* days(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { indices, wish } = gathered;
  const { total, notes } = indices;
  const all = daysSoFar(gathered);
  const names = namesOf(gathered);
  const index = indexOf(gathered);
  const periods = PERIODS.filter(([name]) => [...all, total].some((one) => one[name] !== null));
  const cells = (one: IndexLevels): Row => [
    ...periods.map(([name]) => one[name]),
    ...[one[index], one.leq_24h, one.lmax, one.l10, one.l90, one.coverage.all],
  ];
  const mean = total.mean_of_days;
  const levels = [...periods.map(([, title]) => title), INDEX_TITLES[index], names.leq, names.lmax];
  yield tableOf(
    words.say('Levels and indices by day'),
    [
      ...headings('date', words.say('Day')),
      ...headings('level', ...levels, names.ln(10), names.ln(90)),
      ...headings('share', words.say('Coverage')),
      ...headings('text', words.say('Valid')),
    ],
    [
      ...all.map((day) => [day.date, ...cells(day), words.say(day.valid ? 'yes' : 'no')]),
      [words.say('Valid days, by measured time'), ...cells(total), ''],
      [words.say('Mean of valid days'), ...periods.map(([name]) => mean[name]), mean[index], mean.leq_24h, ...NO_CELLS],
    ],
  );
  const reasons = all.flatMap(({ date, valid, reason }) =>
    valid ? [] : [words.say('{day}: {reason}', { day: words.date(date), reason: words.translated(reason ?? '') })],
  );
  yield paragraph(
    [
      words.say('All levels in dB. The last two lines are made only of the valid days.'),
      words.say('Valid days: {valid} of {days}. Periods: {periods}.', {
        valid: total.days,
        days: all.length,
        periods: periodsText(wish.periods, words),
      }),
      words.say(
        'By measured time, a day with gaps counts less. In the mean of valid days each day counts the same, which is the long-term definition. In {index} a gap counts as the rest of its period.',
        { index: INDEX_TITLES[index] },
      ),
      ...reasons,
    ].join('\n'),
  );
  if (notes.length > 0)
    yield paragraph(words.say('Notes on the numbers: {notes}', { notes: words.translated(notes.join(' ')) }));
}

/** Of a day that is not over, what is still to come counts as missing nowhere. */
function daysSoFar({ indices: { days: all }, wish: { from, to, until, zone } }: Gathered) {
  if (until === undefined) return all;
  const end = zones.calendarSpans(zone, { from: at(from), to: at(to) }, 'day').at(-1)?.to ?? 0;
  const toCome = Math.max(0, end - until) / 1_000;
  return all.map((day, index) => {
    const seconds = day.hours * 3_600;
    if (toCome === 0 || index < all.length - 1) return day;
    const coverage = { ...day.coverage, all: domain.coverageOf(day.coverage.all * seconds, seconds - toCome) };
    return { ...day, coverage, reason: day.valid ? null : 'This time is not over.' };
  });
}

/** `night 23-07 (+10.0 dB)` */
function periodsText(name: string, words: ReportWords): string {
  const { periods } = domain.PRESETS[name as keyof typeof domain.PRESETS] ?? { periods: [] };
  const hour = (minutes: number) => String(minutes / 60).padStart(2, '0');
  return periods
    .map(({ name: period, from, to, weight }) => {
      const penalty = weight === 1 ? '' : ` (+${words.level(10 * Math.log10(weight))} dB)`;
      return `${words.known('period', period)} ${hour(from)}-${hour(to)}${penalty}`;
    })
    .join(', ');
}

function* charts(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const chart = levelsChart(gathered, words, words.say('Levels over time'));
  if (chart) yield chart;
  const notes = (gathered.levels?.notes ?? []).map((note) => words.translated(note));
  yield paragraph(
    chart ? [chartWords(gathered, chart, words), ...notes].join(' ') : words.say('There is nothing to draw.'),
  );
}

function* events(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { say } = words;
  const { items: all = [], isCut = false } = gathered.events ?? {};
  // The levels of events about another channel are not those of this report.
  const items = all.filter(({ channel }) => channel === null || channel === gathered.wish.channel);
  const others = all.length - items.length;
  if (others > 0)
    yield paragraph(
      say('Events about other channels of the meter, not shown: {count}.', {
        count: isCut ? `${others}+` : others,
      }),
    );
  if (items.length === 0) {
    if (others === 0) yield paragraph(say('No rule saw an event in this period.'));
    return;
  }
  yield tableOf(
    say('Events of rules that began in this period'),
    [
      ...headings('time', say('Began'), say('Ended')),
      ...headings('text', say('Rule'), say('Severity'), say('Figure')),
      ...headings('level', say('Worst'), say('Limit ## of a rule')),
      ...headings('text', say('Unit'), say('Excluded'), say('Cause'), say('Acknowledged by')),
    ],
    items
      .toReversed()
      .slice(0, MOST_ROWS)
      .map((event) => [
        local(gathered, event.opened_at),
        event.closed_at ? local(gathered, event.closed_at) : say('open'),
        event.rule_name,
        words.known('severity', event.severity),
        figureOfEvent(gathered, words, event),
        event.worst,
        event.limit,
        event.unit ?? '',
        event.excluded_s ? words.duration(event.excluded_s) : '',
        event.cause === null ? '' : words.known('cause', event.cause),
        event.ack?.by ?? '',
      ]),
  );
  yield* andMore(words, items.length - MOST_ROWS, isCut);
  if (items.some(({ cause }) => cause !== null)) yield causesOf(items, words);
}

/** How many events each cause has, the most frequent first; those without a cause last. */
function causesOf(items: readonly AlertEvent[], words: ReportWords): ReportBlock {
  const counted = [...Map.groupBy(items, ({ cause }) => cause)].toSorted(
    ([one, { length }], [other, { length: next }]) => Number(one === null) - Number(other === null) || next - length,
  );
  return tableOf(
    words.say('Causes of these events'),
    [...headings('text', words.say('Cause')), ...headings('number', words.say('Events'))],
    counted.map(([cause, { length }]) => [
      cause === null ? words.say('without a cause') : words.known('cause', cause),
      length,
    ]),
  );
}

function* exclusions(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { own, indices } = gathered;
  const { total } = indices;
  const { items = [], isCut = false } = gathered.exclusions ?? {};
  // A report about one unit has the level of the whole period; another one that of its valid days.
  const withExcluded = own ? (own.whole?.leqAll ?? null) : total.leq_all;
  if (items.length === 0) {
    yield paragraph(words.say('Nothing is excluded.'));
    return;
  }
  const time = words.duration(total.excluded_s);
  yield paragraph(
    withExcluded === null
      ? words.say('{duration} are excluded. The levels of this report are without this time.', { duration: time })
      : words.say(
          '{duration} are excluded. The levels of this report are without this time; with it {leq} is {level} dB.',
          { duration: time, leq: namesOf(gathered).leq, level: words.level(withExcluded) },
        ),
  );
  yield noteTable(words.say('Exclusions'), items, gathered.wish.zone, words);
  yield* andMore(words, items.length - MOST_ROWS, isCut);
}

function* calibration(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { say } = words;
  const { from, to } = gathered.wish;
  const all = (gathered.calibrations?.items ?? []).toSorted((one, other) => at(one.time) - at(other.time));
  // Checks of the period, with the last check before and the first check after it.
  const before = all.findLastIndex(({ time }) => at(time) < at(from));
  const after = all.findIndex(({ time }) => at(time) >= at(to));
  const shown = all.slice(Math.max(0, before), after < 0 ? undefined : after + 1);
  if (shown.length === 0) {
    yield paragraph(say('No calibration is logged for this meter.'));
    return;
  }
  yield tableOf(
    say('Checks with a calibrator'),
    [
      ...headings('time', say('Time')),
      ...headings('number', say('Nominal, dB'), say('Before, dB'), say('After, dB')),
      ...headings('text', say('Calibrator'), say('Certificate'), say('By'), say('Text')),
    ],
    shown.map((one) => [
      ...[local(gathered, one.time), one.nominal_db, one.before_db, one.after_db],
      ...[[one.calibrator, one.serial].filter(Boolean).join(', '), certificateOf(one, words), one.by, one.text],
    ]),
  );
}

const certificateOf = ({ certificate, valid_until: until }: Calibration, { say, date }: ReportWords): string =>
  [certificate, until === null ? '' : say('valid until {date}', { date: date(until) })].filter(Boolean).join(', ');

const at = (iso: string): number => zones.instantOf(iso);

function* method({ asked, fingerprint, own, wish }: Gathered, words: ReportWords): Iterable<ReportBlock> {
  yield paragraph(
    words.say(
      'Leq are energy means over the time with data; what is missing is not filled in. LN is the level that is exceeded N % of the time. Excluded time counts as not measured. A day is valid when each of its periods has data for at least 75 % of its time.',
    ),
  );
  yield paragraph(
    words.say('All levels, indices and verdicts are of the channel {channel} of the meter.', {
      channel: wish.channel,
    }),
  );
  yield paragraph(
    words.say(
      'Made by Sound Level Meter Gateway {version} of the answers below. SHA-256 is that of "data" as compact JSON.',
      { version: VERSION },
    ),
  );
  if (fingerprint !== null && !wish.sections.includes('meter'))
    yield paragraph(words.say('Key of this gateway for packages of evidence: {fingerprint}.', { fingerprint }));
  if (own) yield* rowsText(own, words);
  yield tableOf(
    words.say('Queries'),
    headings('text', words.say('Query'), words.say('SHA-256')),
    asked.map(({ query, sha256 }) => [query, sha256]),
  );
}

export const SECTION_TITLES: Readonly<Record<SectionName, string>> = texts({
  overview: 'At a glance',
  summary: 'Summary',
  meter: 'Place and meter',
  levels: 'Levels of the whole period',
  limits: 'Limits ## of a standard',
  days: 'Days',
  charts: 'Levels over time',
  exceedances: 'Levels above the limit',
  events: 'Events',
  exclusions: 'Time that does not count',
  calibration: 'Calibration',
  weather: 'Weather',
  left_out: 'What is left out',
  method: 'How the numbers are made',
});

export const SECTIONS: Readonly<
  Record<Exclude<SectionName, 'overview'>, (gathered: Gathered, words: ReportWords) => Iterable<ReportBlock>>
> = Object.freeze({
  summary,
  meter,
  levels,
  limits,
  days,
  charts,
  exceedances,
  events,
  exclusions,
  calibration,
  weather,
  left_out: whatIsLeftOut,
  method,
});

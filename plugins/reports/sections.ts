/** The sections of a report, each made of the answers of the API alone. */
import { duration, VERSION, zones } from '../../lib/index.ts';
import type { IndexAnswer } from './answers.ts';
import { levelText, offsetTimeText } from './cell-text.ts';
import type { ColumnKind, ReportBlock, ReportCell, ReportColumn, ReportSeries, SectionName } from './document.ts';
import type { Gathered } from './gather.ts';
import { type ReportWord, say } from './words.ts';

/** Rows of one list that are printed. */
const MOST_ROWS = 500;
const INDEX_TITLES = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' } as const;
const PERIODS = [
  ['lday', 'Lday'],
  ['levening', 'Levening'],
  ['lnight', 'Lnight'],
] as const;

type Row = readonly ReportCell[];
const text = (words: string): ReportBlock => ({ block: 'text', text: words });
const column = (title: string, kind: ColumnKind = 'text'): ReportColumn => ({ title, kind });
const titled = (word: ReportWord, kind: ColumnKind = 'text'): ReportColumn => column(say(word), kind);
const table = (name: ReportWord, columns: readonly ReportColumn[], rows: readonly Row[]): ReportBlock => ({
  ...{ block: 'table', name: say(name), columns, rows },
});

/** `LAeq`, `LAFmax`, `LAF90`: a level of a report says how it is weighted. */
function namesOf({ indices: { weighting } }: Gathered) {
  const [f, t] = weighting ? [weighting.frequency, weighting.time] : ['', ''];
  return { leq: `L${f}eq`, lmax: `L${f}${t}max`, ln: (n: number) => `L${f}${t}${n}` };
}

/** Which of the three the periods give. */
const indexOf = ({ wish: { periods } }: Gathered): keyof typeof INDEX_TITLES =>
  periods === 'us' ? 'ldn' : periods === 'cnel' ? 'cnel' : 'lden';

const local = ({ wish: { zone } }: Gathered, iso: string): string => zones.localIso(zone, zones.instantOf(iso));

function* summary(gathered: Gathered): Iterable<ReportBlock> {
  const { config, indices, assessment } = gathered;
  const { weighting, total, days } = indices;
  yield text(
    say('unit', {
      ...{ unit: config.unitId, place: config.place ?? say('noPlace') },
      weighting: weighting ? `${weighting.frequency}, ${weighting.time}` : say('noWeighting'),
    }),
  );
  const [level, value] = [total.leq_24h, total.mean_of_days[indexOf(gathered)]];
  const levels =
    level === null || value === null
      ? say('summaryNothing', { days: days.length })
      : say('summaryLevels', {
          ...{ valid: total.days, days: days.length, leq: namesOf(gathered).leq, level: levelText(level) },
          ...{ index: INDEX_TITLES[indexOf(gathered)], value: levelText(value) },
        });
  yield text(assessment ? `${levels} ${verdictWords(assessment)}` : levels);
}

function verdictWords({ title, total }: NonNullable<Gathered['assessment']>): string {
  const { met, exceeded, not_assessable: unknown, no_limit: unlimited } = total;
  return unlimited > 0 && met + exceeded === 0
    ? say('summaryNoLimit', { preset: title })
    : say('summaryMet', { preset: title, met, exceeded, unknown });
}

function* limits({ assessment }: Gathered): Iterable<ReportBlock> {
  if (!assessment || assessment.days.length === 0) {
    yield text(say('noFigures'));
    return;
  }
  const { title, preset, source, total, days, notes } = assessment;
  yield text(say('presetSource', { title, preset, source }));
  const columns = [titled('figure'), titled('mean', 'level'), titled('error', 'level'), titled('highest', 'level')];
  yield table(
    'limitsTable',
    [...columns, titled('highestOn'), titled('limit', 'level'), titled('countedDays', 'number')],
    total.figures.map((one) => [
      ...[one.figure, one.mean, one.standard_error, one.highest, one.highest_on, one.limit, one.days],
    ]),
  );
  const figures = days.flatMap(({ date, figures }) => figures.map((figure) => ({ date, ...figure })));
  yield table(
    'limitsDays',
    [
      ...[titled('day'), titled('figure'), titled('value', 'level'), titled('limit', 'level')],
      ...[titled('margin', 'level'), titled('coverage', 'share'), titled('verdict')],
    ],
    figures.map((one) => [one.date, one.figure, one.value, one.limit, one.margin, one.coverage, say(one.verdict)]),
  );
  const reasons = figures.flatMap(({ date, figure, verdict, reasons }) =>
    verdict === 'not_assessable' ? [say('dayReason', { day: `${date}, ${figure}`, reason: reasons.join(' ') })] : [],
  );
  if (reasons.length > 0) yield text([say('reasons'), ...reasons].join('\n'));
  if (notes.length > 0) yield text(say('remarkNotes', { notes: notes.join(' ') }));
}

function* days(gathered: Gathered): Iterable<ReportBlock> {
  const { indices } = gathered;
  const { days: all, total, notes } = indices;
  const names = namesOf(gathered);
  const index = indexOf(gathered);
  const periods = PERIODS.filter(([name]) => [...all, total].some((one) => one[name] !== null));
  const cells = (one: IndexAnswer): Row => [
    ...periods.map(([name]) => one[name]),
    ...[one[index], one.leq_24h, one.lmax, one.l10, one.l90, one.coverage.all],
  ];
  const mean = total.mean_of_days;
  const levels = [...periods.map(([, title]) => title), INDEX_TITLES[index], names.leq, names.lmax];
  yield table(
    'daysTable',
    [
      titled('day'),
      ...[...levels, names.ln(10), names.ln(90)].map((title) => column(title, 'level')),
      ...[titled('coverage', 'share'), titled('valid')],
    ],
    [
      ...all.map((day) => [day.date, ...cells(day), say(day.valid ? 'yes' : 'no')]),
      [say('measuredTime'), ...cells(total), ''],
      [say('meanOfDays'), ...periods.map(([name]) => mean[name]), mean[index], mean.leq_24h, '', '', '', '', ''],
    ],
  );
  const reasons = all.flatMap(({ date, valid, reason }) =>
    valid ? [] : [say('dayReason', { day: date, reason: reason ?? '' })],
  );
  yield text([say('daysNote'), ...reasons].join('\n'));
  if (notes.length > 0) yield text(say('remarkNotes', { notes: notes.join(' ') }));
}

function* charts(gathered: Gathered): Iterable<ReportBlock> {
  const { levels, wish } = gathered;
  const names = namesOf(gathered);
  const hasLevels = levels?.rows.some(([, leq, lmax]) => leq !== null || lmax !== null);
  if (!levels || !hasLevels) {
    yield text(say('chartEmpty'));
    return;
  }
  const series = (name: string, cell: 1 | 2): ReportSeries => ({
    name,
    points: levels.rows.map((row) => [zones.instantOf(row[0]) / 1_000, row[cell]] as const),
  });
  const span = { from: zones.instantOf(wish.from), to: zones.instantOf(wish.to) };
  yield {
    ...{ block: 'chart', name: say('charts'), from: span.from / 1_000, to: span.to / 1_000, stepS: levels.step_s },
    series: [series(names.lmax, 2), series(names.leq, 1)],
    days: zones
      .calendarSpans(wish.zone, span, 'day')
      .flatMap(({ name, from }) => (from >= span.from ? [[from / 1_000, name] as const] : [])),
  };
  const { leq, lmax } = names;
  yield text([say('chartNote', { leq, lmax, step: duration(levels.step_s) }), ...levels.notes].join(' '));
}

function* events(gathered: Gathered): Iterable<ReportBlock> {
  const { items = [], isCut = false } = gathered.events ?? {};
  if (items.length === 0) {
    yield text(say('noEvents'));
    return;
  }
  yield table(
    'eventsTable',
    [
      ...[titled('began', 'time'), titled('ended', 'time'), titled('rule'), titled('severity')],
      ...[titled('worst', 'level'), titled('eventLimit', 'level'), titled('eventUnit'), titled('acknowledged')],
    ],
    items
      .toReversed()
      .slice(0, MOST_ROWS)
      .map((event) => [
        ...[local(gathered, event.opened_at), event.closed_at ? local(gathered, event.closed_at) : say('open')],
        ...[event.rule_name, event.severity, event.worst, event.limit, event.unit ?? '', event.ack?.by ?? ''],
      ]),
  );
  yield* more(items.length, isCut);
}

function* more(count: number, isCut: boolean): Iterable<ReportBlock> {
  const rest = count - MOST_ROWS;
  if (rest > 0 || isCut) yield text(say('moreRows', { count: isCut ? `${rest}+` : rest }));
}

function* exclusions(gathered: Gathered): Iterable<ReportBlock> {
  const { total } = gathered.indices;
  const { items = [], isCut = false } = gathered.exclusions ?? {};
  if (items.length === 0) {
    yield text(say('noExclusions'));
    return;
  }
  const time = duration(total.excluded_s);
  yield text(
    total.leq_all === null
      ? say('excludedUnknown', { duration: time })
      : say('excludedTotal', { duration: time, leq: namesOf(gathered).leq, level: levelText(total.leq_all) }),
  );
  yield table(
    'exclusionsTable',
    [titled('note'), titled('from', 'time'), titled('to', 'time'), titled('reason'), titled('text'), titled('by')],
    items
      .slice(0, MOST_ROWS)
      .map((note) => [
        ...[note.id, local(gathered, note.from), note.to === null ? say('goesOn') : local(gathered, note.to)],
        ...[note.reason.replaceAll('_', ' '), note.text, note.by],
      ]),
  );
  yield* more(items.length, isCut);
}

function* calibration(gathered: Gathered): Iterable<ReportBlock> {
  const { from, to } = gathered.wish;
  const all = (gathered.calibrations?.items ?? []).toSorted((one, other) => at(one.time) - at(other.time));
  // Those of the period, with the last one before it and the first one after it.
  const before = all.findLastIndex(({ time }) => at(time) < at(from));
  const after = all.findIndex(({ time }) => at(time) >= at(to));
  const shown = all.slice(Math.max(0, before), after < 0 ? undefined : after + 1);
  if (shown.length === 0) {
    yield text(say('noCalibration'));
    return;
  }
  yield table(
    'calibrationTable',
    [
      ...[titled('time', 'time'), titled('nominal', 'number'), titled('before', 'number'), titled('after', 'number')],
      ...[titled('calibrator'), titled('certificate'), titled('by'), titled('text')],
    ],
    shown.map((one) => [
      ...[local(gathered, one.time), one.nominal_db, one.before_db, one.after_db],
      ...[[one.calibrator, one.serial].filter(Boolean).join(', '), one.certificate, one.by, one.text],
    ]),
  );
}

const at = (iso: string): number => zones.instantOf(iso);

function* method({ asked, fingerprint }: Gathered): Iterable<ReportBlock> {
  yield text(say('methodText'));
  yield text(say('gateway', { version: VERSION }));
  if (fingerprint !== null) yield text(say('evidenceKey', { fingerprint }));
  yield table(
    'queriesTable',
    [titled('query'), titled('sha256')],
    asked.map(({ query, sha256 }) => [query, sha256]),
  );
}

/** How each section is made. */
export const SECTIONS: Readonly<Record<SectionName, (gathered: Gathered) => Iterable<ReportBlock>>> = Object.freeze({
  ...{ summary, limits, days, charts, events, exclusions, calibration, method },
});

/** `2026-10-25 00:00 +02:00` of RFC 3339, as the clock of the zone shows it. */
export const momentText = (zone: string, iso: string): string =>
  offsetTimeText(zones.localIso(zone, zones.instantOf(iso)));

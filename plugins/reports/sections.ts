/** The sections of a report, each made of the answers of the API alone. */
import { VERSION, zones } from '../../lib/index.ts';
import type { IndexAnswer } from './answers.ts';
import type { ColumnKind, ReportBlock, ReportCell, ReportColumn, ReportSeries, SectionName } from './document.ts';
import type { Gathered } from './gather.ts';
import { limits } from './limits.ts';
import { namesOf } from './names.ts';
import type { ReportSpeech } from './speech.ts';
import { weather } from './weather.ts';

/** Rows of one list that are printed. */
const MOST_ROWS = 500;
const INDEX_TITLES = { lden: 'Lden', ldn: 'Ldn', cnel: 'CNEL' } as const;
const PERIODS = [
  ['lday', 'Lday'],
  ['levening', 'Levening'],
  ['lnight', 'Lnight'],
] as const;

type Row = readonly ReportCell[];
const column = (title: string, kind: ColumnKind = 'text'): ReportColumn => ({ title, kind });

/** Which of the three the periods give. */
const indexOf = ({ wish: { periods } }: Gathered): keyof typeof INDEX_TITLES =>
  periods === 'us' ? 'ldn' : periods === 'cnel' ? 'cnel' : 'lden';

const local = ({ wish: { zone } }: Gathered, iso: string): string => zones.localIso(zone, zones.instantOf(iso));

function* summary(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { config, wish, indices, assessment } = gathered;
  const { weighting, total, days } = indices;
  yield speech.text(
    speech.say('unit', {
      ...{ unit: config.unitId, place: config.place ?? speech.say('noPlace') },
      channel: wish.channel,
      weighting: weighting ? `${weighting.frequency}, ${weighting.time}` : speech.say('noWeighting'),
    }),
  );
  const [level, value] = [total.leq_24h, total.mean_of_days[indexOf(gathered)]];
  const levels =
    level === null || value === null
      ? speech.say('summaryNothing', { days: days.length })
      : speech.say('summaryLevels', {
          ...{ valid: total.days, days: days.length, leq: namesOf(gathered).leq, level: speech.level(level) },
          ...{ index: INDEX_TITLES[indexOf(gathered)], value: speech.level(value) },
        });
  yield speech.text(assessment ? `${levels} ${verdictWords(speech, assessment)}` : levels);
}

function verdictWords(speech: ReportSpeech, { title, total }: NonNullable<Gathered['assessment']>): string {
  const { met, exceeded, not_assessable: unknown, no_limit: unlimited } = total;
  return unlimited > 0 && met + exceeded === 0
    ? speech.say('summaryNoLimit', { preset: speech.preset(title) })
    : speech.say('summaryMet', { preset: speech.preset(title), met, exceeded, unknown });
}

function* days(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
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
  yield speech.table(
    'daysTable',
    [
      speech.titled('day', 'date'),
      ...[...levels, names.ln(10), names.ln(90)].map((title) => column(title, 'level')),
      ...[speech.titled('coverage', 'share'), speech.titled('valid')],
    ],
    [
      ...all.map((day) => [day.date, ...cells(day), speech.say(day.valid ? 'yes' : 'no')]),
      [speech.say('measuredTime'), ...cells(total), ''],
      [speech.say('meanOfDays'), ...periods.map(([name]) => mean[name]), mean[index], mean.leq_24h, '', '', '', '', ''],
    ],
  );
  const reasons = all.flatMap(({ date, valid, reason }) =>
    valid ? [] : [speech.say('dayReason', { day: speech.date(date), reason: speech.told(reason ?? '') })],
  );
  yield speech.text([speech.say('daysNote'), ...reasons].join('\n'));
  if (notes.length > 0) yield speech.text(speech.say('remarkNotes', { notes: speech.told(notes.join(' ')) }));
}

function* charts(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { levels, wish } = gathered;
  const names = namesOf(gathered);
  const hasLevels = levels?.rows.some(([, leq, lmax]) => leq !== null || lmax !== null);
  if (!levels || !hasLevels) {
    yield speech.text(speech.say('chartEmpty'));
    return;
  }
  const series = (name: string, cell: 1 | 2): ReportSeries => ({
    name,
    points: levels.rows.map((row) => [zones.instantOf(row[0]) / 1_000, row[cell]] as const),
  });
  const span = { from: zones.instantOf(wish.from), to: zones.instantOf(wish.to) };
  yield {
    ...{
      block: 'chart',
      name: speech.say('charts'),
      from: span.from / 1_000,
      to: span.to / 1_000,
      stepS: levels.step_s,
    },
    series: [series(names.lmax, 2), series(names.leq, 1)],
    days: zones
      .calendarSpans(wish.zone, span, 'day')
      .flatMap(({ name, from }) => (from >= span.from ? [[from / 1_000, name] as const] : [])),
  };
  const { leq, lmax } = names;
  yield speech.text(
    [
      speech.say('chartNote', { leq, lmax, step: speech.duration(levels.step_s) }),
      ...levels.notes.map((note) => speech.told(note)),
    ].join(' '),
  );
}

function* events(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { items: all = [], isCut = false } = gathered.events ?? {};
  // The levels of events about another channel are not those of this report.
  const items = all.filter(({ channel }) => channel === null || channel === gathered.wish.channel);
  const others = all.length - items.length;
  if (others > 0) yield speech.text(speech.say('otherEvents', { count: isCut ? `${others}+` : others }));
  if (items.length === 0) {
    if (others === 0) yield speech.text(speech.say('noEvents'));
    return;
  }
  yield speech.table(
    'eventsTable',
    [
      ...[
        speech.titled('began', 'time'),
        speech.titled('ended', 'time'),
        speech.titled('rule'),
        speech.titled('severity'),
      ],
      ...[
        speech.titled('worst', 'level'),
        speech.titled('eventLimit', 'level'),
        speech.titled('eventUnit'),
        speech.titled('eventExcluded'),
        speech.titled('acknowledged'),
      ],
    ],
    items
      .toReversed()
      .slice(0, MOST_ROWS)
      .map((event) => [
        ...[local(gathered, event.opened_at), event.closed_at ? local(gathered, event.closed_at) : speech.say('open')],
        ...[
          event.rule_name,
          speech.known('severity', event.severity),
          event.worst,
          event.limit,
          event.unit ?? '',
          event.excluded_s ? speech.duration(event.excluded_s) : '',
          event.ack?.by ?? '',
        ],
      ]),
  );
  yield* more(speech, items.length, isCut);
}

function* more(speech: ReportSpeech, count: number, isCut: boolean): Iterable<ReportBlock> {
  const rest = count - MOST_ROWS;
  if (rest > 0 || isCut) yield speech.text(speech.say('moreRows', { count: isCut ? `${rest}+` : rest }));
}

function* exclusions(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { total } = gathered.indices;
  const { items = [], isCut = false } = gathered.exclusions ?? {};
  if (items.length === 0) {
    yield speech.text(speech.say('noExclusions'));
    return;
  }
  const time = speech.duration(total.excluded_s);
  yield speech.text(
    total.leq_all === null
      ? speech.say('excludedUnknown', { duration: time })
      : speech.say('excludedTotal', { duration: time, leq: namesOf(gathered).leq, level: speech.level(total.leq_all) }),
  );
  yield speech.table(
    'exclusionsTable',
    [
      speech.titled('note'),
      speech.titled('from', 'time'),
      speech.titled('to', 'time'),
      speech.titled('reason'),
      speech.titled('text'),
      speech.titled('by'),
    ],
    items
      .slice(0, MOST_ROWS)
      .map((note) => [
        ...[note.id, local(gathered, note.from), note.to === null ? speech.say('goesOn') : local(gathered, note.to)],
        ...[speech.known('note', note.reason), note.text, note.by],
      ]),
  );
  yield* more(speech, items.length, isCut);
}

function* calibration(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { from, to } = gathered.wish;
  const all = (gathered.calibrations?.items ?? []).toSorted((one, other) => at(one.time) - at(other.time));
  // Those of the period, with the last one before it and the first one after it.
  const before = all.findLastIndex(({ time }) => at(time) < at(from));
  const after = all.findIndex(({ time }) => at(time) >= at(to));
  const shown = all.slice(Math.max(0, before), after < 0 ? undefined : after + 1);
  if (shown.length === 0) {
    yield speech.text(speech.say('noCalibration'));
    return;
  }
  yield speech.table(
    'calibrationTable',
    [
      ...[
        speech.titled('time', 'time'),
        speech.titled('nominal', 'number'),
        speech.titled('before', 'number'),
        speech.titled('after', 'number'),
      ],
      ...[speech.titled('calibrator'), speech.titled('certificate'), speech.titled('by'), speech.titled('text')],
    ],
    shown.map((one) => [
      ...[local(gathered, one.time), one.nominal_db, one.before_db, one.after_db],
      ...[[one.calibrator, one.serial].filter(Boolean).join(', '), one.certificate, one.by, one.text],
    ]),
  );
}

const at = (iso: string): number => zones.instantOf(iso);

function* method({ asked, fingerprint, wish }: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  yield speech.text(speech.say('methodText'));
  yield speech.text(speech.say('methodChannel', { channel: wish.channel }));
  yield speech.text(speech.say('gateway', { version: VERSION }));
  if (fingerprint !== null) yield speech.text(speech.say('evidenceKey', { fingerprint }));
  yield speech.table(
    'queriesTable',
    [speech.titled('query'), speech.titled('sha256')],
    asked.map(({ query, sha256 }) => [query, sha256]),
  );
}

/** How each section is made. */
export const SECTIONS: Readonly<
  Record<SectionName, (gathered: Gathered, speech: ReportSpeech) => Iterable<ReportBlock>>
> = Object.freeze({
  ...{ summary, limits, days, charts, events, exclusions, calibration, weather, method },
});

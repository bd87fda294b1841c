/** The sections of a report, each made of the answers of the API alone. */
import { texts, VERSION, zones } from '../../lib/index.ts';
import type { IndexAnswer } from './answers.ts';
import {
  column,
  paragraph,
  type ReportBlock,
  type ReportCell,
  type ReportSeries,
  type SectionName,
  tableOf,
} from './document.ts';
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

/** Which of the three the periods give. */
const indexOf = ({ wish: { periods } }: Gathered): keyof typeof INDEX_TITLES =>
  periods === 'us' ? 'ldn' : periods === 'cnel' ? 'cnel' : 'lden';

const local = ({ wish: { zone } }: Gathered, iso: string): string => zones.localIso(zone, zones.instantOf(iso));

function* summary(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { config, wish, indices, assessment } = gathered;
  const { weighting, total, days } = indices;
  yield paragraph(
    speech.say('Unit {unit}, {place}. Channel: {channel}. Weighting: {weighting}.', {
      ...{ unit: config.unitId, place: config.place ?? speech.say('place not entered') },
      channel: wish.channel,
      weighting: weighting ? `${weighting.frequency}, ${weighting.time}` : speech.say('no data'),
    }),
  );
  const [level, value] = [total.leq_24h, total.mean_of_days[indexOf(gathered)]];
  const levels =
    level === null || value === null
      ? speech.say('On none of {days} days there is enough data for a level of the whole period.', {
          days: days.length,
        })
      : speech.say(
          'On {valid} of {days} days there is enough data: {leq} is {level} dB over their measured time, and {index} is {value} dB as the mean of these days.',
          {
            ...{ valid: total.days, days: days.length, leq: namesOf(gathered).leq, level: speech.level(level) },
            ...{ index: INDEX_TITLES[indexOf(gathered)], value: speech.level(value) },
          },
        );
  yield paragraph(assessment ? `${levels} ${verdictWords(speech, assessment)}` : levels);
}

function verdictWords(speech: ReportSpeech, { title, total }: NonNullable<Gathered['assessment']>): string {
  const { met, exceeded, not_assessable: unknown, no_limit: unlimited } = total;
  return unlimited > 0 && met + exceeded === 0
    ? speech.say('By {preset} no limit was given: nothing is said of met or exceeded.', { preset: speech.say(title) })
    : speech.say(
        'By {preset}, days that met the limits: {met}; days that exceeded them: {exceeded}; days that could not be assessed: {unknown}.',
        { preset: speech.say(title), met, exceeded, unknown },
      );
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
  yield tableOf(
    speech.say('Levels and indices by day'),
    [
      column(speech.say('Day'), 'date'),
      ...[...levels, names.ln(10), names.ln(90)].map((title) => column(title, 'level')),
      ...[column(speech.say('Coverage'), 'share'), column(speech.say('Valid'))],
    ],
    [
      ...all.map((day) => [day.date, ...cells(day), speech.say(day.valid ? 'yes' : 'no')]),
      [speech.say('Valid days, by measured time'), ...cells(total), ''],
      [
        speech.say('Mean of valid days'),
        ...periods.map(([name]) => mean[name]),
        mean[index],
        mean.leq_24h,
        '',
        '',
        '',
        '',
        '',
      ],
    ],
  );
  const reasons = all.flatMap(({ date, valid, reason }) =>
    valid ? [] : [speech.say('{day}: {reason}', { day: speech.date(date), reason: speech.told(reason ?? '') })],
  );
  yield paragraph(
    [speech.say('All levels in dB. The last two lines are made only of the valid days.'), ...reasons].join('\n'),
  );
  if (notes.length > 0)
    yield paragraph(speech.say('Notes on the numbers: {notes}', { notes: speech.told(notes.join(' ')) }));
}

function* charts(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { levels, wish } = gathered;
  const names = namesOf(gathered);
  const hasLevels = levels?.rows.some(([, leq, lmax]) => leq !== null || lmax !== null);
  if (!levels || !hasLevels) {
    yield paragraph(speech.say('There is nothing to draw.'));
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
      name: speech.say('Levels over time'),
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
  yield paragraph(
    [
      speech.say('{leq} (dark) and {lmax} (light) of each {step}, dB. Where there is no line there is no data.', {
        leq,
        lmax,
        step: speech.duration(levels.step_s),
      }),
      ...levels.notes.map((note) => speech.told(note)),
    ].join(' '),
  );
}

function* events(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { items: all = [], isCut = false } = gathered.events ?? {};
  // The levels of events about another channel are not those of this report.
  const items = all.filter(({ channel }) => channel === null || channel === gathered.wish.channel);
  const others = all.length - items.length;
  if (others > 0)
    yield paragraph(
      speech.say('Events about other channels of the meter, not shown: {count}.', {
        count: isCut ? `${others}+` : others,
      }),
    );
  if (items.length === 0) {
    if (others === 0) yield paragraph(speech.say('No rule saw an event in this period.'));
    return;
  }
  yield tableOf(
    speech.say('Events of rules that began in this period'),
    [
      ...[
        column(speech.say('Began'), 'time'),
        column(speech.say('Ended'), 'time'),
        column(speech.say('Rule')),
        column(speech.say('Severity')),
      ],
      ...[
        column(speech.say('Worst'), 'level'),
        column(speech.say('Limit ## of a rule'), 'level'),
        column(speech.say('Unit')),
        column(speech.say('Excluded')),
        column(speech.say('Acknowledged by')),
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
  if (rest > 0 || isCut) yield paragraph(speech.say('And {count} more.', { count: isCut ? `${rest}+` : rest }));
}

function* exclusions(gathered: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  const { total } = gathered.indices;
  const { items = [], isCut = false } = gathered.exclusions ?? {};
  if (items.length === 0) {
    yield paragraph(speech.say('Nothing is excluded.'));
    return;
  }
  const time = speech.duration(total.excluded_s);
  yield paragraph(
    total.leq_all === null
      ? speech.say('{duration} are excluded. The levels of this report are without this time.', { duration: time })
      : speech.say(
          '{duration} are excluded. The levels of this report are without this time; with it {leq} is {level} dB.',
          { duration: time, leq: namesOf(gathered).leq, level: speech.level(total.leq_all) },
        ),
  );
  yield tableOf(
    speech.say('Exclusions'),
    [
      column(speech.say('Note ## its number')),
      column(speech.say('From'), 'time'),
      column(speech.say('To'), 'time'),
      column(speech.say('Reason')),
      column(speech.say('Text')),
      column(speech.say('By')),
    ],
    items
      .slice(0, MOST_ROWS)
      .map((note) => [
        ...[note.id, local(gathered, note.from), note.to === null ? speech.say('not ended') : local(gathered, note.to)],
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
    yield paragraph(speech.say('No calibration is logged for this meter.'));
    return;
  }
  yield tableOf(
    speech.say('Checks with a calibrator'),
    [
      ...[
        column(speech.say('Time'), 'time'),
        column(speech.say('Nominal, dB'), 'number'),
        column(speech.say('Before, dB'), 'number'),
        column(speech.say('After, dB'), 'number'),
      ],
      ...[
        column(speech.say('Calibrator')),
        column(speech.say('Certificate')),
        column(speech.say('By')),
        column(speech.say('Text')),
      ],
    ],
    shown.map((one) => [
      ...[local(gathered, one.time), one.nominal_db, one.before_db, one.after_db],
      ...[[one.calibrator, one.serial].filter(Boolean).join(', '), one.certificate, one.by, one.text],
    ]),
  );
}

const at = (iso: string): number => zones.instantOf(iso);

function* method({ asked, fingerprint, wish }: Gathered, speech: ReportSpeech): Iterable<ReportBlock> {
  yield paragraph(
    speech.say(
      'Leq are energy means over the time with data; what is missing is not filled in. LN is the level that is exceeded N % of the time. Excluded time counts as not measured. A day is valid when each of its periods has data for at least 75 % of its time.',
    ),
  );
  yield paragraph(
    speech.say('All levels, indices and verdicts are of the channel {channel} of the meter.', {
      channel: wish.channel,
    }),
  );
  yield paragraph(
    speech.say(
      'Made by Sound Level Meter Gateway {version} of the answers below. SHA-256 is that of "data" as compact JSON.',
      { version: VERSION },
    ),
  );
  if (fingerprint !== null)
    yield paragraph(speech.say('Key of this gateway for packages of evidence: {fingerprint}.', { fingerprint }));
  yield tableOf(
    speech.say('Queries'),
    [column(speech.say('Query')), column(speech.say('SHA-256'))],
    asked.map(({ query, sha256 }) => [query, sha256]),
  );
}

/** The titles of the sections, where a template has none. */
export const SECTION_TITLES: Readonly<Record<SectionName, string>> = texts({
  summary: 'Summary',
  limits: 'Limits ## of a standard',
  days: 'Days',
  charts: 'Levels over time',
  events: 'Events',
  exclusions: 'Time that does not count',
  calibration: 'Calibration',
  weather: 'Weather',
  method: 'How the numbers are made',
});

/** How each section is made. */
export const SECTIONS: Readonly<
  Record<SectionName, (gathered: Gathered, speech: ReportSpeech) => Iterable<ReportBlock>>
> = Object.freeze({
  ...{ summary, limits, days, charts, events, exclusions, calibration, weather, method },
});

/** The sections that a report about one unit has besides: the meter, the levels of the whole period, what is above a limit, and what is left out. */
import { indices, quantities, tables, zones } from '../../lib/built-in.ts';
import { type DeviceConfig, type HistoryRow, texts } from '../../lib/index.ts';
import { headings, paragraph, type ReportBlock, type ReportCell, tableOf } from './document.ts';
import type { Gathered, UnitFacts } from './gathered.ts';
import { andMore } from './lists.ts';
import { PERCENTILES } from './unit-facts.ts';
import { namesOf, type ReportWords } from './words.ts';

const MOST_LISTED = 100;
const TIME_WEIGHTINGS = texts({ F: 'F (fast)', S: 'S (slow)', I: 'I (impulse)' });
const QUALITIES = texts({
  measured: 'measured',
  partial: 'partial ## quality of levels',
  sampled: 'sampled ## quality of levels',
  mixed: 'mixed ## quality of levels',
  flagged: 'flagged ## quality of levels',
  none: 'none ## quality of levels',
});
const SOURCES = texts({
  card: 'card of the meter',
  stream: 'stream of the meter',
  poll: 'single readings',
  import: 'import',
});
const FLAGS = texts({
  over: '{duration} above the range of the meter. They are part of the levels.',
  under: '{duration} below the range of the meter. They are part of the levels.',
  frozen: '{duration} with levels that did not change. They are part of the levels.',
  implausible: '{duration} with impossible values. They are part of the levels.',
  weighting:
    '{duration} with a weighting that may be another one: it was changed at the meter, at an unknown time. They are part of the levels.',
});

const utcText = (ms: number): string => new Date(ms).toISOString();
/** Of s since 1970 UTC. */
const local = (words: ReportWords, at: number): string => words.moment(utcText(at * 1_000));
const isBounded = ({ bounds }: HistoryRow): boolean => quantities.EXTREMES.some((name) => bounds[name] !== null);
/** `≤ 110.0` where it cannot be placed. */
const extreme = ({ bounds, ...row }: HistoryRow, name: quantities.ExtremeQuantity, words: ReportWords): ReportCell => {
  const bound = bounds[name];
  return bound ? `${name === 'lmin' ? '≥' : '≤'} ${words.level(bound.level)}` : row[name];
};

export function* meter({ config, fingerprint, own, wish }: Gathered, words: ReportWords): Iterable<ReportBlock> {
  if (!own) return;
  const { say } = words;
  const { identity, weighting, provisional } = own;
  const { from, to, channel, written } = wish;
  const unknown = say('not known');
  const length = words.duration((zones.instantOf(to) - zones.instantOf(from)) / 1_000);
  const rows: ReportCell[][] = [
    [say('Unit'), config.name ? `${config.name} (${config.unitId})` : config.unitId],
    [say('Place ## of a measurement'), config.place ?? say('not entered')],
    [say('Position'), position(config) ?? say('not entered')],
    [say('Meter'), identity.type ?? unknown],
    [say('Serial number'), identity.serial ?? unknown],
    [say('Channel'), channel],
    [say('Weighting'), weighting ? `${weighting.frequency}, ${say(TIME_WEIGHTINGS[weighting.time])}` : say('no data')],
    ...(written === undefined ? [] : [[say('Clock of the meter'), clockText(own, words)]]),
    [
      say('Levels'),
      provisional === null
        ? say('final')
        : say(
            'provisional from {time} on: the card of the meter has not been read as far, and its levels may take the place of those seen live',
            { time: local(words, provisional) },
          ),
    ],
    [say('Period'), say('{period}, {duration}', { period: words.period(from, to), duration: length })],
    [say('Evidence key'), fingerprint ?? unknown],
    ...(written === undefined ? [] : [[say('Written'), written]]),
  ];
  yield tableOf(say('Place and meter'), headings('text', say('Name'), say('Value')), rows);
}

const position = ({ latitude, longitude }: DeviceConfig): string | undefined =>
  latitude === null || longitude === null ? undefined : `${latitude}, ${longitude} (WGS 84)`;

function clockText({ clock }: UnitFacts, { say, level, moment }: ReportWords): string {
  if (!clock) return say('not compared; the times of this report are those of the gateway');
  const values = { seconds: level(Math.abs(clock.offsetMs) / 1_000), time: moment(utcText(clock.at)) };
  return clock.offsetMs < 0
    ? say('{seconds} s behind the gateway at {time}; the times of this report are those of the gateway', values)
    : say('{seconds} s ahead of the gateway at {time}; the times of this report are those of the gateway', values);
}

export function* levels(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { own } = gathered;
  if (!own) return;
  const { say } = words;
  const { whole } = own;
  if (!whole || (whole.measured === 0 && whole.readings === 0)) {
    yield paragraph(say('There is no data in this period.'));
    return;
  }
  const names = namesOf(gathered);
  const cells: readonly (readonly [name: string, value: ReportCell])[] = [
    [names.leq, whole.leq],
    [names.lmax, extreme(whole, 'lmax', words)],
    [names.lmin, extreme(whole, 'lmin', words)],
    ['Lpeak', extreme(whole, 'lpeak', words)],
    ...PERCENTILES.map((n, index) => [names.ln(n), whole.ln[index] ?? null] as const),
  ];
  yield tableOf(say('Levels of the whole period'), headings('level', ...cells.map(([name]) => name)), [
    cells.map(([, value]) => value),
  ]);
  const { lmaxAt, measured } = whole;
  const length = whole.to - whole.from;
  yield paragraph(
    [
      say(
        'All levels in dB. Coverage {share}: {measured} of {whole} have data. Quality: {quality}. Source: {sources}.',
        {
          share: words.share(indices.coverageOf(measured, length)),
          measured: words.duration(measured),
          whole: words.duration(length),
          quality: say(QUALITIES[tables.qualityOfRow(whole)]),
          sources: whole.sources.map((source) => say(SOURCES[source])).join(', ') || '-',
        },
      ),
      ...(lmaxAt === null
        ? []
        : [say('{lmax} was reached at {time}.', { lmax: names.lmax, time: local(words, lmaxAt) })]),
      ...boundText(isBounded(whole), words),
    ].join(' '),
  );
}

const boundText = (isShown: boolean, { say }: ReportWords): readonly string[] =>
  isShown
    ? [
        say(
          '≤ and ≥ are bounds: a row of the meter or of an import reaches over the end of the interval, and its maximum may lie beside it.',
        ),
      ]
    : [];

export function* exceedances(gathered: Gathered, words: ReportWords): Iterable<ReportBlock> {
  const { own, wish } = gathered;
  const { limit, zone } = wish;
  if (!own || !limit) return;
  const { say } = words;
  const names = namesOf(gathered);
  const over = own.limited.filter(({ leq }) => leq !== null && indices.isAbove(leq, limit.db));
  yield paragraph(
    say(
      '{leq} is above {limit} dB in {over} of {all} intervals of {step}. {silent} of them have no data and say nothing.',
      {
        leq: names.leq,
        limit: words.plain(limit.db),
        over: over.length,
        all: own.limited.length,
        step: words.duration(tables.STEPS[limit.step]),
        silent: own.limited.filter(({ leq }) => leq === null).length,
      },
    ),
  );
  if (over.length === 0) return;
  const columns = [
    ...headings('time', say('From')),
    ...headings('level', names.leq, names.lmax),
    ...headings('share', say('Coverage')),
    ...headings('text', say('Quality')),
  ];
  const rows = over
    .slice(0, MOST_LISTED)
    .map((row) => [
      zones.localIso(zone, row.from * 1_000),
      row.leq,
      extreme(row, 'lmax', words),
      indices.coverageOf(row.measured, row.to - row.from),
      say(QUALITIES[tables.qualityOfRow(row)]),
    ]);
  yield tableOf(say('Intervals above the limit'), columns, rows);
  for (const text of boundText(over.some(isBounded), words)) yield paragraph(text);
  yield* andMore(words, over.length - MOST_LISTED);
}

export function* whatIsLeftOut({ indices: { days }, own, wish }: Gathered, words: ReportWords): Iterable<ReportBlock> {
  if (!own) return;
  const { say } = words;
  const { gaps, otherWeightings, whole } = own;
  const at = (seconds: number) => local(words, seconds);
  const invalid = days.filter(({ valid }) => !valid).slice(0, MOST_LISTED);
  const lines = [
    ...invalid.map(({ date }) => say('{day} is not part of the total.', { day: words.date(date) })),
    ...(wish.isCut
      ? [
          say('The time from {time} on was still to come when this was written. It counts as missing nowhere.', {
            time: at(zones.instantOf(wish.to) / 1_000),
          }),
        ]
      : []),
    ...gaps.slice(0, MOST_LISTED).map(({ from, to }) =>
      say('No data from {from} to {to} ({duration}).', {
        from: at(from),
        to: at(to),
        duration: words.duration(to - from),
      }),
    ),
    ...(gaps.length > MOST_LISTED ? [say('Further gaps: {count}.', { count: gaps.length - MOST_LISTED })] : []),
    ...(Object.keys(FLAGS) as (keyof typeof FLAGS)[]).flatMap((flag) => {
      const seconds = whole?.flagged[flag] ?? 0;
      return seconds > 0 ? [say(FLAGS[flag], { duration: words.duration(seconds) })] : [];
    }),
    ...otherWeightings.map(({ frequency, time }) =>
      say('Levels with the weighting {weighting} are left out: weightings are not mixed.', {
        weighting: `${frequency}, ${say(TIME_WEIGHTINGS[time])}`,
      }),
    ),
  ];
  yield paragraph(lines.length > 0 ? lines.join('\n') : say('Nothing.'));
}

export function* rowsText({ rows, rowsAddress, rowsHash, step }: UnitFacts, words: ReportWords): Iterable<ReportBlock> {
  const { say } = words;
  yield paragraph(
    say(
      'Percentile levels are of samples every 100 ms. Indices weight the mean level of each period by its real hours. Intervals begin at full steps of the local clock. A row of the meter that reaches over several periods counts in none of them. A maximum that may lie on either side of the end of an interval is given as a bound of both, never as a lower number.',
    ),
  );
  yield paragraph(
    [
      say('The chart is made of {count} rows of {step}. They can be fetched from the gateway at', {
        count: rows.length,
        step: words.duration(tables.STEPS[step]),
      }),
      rowsAddress,
      say('SHA-256 of that file:'),
      rowsHash,
    ].join('\n'),
  );
}

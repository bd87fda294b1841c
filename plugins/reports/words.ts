/** Every word of a report that the gateway writes, in one place. `{name}` is filled in. */

/** In English. */
export const REPORT_WORDS = Object.freeze({
  title: 'Noise report: {units}',
  period: '{from} to {to}, times of {zone}',
  remarks: 'Remarks',
  page: '{page} of {pages}',
  unprintable: 'Not printable with the fonts of this document, and shown as "?": {characters}.',

  summary: 'Summary',
  unit: 'Unit {unit}, {place}. Weighting: {weighting}.',
  noPlace: 'place not entered',
  noWeighting: 'no data',
  summaryLevels:
    'On {valid} of {days} days there is enough data: {leq} is {level} dB over their measured time, and {index} is {value} dB as the mean of these days.',
  summaryNothing: 'On none of {days} days there is enough data for a level of the whole period.',
  summaryMet: 'By {preset}, {met} days met the limits, {exceeded} exceeded them, and {unknown} could not be assessed.',
  summaryNoLimit: 'By {preset} no limit was given: nothing is said of met or exceeded.',

  limits: 'Limits',
  limitsTable: 'Figures of the whole period',
  limitsDays: 'Figures of each day',
  figure: 'Figure',
  mean: 'Mean, dB',
  error: 'Standard error, dB',
  highest: 'Highest, dB',
  highestOn: 'On',
  limit: 'Limit, dB',
  countedDays: 'Days',
  leftOutDays: 'Days left out',
  day: 'Day',
  value: 'Value, dB',
  margin: 'Margin, dB',
  verdict: 'Verdict',
  reasons: 'Why not assessable',
  met: 'met',
  exceeded: 'exceeded',
  not_assessable: 'not assessable',
  no_limit: 'no limit',
  noFigures: 'There is no day in this period.',
  notAssessable: 'Not assessable: {days}.',
  presetSource: '{title} ({preset}). {source}',

  days: 'Days',
  daysTable: 'Levels and indices by day',
  coverage: 'Coverage',
  valid: 'Valid',
  yes: 'yes',
  no: 'no',
  measuredTime: 'Valid days, by measured time',
  meanOfDays: 'Mean of valid days',
  dayReason: '{day}: {reason}',
  daysNote: 'All levels in dB. The last two lines are made only of the valid days.',

  charts: 'Levels over time',
  chartNote: '{leq} (dark) and {lmax} (light) of each {step}, dB. Where there is no line there is no data.',
  chartEmpty: 'There is nothing to draw.',

  events: 'Events',
  eventsTable: 'Events of rules that began in this period',
  noEvents: 'No rule saw an event in this period.',
  began: 'Began',
  ended: 'Ended',
  open: 'open',
  rule: 'Rule',
  severity: 'Severity',
  worst: 'Worst',
  eventLimit: 'Limit',
  eventUnit: 'Unit',
  acknowledged: 'Acknowledged by',
  moreRows: 'And {count} more.',

  exclusions: 'Time that does not count',
  exclusionsTable: 'Exclusions',
  noExclusions: 'Nothing is excluded.',
  excludedTotal:
    '{duration} are excluded. The levels of this report are without this time; with it {leq} is {level} dB.',
  excludedUnknown: '{duration} are excluded. The levels of this report are without this time.',
  note: 'Note',
  from: 'From',
  to: 'To',
  goesOn: 'not ended',
  reason: 'Reason',
  text: 'Text',
  by: 'By',

  calibration: 'Calibration',
  calibrationTable: 'Checks with a calibrator',
  noCalibration: 'No calibration is logged for this meter.',
  time: 'Time',
  nominal: 'Nominal, dB',
  before: 'Before, dB',
  after: 'After, dB',
  calibrator: 'Calibrator',
  certificate: 'Certificate',

  method: 'How the numbers are made',
  methodText:
    'Leq are energy means over the time with data; what is missing is not filled in. LN is the level that is exceeded N % of the time. Excluded time counts as not measured. A day is valid when each of its periods has data for at least 75 % of its time.',
  gateway:
    'Made by Sound Level Meter Gateway {version} of the answers below. SHA-256 is that of "data" as compact JSON.',
  evidenceKey: 'Key of this gateway for packages of evidence: {fingerprint}.',
  queriesTable: 'Queries',
  query: 'Query',
  sha256: 'SHA-256',
  remarkNotes: 'Notes on the numbers: {notes}',
} as const);

/** One of them. */
export type ReportWord = keyof typeof REPORT_WORDS;

/** Fills in. */
export const say = (word: ReportWord, values: Readonly<Record<string, string | number>> = {}): string =>
  REPORT_WORDS[word].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

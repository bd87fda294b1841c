/**
 * The command list of the NL-43/53 with the NX-43EX option: name, whether it may be set and requested, its values, the
 * value after power-on, and the evidence for each. Data only. Spelling and set/request follow the command list of guide
 * 66132 unless the evidence says otherwise.
 */

/**
 * How well a fact about the meter is known, best first. `docs/protocol.md` explains each grade and names the sources.
 *
 * - `captured`: seen in bytes or results of a real NL-43
 * - `manual`: documented in a Rion manual of this command family
 * - `second-hand`: from a summary of guide 66132; right in most places
 * - `code`: seen in working code that talks to a real meter, the bytes themselves were not seen
 * - `inferred`: concluded, the source says from what
 * - `unknown`: a guess among several plausible behaviours; the simulator offers all of them
 */
export type Grade = 'captured' | 'manual' | 'second-hand' | 'code' | 'inferred' | 'unknown';

export interface Evidence {
  readonly grade: Grade;
  readonly source: string;
}

/** `source`: as `docs/protocol.md` names it. */
export const evidence = (grade: Grade, source: string): Evidence => Object.freeze({ grade, source });

/** Value after the comma of a setting, and alone on the data line of a reply. */
export type CommandValues =
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | {
      readonly kind: 'integer';
      readonly min: number;
      readonly max: number;
      readonly digits?: number;
      /** A reply may have decimals; nobody has seen a decimal. */
      readonly decimals?: true;
    }
  | { readonly kind: 'clock' }
  | { readonly kind: 'timer' }
  | { readonly kind: 'address' }
  | { readonly kind: 'text' }
  | { readonly kind: 'data' };

export interface CommandFact {
  readonly name: string;
  readonly set: boolean;
  readonly request: boolean;
  readonly values: CommandValues;
  /** The value after the meter left the factory; absent if the reply is computed. */
  readonly initial?: string;
  /** Refused with R+0004 while a measurement runs (sheet section 4, inferred unless the evidence says otherwise). */
  readonly stoppedOnly?: true;
  /** An option that a plain meter with NX-43EX does not have. */
  readonly option?: 'NX-43RT' | 'NX-43WR';
  /** Would cut its own connection; the gateway never sends it. */
  readonly cutsBranch?: true;
  readonly evidence: Evidence;
}

const word = (...words: string[]): CommandValues => Object.freeze({ kind: 'word', words: Object.freeze(words) });
const integer = (min: number, max: number, digits?: number): CommandValues =>
  Object.freeze({ kind: 'integer', min, max, ...(digits ? { digits } : {}) });
const megabytes: CommandValues = Object.freeze({ kind: 'integer', min: 0, max: 9_999_999, decimals: true });
const ON_OFF = word('On', 'Off');
const MEASUREMENT_PRESETS = word('10s', '1m', '5m', '10m', '15m', '30m', '1h', '8h', '24h', 'Manual');
const INTERVAL_PRESETS = word('Off', '10s', '1m', '5m', '10m', '15m', '30m', '1h', '8h', '24h', 'Manual');
const TIME_UNITS = word('s', 'm', 'h');
const TIME_NUMBER = integer(1, 1_000);
const FREQUENCY_WEIGHTINGS = word('A', 'C', 'Z');
const TIME_WEIGHTINGS = word('F', 'S', 'I');

const LIST = 'command list of guide 66132';
const field = (what: string): Evidence => evidence('captured', what);
const listed = (page: number, note = ''): Evidence =>
  evidence('second-hand', `${LIST} p.${page}${note && `; ${note}`}`);

const setting = (
  name: string,
  values: CommandValues,
  initial: string,
  known: Evidence,
  more: Partial<CommandFact> = {},
) => Object.freeze({ name, set: true, request: true, values, initial, evidence: known, ...more }) satisfies CommandFact;
const action = (name: string, values: CommandValues, known: Evidence, more: Partial<CommandFact> = {}) =>
  Object.freeze({ name, set: true, request: false, values, evidence: known, ...more }) satisfies CommandFact;
const reading = (name: string, values: CommandValues, known: Evidence, more: Partial<CommandFact> = {}) =>
  Object.freeze({ name, set: false, request: true, values, evidence: known, ...more }) satisfies CommandFact;

/** A setting that a measuring meter refuses. */
const whileStopped = (name: string, values: CommandValues, initial: string, known: Evidence) =>
  setting(name, values, initial, known, { stoppedOnly: true });
const cutsBranch = { cutsBranch: true } as const;

const measurement: readonly CommandFact[] = [
  setting('Measure', word('Start', 'Stop'), 'Stop', field('log; the words of the reply: code')),
  setting('Pause', ON_OFF, 'Off', listed(59, 'never in the log')),
  action(
    'Reset',
    word(),
    evidence('unknown', 'sent by a public gateway, not in the list: a listed meter answers R+0001'),
  ),
  action('Manual Store', word('Start'), field('log')),
  whileStopped('Store Mode', word('Manual', 'Auto', 'Timer Auto'), 'Manual', listed(58)),
  whileStopped('Store Name', integer(0, 9_999, 4), '0001', evidence('code', `${LIST} p.58; four digits inferred`)),
  whileStopped('Manual Address', integer(1, 1_000), '1', evidence('inferred', `${LIST} p.58; range of the NL-42`)),
  reading('Overwrite', word('None', 'Exist'), evidence('code', `${LIST} p.59; words from a public gateway`)),
  whileStopped('Index Number', integer(0, 9_999, 4), '0001', listed(40, 'request accepted in the log')),
];

const weightings: readonly CommandFact[] = [
  whileStopped('Frequency Weighting (Main)', FREQUENCY_WEIGHTINGS, 'A', field('log')),
  whileStopped('Frequency Weighting (Sub1)', FREQUENCY_WEIGHTINGS, 'C', listed(53)),
  whileStopped('Frequency Weighting (Sub2)', FREQUENCY_WEIGHTINGS, 'Z', listed(53)),
  whileStopped('Frequency Weighting (Sub3)', FREQUENCY_WEIGHTINGS, 'A', listed(53)),
  setting('Frequency Weighting (Band)', FREQUENCY_WEIGHTINGS, 'Z', listed(53), { option: 'NX-43RT' }),
  setting('Frequency Weighting (Wave)', FREQUENCY_WEIGHTINGS, 'Z', listed(53), { option: 'NX-43WR' }),
  whileStopped('Time Weighting (Main)', TIME_WEIGHTINGS, 'F', field('log')),
  whileStopped('Time Weighting (Sub1)', TIME_WEIGHTINGS, 'F', listed(54)),
  whileStopped('Time Weighting (Sub2)', TIME_WEIGHTINGS, 'F', listed(54)),
  whileStopped('Time Weighting (Sub3)', TIME_WEIGHTINGS, 'S', listed(54)),
  whileStopped('Display Sub Channel 1', ON_OFF, 'Off', evidence('unknown', `${LIST} p.49; spelling uncertain`)),
  whileStopped('Display Sub Channel 2', ON_OFF, 'Off', evidence('unknown', `${LIST} p.49; spelling uncertain`)),
  whileStopped('Display Sub Channel 3', ON_OFF, 'Off', evidence('unknown', `${LIST} p.49; spelling uncertain`)),
];

const UNIT_GUESS = evidence('unknown', `${LIST} p.60-63; number range and unit words inferred`);

const timing: readonly CommandFact[] = [
  whileStopped('Measurement Time Preset Manual', MEASUREMENT_PRESETS, '10m', field('log; words: code')),
  whileStopped('Measurement Time Manual (Num)', TIME_NUMBER, '1', UNIT_GUESS),
  whileStopped('Measurement Time Manual (Unit)', TIME_UNITS, 'm', UNIT_GUESS),
  whileStopped('Measurement Time Preset Auto', MEASUREMENT_PRESETS, '24h', listed(61)),
  whileStopped('Measurement Time Auto (Num)', TIME_NUMBER, '1', UNIT_GUESS),
  whileStopped('Measurement Time Auto (Unit)', TIME_UNITS, 'h', UNIT_GUESS),
  whileStopped('Leq Calculation Interval Preset', INTERVAL_PRESETS, '10m', field('log; words: code')),
  whileStopped('Leq Calculation Interval (Num)', TIME_NUMBER, '1', UNIT_GUESS),
  whileStopped('Leq Calculation Interval (Unit)', TIME_UNITS, 'm', UNIT_GUESS),
  whileStopped(
    'Lp Store Interval',
    word('Off', '10ms', '25ms', '100ms', '200ms', '1s'),
    '100ms',
    field('log; words: code and inferred'),
  ),
  whileStopped('Store Delay Time', integer(0, 10), '0', listed(63, 'range inferred')),
  whileStopped(
    'Back Erase',
    word('Off', '1', '3', '5', '10'),
    'Off',
    listed(63, 'values inferred; what it erases over TCP is unknown'),
  ),
  whileStopped('Timer Auto Start Time', { kind: 'timer' }, '2025/01/01 00:00:00', evidence('manual', 'VM p.166')),
  whileStopped('Timer Auto Stop Time', { kind: 'timer' }, '2025/01/01 00:00:00', evidence('manual', 'VM p.166')),
  whileStopped(
    'Timer Auto Interval',
    word('Off', '5m', '10m', '15m', '30m', '1h', '8h', '24h'),
    'Off',
    evidence('manual', 'VM'),
  ),
  whileStopped('Moving Leq Interval Preset', INTERVAL_PRESETS, '10m', listed(67)),
  whileStopped('Moving Leq Interval (Num)', TIME_NUMBER, '1', UNIT_GUESS),
  whileStopped('Moving Leq Interval (Unit)', TIME_UNITS, 'm', UNIT_GUESS),
  whileStopped('TRM', word('Main', 'Sub1', 'Sub2', 'Sub3'), 'Main', listed(68, 'values inferred')),
  ...['5', '10', '50', '90', '95'].map((percent, slot) =>
    whileStopped(`Percentile ${slot + 1}`, integer(1, 99), percent, listed(69, 'factory values: manual')),
  ),
];

const system: readonly CommandFact[] = [
  setting('Clock', { kind: 'clock' }, '2025/12/24 02:10:55', field('log: one space between date and time')),
  reading('Type', { kind: 'text' }, listed(39)),
  reading('Serial Number', integer(0, 99_999_999, 8), listed(39)),
  reading('System Version', { kind: 'text' }, evidence('unknown', `${LIST} p.39; form of the reply not seen`)),
  setting('Echo', ON_OFF, 'Off', listed(39, 'position of the echo inferred')),
  setting('Battery Type', word('Alkaline', 'NiMH'), 'Alkaline', listed(42)),
  reading(
    'Battery Level',
    word('Full', 'Middle', 'Low', 'Dead', 'Empty'),
    field('log: Full seen three times; the other words are unknown'),
  ),
  reading('SD Card Total Size', megabytes, evidence('unknown', `${LIST} p.43; MB, form not seen`)),
  reading('SD Card Free Size', megabytes, evidence('unknown', `${LIST} p.43; MB, form not seen`)),
  reading('SD Card Percentage', integer(0, 100), evidence('unknown', `${LIST} p.43; form not seen`)),
  setting('Key Lock', ON_OFF, 'Off', listed(41, 'page inferred')),
  setting('Backlight', ON_OFF, 'Off', listed(41, 'page inferred')),
  setting('Backlight Auto Off', word('Off', '30s', '1m', '3m', '5m'), '30s', listed(41, 'values inferred')),
  setting('Backlight Brightness', integer(1, 4), '2', listed(41, 'range inferred')),
  setting('LCD', ON_OFF, 'On', listed(41, 'page inferred')),
  setting('LCD Auto Off', word('Off', '1m', '5m', '10m', '30m', '1h'), 'Off', listed(41, 'values inferred')),
  setting('Language', word('English', 'Japanese'), 'English', listed(41, 'values inferred')),
  setting('Sleep Mode', ON_OFF, 'Off', field('log: set On, set Off, request')),
  setting('USB Class', word('Off', 'CDC', 'CDC/MSC'), 'Off', listed(83), cutsBranch),
  setting('Ethernet', ON_OFF, 'On', listed(84), cutsBranch),
  setting('Ethernet DHCP', ON_OFF, 'Off', listed(84), cutsBranch),
  setting('Ethernet IP', { kind: 'address' }, '192.168.0.10', listed(84), cutsBranch),
  setting('Ethernet Subnet', { kind: 'address' }, '255.255.255.0', listed(84), cutsBranch),
  setting('Ethernet Gateway', { kind: 'address' }, '192.168.0.1', listed(85), cutsBranch),
  setting('Web', ON_OFF, 'Off', listed(85), cutsBranch),
  setting('FTP', ON_OFF, 'Off', field('log')),
  setting('TCP', ON_OFF, 'On', listed(86), cutsBranch),
];

const data: readonly CommandFact[] = [
  reading('DOD', { kind: 'data' }, field('log and stored lines')),
  reading('DLC', { kind: 'data' }, field('log')),
  reading('DRD', { kind: 'data' }, field('stored frames')),
];

/** Every command of the meter, plus `Reset`, which public code sends and no list has. */
export const COMMANDS: readonly CommandFact[] = Object.freeze([
  ...measurement,
  ...weightings,
  ...timing,
  ...system,
  ...data,
]);

/** `DRD?status` is the only request with text after its question mark. Second-hand. */
export const DRD_STATUS_REQUEST = 'DRD?status';

/**
 * Everything about the meter that is inferred or unknown, each as one switch: its possible values, its default, and how far
 * that is known. Data only; `profile.ts` checks and combines them. Captured behaviour is a switch only where another device,
 * another link or another reading of the capture may differ. All other captured behaviour is plain code.
 */
import { type Evidence, evidence } from '../lib/drivers/nl43/spec/commands.ts';

export type BehaviourSwitch =
  | {
      readonly kind: 'choice';
      readonly default: string | boolean;
      readonly choices: readonly (string | boolean)[];
      readonly evidence: Evidence;
      readonly others: Readonly<Record<string, Evidence>>;
    }
  | {
      readonly kind: 'amount';
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly evidence: Evidence;
    }
  /** From ... to, drawn evenly each time. */
  | {
      readonly kind: 'span';
      readonly default: readonly [number, number];
      readonly min: number;
      readonly max: number;
      readonly evidence: Evidence;
    };

const choice = <const C extends readonly (string | boolean)[]>(
  choices: C,
  fallback: C[number],
  grade: Evidence['grade'],
  source: string,
  others: Readonly<Record<string, Evidence>> = {},
) => Object.freeze({ kind: 'choice', default: fallback, choices, evidence: evidence(grade, source), others } as const);

const amount = (fallback: number, max: number, grade: Evidence['grade'], source: string) =>
  Object.freeze({ kind: 'amount', default: fallback, min: 0, max, evidence: evidence(grade, source) } as const);

const span = (from: number, to: number, grade: Evidence['grade'], source: string) =>
  Object.freeze({
    kind: 'span',
    default: [from, to] as readonly [number, number],
    min: 0,
    max: 60_000,
    evidence: evidence(grade, source),
  } as const);

const framing = {
  prompt_after_reply: choice([true, false], true, 'code', 'sure on serial; over LAN a public client cuts it off'),
  prompt_on_connect: choice([false, true], false, 'unknown', 'no program that reads the meter shows it'),
  prompt_before_frames: choice(
    [false, true],
    false,
    'unknown',
    'a prompt between the result of DRD? and its first frame',
  ),
  prompt_space: choice([false, true], false, 'inferred', 'a space after the prompt; no evidence of one'),
  prompt_delay_ms: amount(0, 10_000, 'inferred', 'the prompt comes in a segment of its own, this much later'),
  data_delay_ms: amount(0, 3_000, 'manual', 'VM p.150: the meter finishes its answer within 3 s'),
  echo_at_first: choice(['Off', 'On'], 'Off', 'code', 'Off in everything seen working'),
} as const;

const hearing = {
  spaces_after_comma: choice(['any', 'none'], 'any', 'manual', 'VM p.152: may be left out; public code sends one'),
  line_feed_only: choice(
    ['ends the line', 'refused'],
    'ends the line',
    'code',
    'two families of public writers end their commands with LF only and are answered',
    { refused: evidence('manual', 'the manuals have CR LF at the end of every command') },
  ),
  empty_line: choice(
    ['prompt', 'R+0001', 'ignored'],
    'prompt',
    'code',
    'a public writer sends an empty LF to see whether the meter is ready, and ends commands with CR LF LF; what it reads is not known',
  ),
  busy_input: choice(['refused', 'swallowed', 'queued'], 'refused', 'manual', 'VM p.150: R+0004 while busy', {
    swallowed: evidence('manual', 'VM p.139: without a prompt input is not taken'),
    queued: evidence('code', 'a public client sends Measure,Start and DOD? at once and reads the third line'),
  }),
  sub_outside_stream: choice(['ignored', 'prompt'], 'ignored', 'unknown', 'only defined for DRD'),
  stream_input: choice(
    ['ignored', 'refused'],
    'ignored',
    'inferred',
    'commands other than SUB in a stream: not defined',
  ),
} as const;

const timing = {
  think_query_ms: span(0, 20, 'inferred', 'field log: round trips less the time of the link'),
  think_start_ms: span(0, 40, 'inferred', 'field log, 14 starts'),
  slow_start_percent: amount(7, 100, 'inferred', 'field log: one start of 14 took 0.5 s longer'),
  think_stop_ms: span(80, 100, 'inferred', 'field log, 10 stops'),
  think_store_ms: span(280, 320, 'inferred', 'field log, one manual store'),
  link_ms: span(
    0,
    0,
    'captured',
    'round trip of the link, for commands and FTP; 80 ms on the LTE modem of the field log',
  ),
  frames_bunched: amount(1, 50, 'inferred', 'frames that a cellular link delivers together'),
  late_frames: amount(0, 20, 'code', 'frames on their way when SUB arrives; a public client drains them'),
  start_visible_ms: amount(0, 1_500, 'code', 'a public client asks Measure? up to 3 times, 0.5 s apart'),
  display_refresh_ms: amount(1_000, 1_000, 'captured', 'NL-42: calculated values lag Lp by up to a second'),
} as const;

const connection = {
  second_connection: choice(['hang', 'refuse'], 'hang', 'captured', 'field log: no answer, no reset'),
  held_connection: choice(
    ['forgotten', 'served'],
    'forgotten',
    'inferred',
    'field log: one held at the close timed out',
  ),
  early_connection: choice(
    ['served', 'forgotten'],
    'served',
    'unknown',
    'one that is begun after a close but before the place is free: served when it is, or never; the field log has none before 0.7 s',
  ),
  slot_free_delay_ms: amount(
    0,
    60_000,
    'captured',
    'field log, LTE: 41 connections begun 0.7 to 4.5 s after a close were served; on a LAN free at once (code)',
  ),
  sleep_when: choice(
    ['idle', 'between timer measurements'],
    'idle',
    'captured',
    'field log: set On while stopped, silent by the next contact 38 min later (a failing modem is not excluded); the guide summary has sleep only between timer measurements',
  ),
  sleep_after_ms: amount(600_000, 3_600_000, 'inferred', 'field log: more than 33 s, less than 38 min; 0 is never'),
  ftp_start_delay_ms: amount(
    1_500,
    10_000,
    'captured',
    'field log, LTE: a first login about 3 s after FTP,On was served; how much sooner it would be is unknown',
  ),
} as const;

const answers = {
  ftp_rest: choice(['refused', 'done'], 'refused', 'unknown', 'REST before RETR: no client was seen to use it'),
  absent_option: choice(['R+0003', 'R+0001', 'R+0004'], 'R+0003', 'unknown', 'command of an option not installed'),
  reset: choice(['R+0001', 'restarts'], 'R+0001', 'inferred', 'not in the command list, yet sent by public code'),
  settings_while_measuring: choice(['refused', 'done'], 'refused', 'inferred', 'guide: stop before changing settings'),
  clock_while_measuring: choice(['refused', 'done'], 'refused', 'unknown', 'only bad values were ever tried'),
  overwrite_while_measuring: choice(['done', 'refused'], 'done', 'unknown', ''),
  sleep_off_while_measuring: choice(['done', 'refused'], 'done', 'unknown', ''),
  start_while_measuring: choice(
    ['refused', 'done'],
    'refused',
    'inferred',
    'untested in the field; done clears and restarts',
  ),
  pause_repeated: choice(['done', 'refused'], 'done', 'inferred', 'Pause,On in pause, Pause,Off while measuring'),
  measure_in_pause: choice(['Start', 'Stop'], 'Start', 'inferred', 'a pause is part of a measurement'),
  result_before_first: choice(['missing', 'refused'], 'missing', 'inferred', 'DLC? before the first result'),
  percentile_class: choice(
    ['rounded', 'outer edges', 'nearest', 'lower edge', 'upper edge'],
    'rounded',
    'inferred',
    'a captured 10 s result has LN1 0.1 dB above Lmax and LN5 0.1 dB below Lmin; a result of 3 s has L90 = L95 = Lmin. Both are frequent when levels are counted in tenths, rounded as on the display: L5 is the edge above its class, L95 the edge below',
    { 'outer edges': evidence('inferred', 'classes that begin at whole tenths give both too, but seldom') },
  ),
  additional_values: choice(
    ['off', 'on'],
    'off',
    'captured',
    'LIeq, Leq,mov, Ltm5 are missing in every stored line; the same for the card is inferred',
  ),
  auto_stream_interval: choice(
    ['100ms', 'any'],
    '100ms',
    'manual',
    'NL-42 p.61: DRD in Auto needs Lp store interval 100ms',
  ),
  status_tail: choice(
    ['time first', 'state first'],
    'time first',
    'second-hand',
    'order of the five last fields of DRD?status',
  ),
  user_time_words: choice(
    ['letters and words', 'letters', 'refused'],
    'letters and words',
    'unknown',
    's m h / sec min hour',
  ),
  user_time_range: choice(['by unit', 'any'], 'by unit', 'inferred', '1-59 s and m, 1-1000 h'),
  number_padding: choice(['padded', 'plain'], 'padded', 'inferred', 'Store Name and Index Number in four digits'),
  sd_percentage: choice(['free', 'used'], 'free', 'unknown', 'which percentage it is'),
  rnd_columns: choice(
    ['by prefix', 'Leqmov last'],
    'by prefix',
    'code',
    'a public reader of NL-53 files finds a column by its beginning and takes the last one that fits; no header row of an NL-43 was seen',
  ),
  rnd_layout: choice(
    ['rows', 'blocks'],
    'rows',
    'code',
    'one row an interval in public readers of NL-43 and NL-53 files, a block of lines in those of an NL-52 with NX-42RT',
  ),
  rnd_last_comma: choice(
    [true, false],
    true,
    'code',
    'public readers take lines with and without a comma at their end',
  ),
  rnd_memo: choice(
    ['none', 'Shift-JIS'],
    'none',
    'inferred',
    'texts that a user entered on a Japanese meter; no NL-43 file with one was seen',
  ),
  rnd_growing: choice(
    ['whole rows', 'full sectors'],
    'whole rows',
    'inferred',
    'where the end of a file is while it is written; a file system has sectors, not rows',
  ),
  no_card: choice(['R+0004', 'zero'], 'R+0004', 'unknown', 'SD Card ...? without a card'),
} as const;

const storing = {
  auto_overwrite: choice(['replace', 'refuse'], 'replace', 'unknown', 'an Auto start on an existing store name'),
  store_name_advances: choice(
    [false, true],
    false,
    'unknown',
    'field: Auto_0019, then Auto_0020; by whom is not known',
  ),
  timer_auto_begins: choice(
    ['by the clock', 'once started'],
    'by the clock',
    'inferred',
    'guide summary: starts and stops by clock; on the NL-42 a start begins the waiting',
  ),
  timer_name_advances: choice(
    [true, false],
    true,
    'inferred',
    'next store name after a timer measurement; otherwise each store would replace the last one',
  ),
  store_delay: choice(
    ['delays a start', 'kept'],
    'delays a start',
    'unknown',
    'Store Delay Time: only its name is known; a start from a key or command begins that much later',
  ),
  storing_ms: amount(0, 60_000, 'inferred', 'how much longer the state Storing lasts after Manual Store was confirmed'),
  address_advances: choice([true, false], true, 'inferred', 'NL-42: next address after a manual store'),
} as const;

const instrument = {
  power_source: choice(['External', 'Battery', 'USB'], 'External', 'second-hand', 'summary of the guide p.92'),
  clock_offset_s: amount(0, 86_400, 'captured', 'field log: 3560 s ahead, constant over 19 h'),
  clock_drift_ppm: amount(0, 1_000, 'inferred', 'a quartz is accurate to about 10 ppm'),
} as const;

export const BEHAVIOUR = Object.freeze({
  ...framing,
  ...hearing,
  ...timing,
  ...connection,
  ...answers,
  ...storing,
  ...instrument,
});

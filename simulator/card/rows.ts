/**
 * Rows of `.rnd` files. Known: first line `CSV`, a row of names, then rows of values padded with blanks, `-.-` for what is
 * missing, times as `YYYY/MM/DD HH:MM:SS` (public readers of such files). The row of names is inferred: nobody has shown
 * the one of an NL-43. `Leqmov` goes without the comma of `Leq,mov`, which would break every reader.
 * Inferred too: channels that are switched on follow one another, and a flag that is set reads `O` or `U`.
 */
import type { Block, BlockValues, ChannelName, DisplayValues, InstrumentSetup, PerChannel } from '../contract.ts';
import { clockTime, clockTimeMs, measurementTime } from './names.ts';

const LABELS: Readonly<Record<ChannelName, string>> = { main: 'Main', sub1: 'Sub1', sub2: 'Sub2', sub3: 'Sub3' };
export const CHANNELS = Object.keys(LABELS) as readonly ChannelName[];
export const label = (channel: ChannelName): string => LABELS[channel];

const LEQ_NAMES = 'Leq LE Lmax Lmin LN1 LN2 LN3 LN4 LN5 Lpeak LIeq Leqmov Ltm5 Over Under'.split(' ');
const LP_NAMES = 'Lp Leq Lmax Lmin Lpeak Over Under'.split(' ');

const END = '\r\n';

/** `CSV` and the names, for Leq files and for Manual stores. */
export const leqHead = (setup: InstrumentSetup): string =>
  head(['Address', 'Start Time', 'Measurement Time'], LEQ_NAMES, setup);

export const lpHead = (setup: InstrumentSetup): string => head(['Address', 'Start Time'], LP_NAMES, setup);

function head(lead: readonly string[], names: readonly string[], setup: InstrumentSetup): string {
  const columns = channelsOn(setup).flatMap((channel) => names.map((name) => `${name}(${label(channel)})`));
  return `CSV${END}${[...lead, ...columns].join(',')},${END}`;
}

const channelsOn = (setup: InstrumentSetup): ChannelName[] =>
  CHANNELS.filter((channel) => channel === 'main' || setup.channels[channel].on);

type Fields = (channel: ChannelName) => string[];

const row = (lead: readonly string[], setup: InstrumentSetup, fields: Fields): string =>
  `${[...lead, ...channelsOn(setup).flatMap(fields)].join(',')},${END}`;

/** Five characters, one decimal, as the meter shows levels; `  -.-` for none. */
const level = (value: number | null): string => (value === null ? '-.-' : value.toFixed(1)).padStart(5);
const levels = (values: readonly (number | null)[]): string[] => values.map(level);
const flags = (values: { readonly over: boolean; readonly under: boolean } | null): string[] => [
  values?.over ? 'O' : '-',
  values?.under ? 'U' : '-',
];
const address = (number: number): string => String(number).padStart(6);

const none = (names: readonly string[]): string[] => [...levels(Array(names.length - 2).fill(null)), ...flags(null)];

/** `deviceTime` is when the interval began. */
export function lpRow(number: number, setup: InstrumentSetup, block: Block, deviceTime: number): string {
  return row([address(number), clockTimeMs(deviceTime)], setup, (channel) => {
    const values = block.channels[channel];
    if (!values) return none(LP_NAMES);
    const { lp, leq, lmax, lmin, lpeak } = values;
    return [...levels([lp, leq, lmax, lmin, lpeak]), ...flags(values)];
  });
}

/** `deviceTime` is when the interval began. Leq,mov and Ltm5 are no values of an interval and stay missing. */
export function leqRow(number: number, setup: InstrumentSetup, block: Block, deviceTime: number): string {
  const lead = [address(number), clockTime(deviceTime), measurementTime(block.to - block.from)];
  return row(lead, setup, (channel) => {
    const values = block.channels[channel];
    return values ? calculated({ ...values, leqMov: null, ltm5: null }) : none(LEQ_NAMES);
  });
}

/** One address of a Manual store. */
export function manualRow(
  number: number,
  setup: InstrumentSetup,
  { startedAt, measuredMs, values }: ManualValues,
): string {
  const lead = [address(number), clockTime(startedAt), measurementTime(measuredMs)];
  return row(lead, setup, (channel) => {
    const shown = values[channel];
    return shown ? calculated(shown) : none(LEQ_NAMES);
  });
}

export interface ManualValues {
  readonly startedAt: number;
  readonly measuredMs: number;
  readonly values: PerChannel<DisplayValues>;
}

type Calculated = Omit<DisplayValues, 'lp'> | (BlockValues & { readonly leqMov: null; readonly ltm5: null });

function calculated(values: Calculated): string[] {
  const { leq, le, lmax, lmin, ln, lpeak, lieq, leqMov, ltm5 } = values;
  return [...levels([leq, le, lmax, lmin, ...ln, lpeak, lieq, leqMov, ltm5]), ...flags(values)];
}

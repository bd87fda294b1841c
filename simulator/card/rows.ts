/**
 * Rows of `.rnd` files. Known: first line `CSV`, a row of names, then rows of values padded with spaces. A missing value is
 * `-.-`, times are `YYYY/MM/DD HH:MM:SS` (public readers of such files). The row of names is inferred: nobody has seen the
 * row of an NL-43. No name has a comma, which would break every reader. Inferred too: channels that are switched on follow
 * one another, and a flag that is set reads `O` or `U`.
 */
import { CHANNELS } from '../../lib/drivers/nl43/spec/layouts.ts';
import type {
  Block,
  BlockValues,
  ChannelName,
  DisplayValues,
  InstrumentSetup,
  PerChannel,
  RndForm,
} from '../contract.ts';
import { clockTime, clockTimeMs, measurementTime } from './names.ts';

const LABELS: Readonly<Record<ChannelName, string>> = { main: 'Main', sub1: 'Sub1', sub2: 'Sub2', sub3: 'Sub3' };
export const label = (channel: ChannelName): string => LABELS[channel];

const USUAL: RndForm = {
  additional: false,
  columns: 'by prefix',
  layout: 'rows',
  lastComma: true,
  memo: false,
  cut: false,
};

/** Two bytes a letter in Shift-JIS, a character each here; the second one of the text is a backslash in ASCII. */
const MEMO_NAME = '\x83\x81\x83\x82';
const MEMO_TEXT = '\x95\x5c\x89\xb9';

const LEQ_NAMES = {
  'by prefix': 'Leq LE Lmax Lmin LN1 LN2 LN3 LN4 LN5 Lpeak LIeq Lmov Ltm5 Over Under'.split(' '),
  'Leqmov last': 'Leq LE Lmax Lmin LN1 LN2 LN3 LN4 LN5 Lpeak LIeq Leqmov Ltm5 Over Under'.split(' '),
} as const;
const LP_NAMES = {
  'by prefix': 'Lpeak Lp Leq Lmax Lmin Over Under'.split(' '),
  'Leqmov last': 'Lp Leq Lmax Lmin Lpeak Over Under'.split(' '),
} as const;

const END = '\r\n';

export interface RowSetup {
  readonly setup: InstrumentSetup;
  readonly form?: Partial<RndForm> | undefined;
}

const formOf = ({ form }: RowSetup): RndForm => ({ ...USUAL, ...form });

/** `CSV` and the names, for Leq files and for Manual stores. */
export const leqHead = (store: RowSetup): string =>
  head(['Address', 'Start Time', 'Measurement Time'], LEQ_NAMES[formOf(store).columns], store);

export const lpHead = (store: RowSetup): string =>
  head(['Address', 'Start Time'], LP_NAMES[formOf(store).columns], store);

function head(lead: readonly string[], names: readonly string[], store: RowSetup): string {
  const { layout, memo } = formOf(store);
  const columns = channelsOn(store.setup).flatMap((channel) => names.map((name) => `${name}(${label(channel)})`));
  const all = [...lead, ...columns, ...(memo ? [MEMO_NAME] : [])];
  return `CSV${END}${layout === 'rows' ? line(all, store) : ''}`;
}

const line = (cells: readonly string[], store: RowSetup): string =>
  `${cells.join(',')}${formOf(store).lastComma ? ',' : ''}${END}`;

const channelsOn = (setup: InstrumentSetup): ChannelName[] =>
  CHANNELS.filter((channel) => channel === 'main' || setup.channels[channel].on);

type Fields = (channel: ChannelName) => string[];

const LEADS = ['Address', 'Start Time', 'Measurement Time'];

/** `lead`: address, start and, if it is given, length. `names`: of the fields of a channel. */
function row(lead: readonly string[], names: readonly string[], store: RowSetup, fields: Fields): string {
  const { layout, memo } = formOf(store);
  const channels = channelsOn(store.setup);
  const more = memo ? [MEMO_TEXT] : [];
  if (layout === 'rows') return line([...lead, ...channels.flatMap(fields), ...more], store);
  const columns = channels.map(fields);
  return [
    ...lead.map((value, at) => [LEADS[at] ?? '', value]),
    ['', ...channels.map(label)],
    ...names.map((name, at) => [name, ...columns.map((column) => column[at] ?? '')]),
    ...(memo ? [[MEMO_NAME, MEMO_TEXT]] : []),
  ]
    .map((cells) => line(cells, store))
    .join('');
}

/** Five characters, one decimal, as the meter shows levels; `  -.-` for none. */
const level = (value: number | null): string => (value === null ? '-.-' : value.toFixed(1)).padStart(5);
const levels = (values: readonly (number | null)[]): string[] => values.map(level);
const flags = (values: { readonly over: boolean; readonly under: boolean } | null): string[] => [
  values?.over ? 'O' : '-',
  values?.under ? 'U' : '-',
];
const address = (number: number): string => String(number).padStart(6);

const none = (count: number): string[] => [...levels(Array(count).fill(null)), ...flags(null)];
const LP_LEVELS = 5;
const LEQ_LEVELS = 13;

/** `deviceTime` is when the interval began. */
export function lpRow(number: number, store: RowSetup, block: Block, deviceTime: number): string {
  const { columns } = formOf(store);
  const peakFirst = columns === 'by prefix';
  return row([address(number), clockTimeMs(deviceTime)], LP_NAMES[columns], store, (channel) => {
    const values = block.channels[channel];
    if (!values) return none(LP_LEVELS);
    const { lp, leq, lmax, lmin, lpeak } = values;
    const rest = [lp, leq, lmax, lmin];
    return [...levels(peakFirst ? [lpeak, ...rest] : [...rest, lpeak]), ...flags(values)];
  });
}

/** `deviceTime` is when the interval began. Leq,mov and Ltm5 are no values of an interval and stay missing. */
export function leqRow(number: number, store: RowSetup, block: Block, deviceTime: number): string {
  const lead = [address(number), clockTime(deviceTime), measurementTime(block.to - block.from)];
  return row(lead, LEQ_NAMES[formOf(store).columns], store, (channel) => {
    const values = block.channels[channel];
    return values ? calculated({ ...values, leqMov: null, ltm5: null }, formOf(store)) : none(LEQ_LEVELS);
  });
}

export function manualRow(number: number, store: RowSetup, { startedAt, measuredMs, values }: ManualValues): string {
  const lead = [address(number), clockTime(startedAt), measurementTime(measuredMs)];
  return row(lead, LEQ_NAMES[formOf(store).columns], store, (channel) => {
    const shown = values[channel];
    return shown ? calculated(shown, formOf(store)) : none(LEQ_LEVELS);
  });
}

export interface ManualValues {
  readonly startedAt: number;
  readonly measuredMs: number;
  readonly values: PerChannel<DisplayValues>;
}

type Calculated = Omit<DisplayValues, 'lp'> | (BlockValues & { readonly leqMov: null; readonly ltm5: null });

function calculated(values: Calculated, { additional }: RndForm): string[] {
  const { leq, le, lmax, lmin, ln, lpeak, lieq, leqMov, ltm5 } = values;
  const more = additional ? [lieq, leqMov, ltm5] : [null, null, null];
  return [...levels([leq, le, lmax, lmin, ...ln, lpeak, ...more]), ...flags(values)];
}

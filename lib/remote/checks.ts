/** What comes over a link from the gateway is held against these rules before anything else looks at it. */
import { isUnitId } from '../domain/ids.ts';
import type { GatewayMessage } from './messages.ts';

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

/** Longest list of values, most channels of a meter, ms of the longest deadline, length of the longest word of a meter and text of a call. */
const MOST_VALUES = 8;
const MOST_CHANNELS = 32;
const LONGEST_WORD = 64;
const LONGEST_MS = 86_400_000;
const LONGEST_TEXT = 1_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text =
  (most: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= most;
const flag: Check = (value) => typeof value === 'boolean';
const finite: Check = (value) => Number.isFinite(value);
const id: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const unit: Check = (value) => typeof value === 'string' && isUnitId(value);
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check, most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check);
const whole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
/** An object with these members, and no others. */
const shape =
  (needed: Checks, optional: Checks = {}): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(needed).every(([name, check]) => Object.hasOwn(value, name) && check(value[name])) &&
    Object.entries(value).every(
      ([name, held]) => Object.hasOwn(needed, name) || (Object.hasOwn(optional, name) && optional[name]?.(held)),
    );

/** A part of a day, ms. What is left of a deadline is no whole number. */
const span: Check = (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) <= LONGEST_MS;
const PORT = whole(1, 65_535);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const NO_CONTROLS = /^[^\u0000-\u001f\u007f-\u009f]*$/;
/** A name or an address; which of them may be connected to says the policy of this instance. */
const host: Check = (value) => typeof value === 'string' && NO_CONTROLS.test(value) && value.length <= 253;

const config = shape({
  unitId: unit,
  family: text(32),
  host,
  tcpPort: PORT,
  tcpEnabled: flag,
  ftpPort: PORT,
  timezone: orNull(text(64)),
});
const startSource = orNull(oneOf('sent', 'computed', 'seen'));
const word = orNull(text(LONGEST_WORD));
const weightings = shape({ frequency: word, time: word }, { source: oneOf('sent', 'read') });
/** What was known of a meter: of another instance, and on its way to one. */
export const isKnownState: Check = shape(
  {
    ...{ measuring: orNull(flag), paused: orNull(flag), startedAt: orNull(finite), startSource, storeName: word },
    ...{ frequencyWeighting: word, timeWeighting: word, percentiles: listOf(orNull(finite), MOST_VALUES) },
  },
  {
    weightingSource: oneOf('sent', 'read'),
    channelWeightings: (value) => isObject(value) && listOf(weightings, MOST_CHANNELS)(Object.values(value)),
  },
);
const known = shape(
  {
    measurementStartTime: orNull(finite),
    measurementStartSource: startSource,
    meter: orNull(shape({ serialNumber: text(LONGEST_TEXT), endpoint: text(LONGEST_TEXT) })),
  },
  { state: isKnownState },
);
const caller = shape({}, { deadlineMs: span, priority: oneOf('operator', 'background') });
const asks: readonly Check[] = [
  shape({ do: oneOf('perform'), name: text(64), values: listOf(() => true, MOST_VALUES) }),
  shape({ do: oneOf('read'), setting: text(64) }),
  shape({ do: oneOf('write'), setting: text(64), value: text(LONGEST_TEXT) }),
];
const ask: Check = (value) => asks.some((check) => check(value));
const headers: Check = (value) => isObject(value) && Object.values(value).every(text(LONGEST_TEXT));
const failed = shape(
  { code: text(64), detail: text(10_000) },
  {
    headers,
    errors: listOf(shape({ path: text(LONGEST_TEXT), message: text(10_000) }), 1_000),
    unreadable: shape({ message: text(LONGEST_TEXT), raw: text(LONGEST_TEXT), isLayout: flag }),
  },
);

const kind = () => true;
const MESSAGES: Readonly<Record<GatewayMessage['kind'], Check>> = {
  ping: shape({ kind, id }),
  hello: shape({ kind, version: whole(1, 1_000), at: finite, now: finite }),
  units: shape(
    { kind, all: flag, units: listOf(shape({ config }, { known }), 100_000), gone: listOf(unit, 100_000) },
    { had: count },
  ),
  had: shape({ kind, frames: count }),
  watch: shape({ kind, unit, on: flag }),
  view: shape({ kind, unit, on: flag }),
  leaving: shape({ kind }),
  stay: shape({ kind, on: flag }),
  trace: shape({ kind, unit, on: flag }),
  call: shape({ kind, id, unit, ask, caller }),
  reserve: shape(
    { kind, id, unit, label: text(LONGEST_TEXT), isRead: flag, joins: flag, caller },
    { join: text(LONGEST_TEXT) },
  ),
  step: shape({ kind, id, of: id, ask }),
  release: shape({ kind, id }, { failed }),
  cancel: shape({ kind, id }),
  gap: shape({ kind, id, unit }),
  restart: shape({ kind, unit }),
};

/** The message, if it is one. */
export function gatewayMessage(value: unknown): GatewayMessage | undefined {
  return isGatewayMessage(value) ? value : undefined;
}

const isGatewayMessage = (value: unknown): value is GatewayMessage =>
  isObject(value) &&
  typeof value.kind === 'string' &&
  Object.hasOwn(MESSAGES, value.kind) &&
  MESSAGES[value.kind as GatewayMessage['kind']](value);

/** The id of something that waits for an answer, although it cannot be understood. */
export function idOf(value: unknown): number | undefined {
  return isObject(value) && typeof value.id === 'number' && id(value.id) ? value.id : undefined;
}

/** Which values each operation takes, and whether it may change something at the meter: what comes over a link is checked by it. */
import { channelNames } from '../domain/channels.ts';
import { isClockText } from '../domain/clock-text.ts';
import type { Family, OperationName, Operations } from '../drivers/contract.ts';

/** The values of any operation. */
export type OperationValues = Parameters<Operations[OperationName]>;

interface OperationOnLink {
  /** Its outcome is not known when the link is lost meanwhile. */
  readonly changes: boolean;
  takes(values: readonly unknown[], family: Pick<Family, 'channels'>): boolean;
}

const one = (check: (value: unknown) => boolean) => (values: readonly unknown[]) =>
  values.length === 1 && check(values[0]);
const none = (values: readonly unknown[]) => values.length === 0;

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isWhole = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isStartOptions = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([name, held]) => name === 'isAwake' && isBoolean(held));

const READS: OperationOnLink = { changes: false, takes: none };
const CHANGES: OperationOnLink = { changes: true, takes: none };
const sets = (check: (value: unknown) => boolean): OperationOnLink => ({ changes: true, takes: one(check) });

const OPERATIONS_ON_LINK: Readonly<Record<OperationName, OperationOnLink>> = Object.freeze({
  live: READS,
  lastResult: READS,
  lastResultText: READS,
  measuring: READS,
  start: { changes: true, takes: (values) => none(values) || one(isStartOptions)(values) },
  stop: CHANGES,
  pause: CHANGES,
  resume: CHANGES,
  reset: CHANGES,
  store: CHANGES,
  model: READS,
  serialNumber: READS,
  firmware: READS,
  clock: READS,
  setClock: sets((value) => typeof value === 'string' && isClockText(value)),
  battery: READS,
  cardSpace: READS,
  powerSource: READS,
  sleepMode: READS,
  setSleepMode: sets(isBoolean),
  fileServer: READS,
  setFileServer: sets(isBoolean),
  weightings: {
    changes: false,
    takes: (values, { channels }) =>
      none(values) || one((name) => channelNames(channels).some((each) => each === name))(values),
  },
  percentile: { changes: false, takes: one(isWhole(1, 5)) },
  storeMode: READS,
  storeName: READS,
  setStoreName: sets(isWhole(0, 9_999)),
  isStoreNameTaken: READS,
  measurementSeconds: READS,
});

/** Whether there is such an operation in any family. */
export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS_ON_LINK, name);

/** Whether these are values that the operation takes. */
export const takes = (
  name: OperationName,
  values: readonly unknown[],
  family: Pick<Family, 'channels'>,
): values is OperationValues => OPERATIONS_ON_LINK[name].takes(values, family);

/** Whether it may change something at the meter. */
export const changesMeter = (name: OperationName): boolean => OPERATIONS_ON_LINK[name].changes;

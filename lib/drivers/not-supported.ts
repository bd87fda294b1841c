/** Words for the missing abilities of a family. */
import { GatewayError } from '../errors.ts';
import type { Family, MeterSetting, Operation, OperationName } from './contract.ts';

/** Each text follows "has no". */
const WHAT_IS_MISSING: Readonly<Record<OperationName, string>> = Object.freeze({
  live: 'values that can be read',
  lastResult: 'result of the last measurement',
  lastResultText: 'result of the last measurement',
  measuring: 'state of a measurement',
  start: 'start',
  stop: 'stop',
  pause: 'pause',
  resume: 'pause',
  reset: 'reset',
  store: 'store',
  model: 'type that can be read',
  serialNumber: 'serial number that can be read',
  firmware: 'firmware that can be read',
  clock: 'clock',
  setClock: 'clock that can be set',
  battery: 'battery level',
  cardSpace: 'card',
  powerSource: 'power source that can be read',
  sleepMode: 'sleep mode',
  setSleepMode: 'sleep mode',
  fileServer: 'FTP server',
  setFileServer: 'FTP server',
  weightings: 'weightings that can be read',
  percentile: 'percentiles of the display that can be read',
  storeMode: 'store mode',
  storeName: 'store name',
  setStoreName: 'store name',
  isStoreNameTaken: 'store name',
  measurementSeconds: 'measurement time',
});

/** The operation of the family of this unit. Errors: NOT_SUPPORTED. */
export function operationOf<N extends OperationName>(
  { unitId, family }: { readonly unitId: string; readonly family: Pick<Family, 'name' | 'operations'> },
  name: N,
): Operation<N> {
  const operation: Operation<N> | undefined = family.operations[name];
  if (!operation) throw notSupported(unitId, family, WHAT_IS_MISSING[name]);
  return operation;
}

/** The setting of this name, of the family of this unit. Errors: NOT_SUPPORTED. */
export function settingOf(
  { unitId, family }: { readonly unitId: string; readonly family: Pick<Family, 'name' | 'settings'> },
  name: string,
): MeterSetting {
  const setting = family.settings.find((each) => each.name === name);
  if (!setting) throw notSupported(unitId, family, `setting ${name}`);
  return setting;
}

export const notSupported = (unitId: string, { name }: Pick<Family, 'name'>, what: string): GatewayError =>
  new GatewayError('NOT_SUPPORTED', `The meter ${unitId} cannot do this: its family (${name}) has no ${what}.`);

/** The operations of the meter, and their commands. Times and intervals are settings (`settings.ts`). */
import { MAIN_CHANNEL } from '../../domain/ids.ts';
import { GatewayError, isGatewayError } from '../../errors.ts';
import type { Family, Operation, OperationName, Operations, Sender, Started, StartOptions } from '../contract.ts';
import type { Command } from '../wire/contract.ts';
import * as commands from './commands.ts';
import { parseTime, readMeasurementTime } from './times.ts';

const REFUSALS = ['DEVICE_WRONG_STATE', 'DEVICE_REFUSED_COMMAND', 'DEVICE_REFUSED_PARAMETER'] as const;

type Value<N extends OperationName> = ReturnType<Operations[N]>;
type Values<N extends OperationName> = Parameters<Operations[N]>;

function asks<N extends OperationName, Reply>(
  make: () => Command<Reply>,
  toValue: (reply: Reply) => Value<N>,
): Operation<N> {
  const request = make();
  return { request, run: async (sender, ..._none) => toValue(await sender.send(request)) };
}

const reads = <N extends OperationName>(make: () => Command<Value<N>>): Operation<N> => asks<N, Value<N>>(make, itself);

const sends = <N extends OperationName>(make: (...values: Values<N>) => Command<Value<N>>): Operation<N> => ({
  run: (sender, ...values) => sender.send(make(...values)),
});

const itself = <T>(value: T): T => value;

export const OPERATIONS = Object.freeze<Family['operations']>({
  live: reads(commands.display),
  lastResult: reads(commands.lastResult),
  // A reservation: a plain request would share the answer of the request that parses the line.
  lastResultText: { ...reads(commands.lastResultLine), reserves: 'results', reads: true },
  measuring: asks(commands.measureState, (word) => word === 'Start'),
  start: { run: start, reserves: 'start' },
  stop: sends(commands.stopMeasurement),
  pause: sends(commands.pause),
  resume: sends(commands.resume),
  reset: { run: reset, reserves: 'reset' },
  store: sends(commands.manualStore),
  model: reads(commands.deviceType),
  serialNumber: reads(commands.serialNumber),
  firmware: reads(commands.systemVersion),
  clock: reads(commands.clock),
  setClock: sends(commands.setClock),
  battery: reads(commands.batteryLevel),
  cardSpace: { run: cardSpace, reserves: 'card', reads: true },
  powerSource: { run: powerSource, reserves: 'power source', reads: true },
  sleepMode: asks(commands.sleepMode, (word) => word === 'On'),
  setSleepMode: sends(commands.setSleepMode),
  fileServer: asks(commands.ftp, (word) => word === 'On'),
  setFileServer: sends(commands.setFtp),
  weightings: { run: weightings, reserves: 'weightings', reads: true },
  percentile: { run: (sender, slot) => sender.send(commands.percentile(slot)) },
  storeMode: asks(commands.storeMode, (word) => ({ word, isAutomatic: word !== 'Manual' })),
  storeName: reads(commands.storeName),
  setStoreName: sends(commands.setStoreName),
  isStoreNameTaken: asks(commands.overwrite, (word) => word !== 'None'),
  measurementSeconds: { run: measurementSeconds, reserves: 'read measurement time', reads: true },
});

/**
 * A meter that sleeps loses its TCP connection. A refusal to stay awake does not stop the start; its words become the
 * warning.
 */
async function start(sender: Sender, { isAwake = false }: StartOptions = {}): Promise<Started> {
  const warning = isAwake ? undefined : await sleepModeOff(sender);
  await sender.send(commands.startMeasurement());
  return warning === undefined ? {} : { warning };
}

async function sleepModeOff(sender: Sender): Promise<string | undefined> {
  try {
    await sender.send(commands.setSleepMode(false));
    return undefined;
  } catch (error) {
    if (!isGatewayError(error, ...REFUSALS)) throw error;
    return `the meter did not switch its sleep mode off: ${error.message}`;
  }
}

const STOPPED = 'The measurement was stopped to reset it, and not started again:';

/** Meters that do not know `Reset`, which is in no command list of the maker. Asked once per session. */
const withoutReset = new WeakSet<object>();

async function reset(sender: Sender): Promise<{ readonly restarted: boolean }> {
  if (!withoutReset.has(sender.session)) {
    try {
      await sender.send(commands.reset());
      return { restarted: false };
    } catch (error) {
      if (!isGatewayError(error, 'DEVICE_REFUSED_COMMAND')) throw error;
      withoutReset.add(sender.session);
    }
  }
  if ((await sender.send(commands.measureState())) === 'Stop') {
    throw new GatewayError(
      'DEVICE_WRONG_STATE',
      'Reset is not possible while stopped: the meter has no reset command, and a new start clears the data.',
    );
  }
  await sender.send(commands.stopMeasurement());
  try {
    await sender.send(commands.startMeasurement());
  } catch (error) {
    // With STOPPING the caller would ask again, but the meter is stopped now.
    if (!isGatewayError(error, 'STOPPING')) throw error;
    throw new GatewayError('OUTCOME_UNKNOWN', `${STOPPED} ${error.message}`, { cause: error });
  }
  return { restarted: true };
}

async function cardSpace(sender: Sender) {
  const freeMb = await sender.send(commands.sdFreeSize());
  return { freeMb, totalMb: await sender.send(commands.sdTotalSize()) };
}

/** No command of its own asks for it: only the status stream has it. */
async function powerSource(sender: Sender) {
  return (await sender.peek(commands.statusFrames())).supply.powerSource;
}

async function weightings(sender: Sender, channel: string = MAIN_CHANNEL) {
  const name = commands.CHANNEL_NAMES.find((each) => each.toLowerCase() === channel);
  if (!name) throw new GatewayError('INVALID', `There is no channel ${channel}.`);
  const frequency = await sender.send(commands.frequencyWeighting(name));
  return { frequency, time: await sender.send(commands.timeWeighting(name)) };
}

async function measurementSeconds(sender: Sender): Promise<number> {
  return parseTime(await readMeasurementTime(sender));
}

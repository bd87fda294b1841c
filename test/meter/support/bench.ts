/** One session on a clock that moves only by the test, with a scripted meter at the other end. */
import type { Test } from 'tap';
import { type Command, DecodeError, type Frame, type StreamCommand } from '../../../lib/drivers/wire/contract.ts';
import type { EventStream } from '../../../lib/events/contract.ts';
import { createEventStream } from '../../../lib/events/stream.ts';
import { createLog } from '../../../lib/log.ts';
import type { Caller } from '../../../lib/meter/contract.ts';
import { createFleet } from '../../../lib/meter/fleet.ts';
import type { FleetParts } from '../../../lib/meter/parts.ts';
import type { MeterSettings } from '../../../lib/meter/settings.ts';
import type { DeviceConfig } from '../../../lib/store/contract.ts';
import { VirtualClock } from '../../../simulator/clock.ts';
import { deviceConfig } from '../../support/config.ts';
import { type Changes, familiesWith } from '../../support/families/usual.ts';
import { type MemoryNetwork, memoryTransport } from '../../support/memory-transport.ts';
import { ADDRESS, ScriptedMeter } from './scripted-meter.ts';

export const UNIT = 'roof';

export const CONFIG: DeviceConfig = deviceConfig({ unitId: UNIT, host: ADDRESS.host, tcpPort: ADDRESS.port });

/** A store of configs that a test holds. */
export class Configs {
  readonly #configs = new Map<string, DeviceConfig>([[UNIT, CONFIG]]);
  readonly #listeners = new Set<(unitId: string, config: DeviceConfig | undefined) => void>();

  get(unitId: string): DeviceConfig | undefined {
    return this.#configs.get(unitId);
  }

  list(): readonly DeviceConfig[] {
    return [...this.#configs.values()];
  }

  onChange(listener: (unitId: string, config: DeviceConfig | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(change: Partial<DeviceConfig>, unitId = UNIT): void {
    const config = { ...CONFIG, unitId, ...this.#configs.get(unitId), ...change };
    this.#configs.set(unitId, config);
    for (const listener of this.#listeners) listener(unitId, config);
  }

  remove(unitId = UNIT): void {
    this.#configs.delete(unitId);
    for (const listener of this.#listeners) listener(unitId, undefined);
  }

  get followers(): number {
    return this.#listeners.size;
  }
}

/** A stream of lines like `7,frame`; anything else cannot be read. */
export const STREAM: StreamCommand<Frame> = {
  text: 'DRD?',
  decode(line) {
    const counter = /^(\d+),frame$/.exec(line)?.[1];
    if (counter === undefined) throw new DecodeError('not a frame', line);
    const level = { lp: '43.7', leq: null, lmax: null, lmin: null, lpeak: null, lieq: null, over: null, under: null };
    return { counter: Number(counter), main: level };
  },
};

export interface Bench {
  readonly clock: VirtualClock;
  readonly network: MemoryNetwork;
  readonly device: ScriptedMeter;
  readonly configs: Configs;
  readonly events: EventStream;
  readonly fleet: ReturnType<typeof createFleet>;
  readonly meter: ReturnType<ReturnType<typeof createFleet>['meter']>;
}

/** `parts`: `stateQuestions` are none by default, so that a meter hears what the test asks and nothing else. */
export function createBench(
  t: Test,
  settings: Partial<MeterSettings> = {},
  parts: Partial<Pick<FleetParts, 'random'> & Pick<Changes, 'readReply' | 'restMs' | 'stateQuestions' | 'stream'>> = {},
): Bench {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const network = memoryTransport();
  const device = new ScriptedMeter(network, clock);
  const configs = new Configs();
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  const { stream = STREAM, stateQuestions = {}, random = () => 1, ...talk } = parts;
  const family = { proof: ask('Proof'), stream, stateQuestions, ...talk };
  const families = familiesWith(family);
  const fleet = createFleet({ transport: network.transport, log, settings, families, random, configs, clock, events });
  t.teardown(async () => {
    await clock.until(fleet.close());
  });
  return { clock, network, device, configs, events, fleet, meter: fleet.meter(UNIT) };
}

/** A request whose value is its data line; `garbage` in it cannot be read. */
export const ask = (name: string): Command<string> => ({
  text: `${name}?`,
  kind: 'request',
  decode(line) {
    if (line.includes('garbage')) throw new DecodeError(`${name}: not a value`, line);
    return line;
  },
});

export const set = (text: string): Command<void> => ({ text, kind: 'setting', decode: () => {} });

export const patient = (more: Partial<Caller> = {}): Caller => ({ signal: new AbortController().signal, ...more });

/** The replies of the meter, prompt included. */
export const data = (line: string): string => `R+0000\r\n${line}\r\n$`;
export const OK = 'R+0000\r\n$';

/** How a promise ends: its value, or the code of its error. */
export const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error) => error.code ?? error,
  );

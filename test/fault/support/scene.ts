/**
 * One simulated meter with a fault, over real TCP, and its callers; one clock moves both. The answers to callers and the log
 * of the meter are written down, so that a test can compare them.
 */
import type { Test } from 'tap';
import { createFamilies } from '../../../lib/drivers/index.ts';
import type { Command } from '../../../lib/drivers/wire/contract.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { createEventStream } from '../../../lib/events/stream.ts';
import { createLog } from '../../../lib/log.ts';
import type { ReachabilityState } from '../../../lib/meter/contract.ts';
import { createFleet } from '../../../lib/meter/fleet.ts';
import type { Session } from '../../../lib/meter/session.ts';
import type { MeterSettings } from '../../../lib/meter/settings.ts';
import { tcpTransport } from '../../../lib/transport/tcp.ts';
import { type MeterOptions, type SimulatedMeter, startMeter, VirtualClock } from '../../../simulator/index.ts';
import { Configs, UNIT } from '../../meter/support/bench.ts';

/** Outcome and time of one caller. */
export interface Got {
  readonly command: string;
  readonly kind: 'request' | 'setting';
  readonly value?: unknown;
  /** The code of the error; undefined for a value. */
  readonly code?: string;
  readonly text?: string;
  readonly ms: number;
  readonly deadlineMs: number;
}

export interface Scene {
  readonly clock: VirtualClock;
  readonly device: SimulatedMeter;
  readonly meter: Session;
  readonly got: readonly Got[];
  /** Reachability states in the order of their events. */
  readonly states: readonly ReachabilityState[];
  ask(command: Command<unknown>, deadlineMs?: number): Promise<Got>;
  /** Time goes on together with the sockets. */
  pass(ms: number): Promise<void>;
  until<T>(work: Promise<T>): Promise<T>;
}

/** Coarse enough to be quick, fine enough for deadlines of seconds. */
export const STEP_MS = 50;

export async function openScene(
  t: Test,
  options: { readonly meter?: MeterOptions; readonly settings?: Partial<MeterSettings> } = {},
): Promise<Scene> {
  const clock = new VirtualClock();
  const device = await startMeter({ clock, profile: 'instant', soundStepMs: 100, ...options.meter });
  const configs = new Configs();
  configs.set({ host: device.host, tcpPort: device.tcpPort, ftpPort: device.ftpPort });
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  const fleet = createFleet({
    configs,
    families: createFamilies(),
    events,
    transport: tcpTransport({ clock }),
    clock,
    log,
    settings: options.settings ?? {},
    random: () => 0.5,
  });
  const got: Got[] = [];
  const states: ReachabilityState[] = [];
  events.on('reachability', ({ data }) => states.push(data.reachability.state));
  const until = <T>(work: Promise<T>) => clock.until(work, { stepMs: STEP_MS });
  t.teardown(async () => {
    await until(fleet.close());
    await until(device.stop());
  });
  const meter = fleet.meter(UNIT);
  const ask = async (command: Command<unknown>, deadlineMs = 30_000): Promise<Got> => {
    const began = clock.elapsed();
    const outcome = await meter
      .run(command, { signal: new AbortController().signal, deadlineMs })
      .then((value) => ({ value }), codeOf);
    const one = { command: command.text, kind: command.kind, ...outcome, ms: clock.elapsed() - began, deadlineMs };
    got.push(one);
    return one;
  };
  const pass = (ms: number) => until(new Promise<void>((resolve) => clock.after(ms, resolve)));
  return { clock, device, meter, got, states, ask, pass, until };
}

/** Anything but a GatewayError is a fault of the gateway and fails the test. */
function codeOf(error: unknown): { code: string; text: string } {
  if (!(error instanceof GatewayError)) throw error;
  return { code: error.code, text: error.message };
}

/** An instance that serves sessions, and gateways that link up with it one after the other, on one virtual clock. */
import type { Test } from 'tap';
import type { Clock } from '../../../lib/clock.ts';
import type { EventKind } from '../../../lib/events/contract.ts';
import { createEventStream } from '../../../lib/events/stream.ts';
import { createWireTaps } from '../../../lib/events/wire.ts';
import { createLog } from '../../../lib/log.ts';
import { createFleet } from '../../../lib/meter/fleet.ts';
import { RemoteMeters } from '../../../lib/remote/remote-meters.ts';
import { createServedSessions, type ServedSessionsParts } from '../../../lib/remote/served.ts';
import { memoryTransport } from '../../../lib/transport/memory.ts';
import { VirtualClock } from '../../../simulator/clock.ts';
import { ask, Configs, STREAM, UNIT } from '../../meter/support/bench.ts';
import { ScriptedMeter } from '../../meter/support/scripted-meter.ts';
import { familiesWith } from '../../support/families/usual.ts';
import { messagePipe } from '../../support/message-pipe.ts';

const log = createLog('silent');

/** `limits`: as of the served sessions. */
export function twoInstances(t: Test, limits: ServedSessionsParts['limits'] = {}) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const network = memoryTransport();
  const device = new ScriptedMeter(network, clock);
  const families = familiesWith({ proof: ask('Proof'), stream: STREAM, stateQuestions: {} });
  const served = createServedSessions({
    createFleet: (given) => createFleet({ transport: network.transport, log, families, random: () => 1, ...given }),
    clock,
    log,
    limits,
  });
  void served.own(new Set([UNIT]));
  t.teardown(async () => {
    await clock.until(served.close());
  });
  /** `wall`, `elapsed`: how far its clocks are ahead of those of the serving instance, ms. `before`: its last link. */
  const gateway = ({
    wall = 0,
    elapsed = 0,
    before,
  }: {
    wall?: number;
    elapsed?: number;
    before?: RemoteMeters;
  } = {}) => {
    const own: Clock = {
      now: () => clock.now() + wall,
      elapsed: () => clock.elapsed() + elapsed,
      after: (ms, fire) => clock.after(ms, fire),
    };
    const { near, far, line } = messagePipe();
    const configs = new Configs();
    const events = createEventStream(own, log);
    const taps = createWireTaps();
    const heard: EventKind[] = [];
    for (const kind of ['state', 'identity', 'command', 'frame', 'connection'] as const) {
      events.on(kind, () => heard.push(kind));
    }
    served.attach(far);
    const had = before?.had;
    const known = had === undefined ? {} : { had };
    const remote = new RemoteMeters({ pipe: near, families, configs, events, taps, clock: own, log, ...known });
    return { near, far, line, configs, events, taps, heard, remote, meter: remote.meter(UNIT) };
  };
  return { clock, network, device, served, families, gateway };
}

/** What was sent over an end of a pipe. */
export const sentOf = ({ sent }: { readonly sent: readonly string[] }): readonly Record<string, unknown>[] =>
  sent.map((text) => JSON.parse(text));

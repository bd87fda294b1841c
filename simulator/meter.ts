/** Composition root of one simulated meter: builds its parts, starts its two servers, stops them again. */
import { createInstrument } from './acoustics/index.ts';
import { createCard, furnish } from './card/index.ts';
import { realClock } from './clock.ts';
import type { MeterOptions, SimulatedMeter } from './contract.ts';
import { Events } from './events.ts';
import { ftpConduct, startFtp } from './ftp/index.ts';
import { releasePort, reservePort } from './ftp/port.ts';
import { readValue, turnValue } from './keys.ts';
import { Listener } from './listener.ts';
import { Machine } from './machine.ts';
import { Power } from './power.ts';
import { loadProfile } from './profile.ts';
import { quietBoard } from './quiet.ts';
import { seeded } from './random.ts';

/** A common card of the field; the size is not from any document. MB. */
const CARD_MB = 30_436;

/** Stores that a card comes with are of this morning, ms. */
const FURNISHED_BEFORE_MS = 4 * 3_600_000;

/** Starts a meter on loopback. Rejects on a wrong option and on a port that is taken. */
export async function startMeter(options: MeterOptions = {}): Promise<SimulatedMeter> {
  const { host = '127.0.0.1', model = 'NL-43', serial = '00144703', seed = 1, scenario = 'office' } = options;
  const { clock = realClock(), soundStepMs = 10, keepEvents = 100_000 } = options;
  if (!/^\d{8}$/.test(serial)) throw new TypeError(`a serial number has eight digits, not ${JSON.stringify(serial)}`);
  const profile = loadProfile(options.profile);
  const events = new Events(() => clock.elapsed(), keepEvents);
  const instrument = createInstrument({ seed, scenario, stepMs: soundStepMs });
  const startedAt = clock.now() + profile.clock_offset_s * 1_000;
  const card = createCard({ model, totalMb: CARD_MB, seed, startedAt });
  if (options.furnished) furnish(card, { serial, seed, at: startedAt - FURNISHED_BEFORE_MS });
  const machine = new Machine({
    clock,
    instrument,
    card,
    profile,
    model,
    serial,
    note: (kind, text) => events.note({ kind, text }),
    reachChanged: () => {
      power.follow().catch((error: unknown) => events.note({ kind: 'power', text: `port not open: ${error}` }));
    },
  });
  const ftp = await startFtp({
    host,
    port: options.ftpPort ?? 0,
    card,
    clock,
    deviceNow: () => machine.time.now(),
    conduct: ftpConduct({ startDelayMs: profile.ftp_start_delay_ms }),
    log: (text) => events.note({ kind: 'ftp', text }),
  });
  const faults = quietBoard();
  const port = options.tcpPort || (await reservePort(host));
  const listener = new Listener({ host, port, clock, machine, events, faults, random: seeded(seed) });
  const power = new Power(clock, machine, listener, ftp);
  const stop = async () => {
    await power.stop();
    releasePort(port);
  };
  await power.follow().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    host,
    tcpPort: listener.port,
    ftpPort: ftp.port,
    log: events,
    instrument,
    card,
    faults,
    read: (name) => readValue(machine, name),
    turn: (name, value) => turnValue(machine, name, value),
    powerCycle: (afterMs = 0) => power.cycle(afterMs),
    stop,
  };
}

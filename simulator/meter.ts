/** Composition root of one simulated meter: builds its parts, starts its two servers, stops them again. */
import { createInstrument } from './acoustics/index.ts';
import { addSampleStores, createCard } from './card/index.ts';
import { realClock } from './clock.ts';
import type { MeterOptions, SimulatedMeter } from './contract.ts';
import { Events } from './events.ts';
import { createFaultBoard } from './faults/index.ts';
import { ftpBehaviour, startFtp } from './ftp/index.ts';
import { releasePort, reservePort } from './ftp/port.ts';
import { readValue, setValue, turnOf } from './keys.ts';
import { MeterListener } from './listener.ts';
import { Machine } from './machine.ts';
import { Power } from './power.ts';
import { loadProfile, type Profile } from './profile.ts';
import { seeded } from './random.ts';

/** A common card of the field; the size is not from any document. MB. */
const CARD_MB = 30_436;

/** Stores that a card comes with are of this morning, ms. */
const SAMPLES_BEFORE_MS = 4 * 3_600_000;

const DEFAULTS = Object.freeze({
  host: '127.0.0.1',
  tcpPort: 0,
  ftpPort: 0,
  model: 'NL-43',
  serial: '00144703',
  seed: 1,
  scenario: 'office',
  soundStepMs: 10,
  keepEvents: 100_000,
  sampleStores: false,
});

/** Options with everything in them. */
type Equipment = Required<Omit<MeterOptions, 'profile'>> & { readonly profile: Profile };

/** Starts a meter on loopback. Rejects on a wrong option and on a port that is taken; nothing is left open then. */
export async function startMeter(options: MeterOptions = {}): Promise<SimulatedMeter> {
  const clock = options.clock ?? realClock();
  const equipment: Equipment = { ...DEFAULTS, ...options, clock, profile: loadProfile(options.profile) };
  const { serial } = equipment;
  if (!/^\d{8}$/.test(serial)) throw new TypeError(`a serial number has eight digits, not ${JSON.stringify(serial)}`);
  return connect(equipment, assemble(equipment));
}

/** Everything that needs no port. */
function assemble(equipment: Equipment) {
  const { clock, model, profile, scenario, seed, serial } = equipment;
  const events = new Events(() => clock.elapsed(), equipment.keepEvents);
  const instrument = createInstrument({ seed, scenario, stepMs: equipment.soundStepMs });
  const startedAt = clock.now() + profile.clock_offset_s * 1_000;
  const card = createCard({ model, totalMb: CARD_MB, seed, startedAt });
  if (equipment.sampleStores) addSampleStores(card, { serial, seed, at: startedAt - SAMPLES_BEFORE_MS });
  const wiring = { networkChanged: () => {} };
  const machine = new Machine({
    clock,
    instrument,
    card,
    profile,
    model,
    serial,
    note: (kind, text) => events.note({ kind, text }),
    networkChanged: () => wiring.networkChanged(),
  });
  return { events, instrument, card, machine, wiring };
}

async function connect(equipment: Equipment, parts: ReturnType<typeof assemble>): Promise<SimulatedMeter> {
  const { clock, host, profile, seed } = equipment;
  const { card, events, instrument, machine, wiring } = parts;
  const behaviour = ftpBehaviour({
    startDelayMs: profile.ftp_start_delay_ms,
    linkMs: profile.link_ms,
    restart: profile.ftp_rest === 'done',
  });
  const ftp = await startFtp({
    host,
    port: equipment.ftpPort,
    card,
    clock,
    deviceNow: () => machine.time.now(),
    behaviour,
    seed,
    log: (text) => events.note({ kind: 'ftp', text }),
  });
  const faults = createFaultBoard({
    clock,
    seed,
    behaviour,
    note: (text) => events.note({ kind: 'fault', text }),
    portChanged: () => wiring.networkChanged(),
    cut: (how) => listener.cut(how),
    say: (connection, emissions) => listener.say(connection, emissions),
    powerCycle: (afterMs) => void power.cycle(afterMs).catch(trouble),
  });
  const port = equipment.tcpPort || (await reservePort(host));
  const listener = new MeterListener({ host, port, clock, machine, events, faults, random: seeded(seed) });
  const power = new Power({ clock, machine, listener, ftp, faults });
  const trouble = (error: unknown) => events.note({ kind: 'power', text: `the control port did not open: ${error}` });
  wiring.networkChanged = () => void power.follow().catch(trouble);
  const stop = () => power.stop().finally(() => releasePort(port));
  await power.follow().catch((error: unknown) => stop().then(() => Promise.reject(error)));
  return {
    host,
    tcpPort: port,
    ftpPort: ftp.port,
    log: events,
    instrument,
    card,
    faults,
    read: (name) => readValue(machine, name),
    check: (name, value) => void turnOf(machine, name, value),
    set: (name, value) => setValue(machine, name, value),
    powerCycle: (afterMs = 0) => power.cycle(afterMs),
    stop,
  };
}

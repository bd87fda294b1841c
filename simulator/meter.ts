/**
 * Composition root of one simulated meter: builds its parts, starts its two servers, stops them again. The power of the meter is
 * also that of its servers: ports open and close as the machine can be reached.
 */
import { createInstrument } from './acoustics/instrument.ts';
import { addSampleStores, createCard } from './card/index.ts';
import { realClock } from './clock.ts';
import type { Clock, MeterOptions, SimulatedMeter } from './contract.ts';
import { Events } from './events.ts';
import { createFaultBoard } from './faults/board.ts';
import type { WireFaults } from './faults/contract.ts';
import { type FtpServer, ftpBehaviour, startFtp } from './ftp/index.ts';
import { releasePort, reservePort } from './ftp/port.ts';
import { readValue, setValue, turnOf } from './keys.ts';
import { MeterListener } from './listener.ts';
import { Machine } from './machine.ts';
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

type Equipment = Required<Omit<MeterOptions, 'profile'>> & { readonly profile: Profile };

/** Starts a meter on loopback. Rejects on a wrong option and on a port that is taken; nothing is left open then. */
export async function startMeter(options: MeterOptions = {}): Promise<SimulatedMeter> {
  const clock = options.clock ?? realClock();
  const equipment: Equipment = { ...DEFAULTS, ...options, clock, profile: loadProfile(options.profile) };
  const { serial } = equipment;
  if (!/^\d{8}$/.test(serial)) throw new TypeError(`a serial number has eight digits, not ${JSON.stringify(serial)}`);
  return connect(equipment, assemble(equipment));
}

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

interface Parts {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly listener: MeterListener;
  readonly ftp: FtpServer;
  readonly faults: WireFaults;
}

class Power {
  readonly #parts: Parts;
  #stopped = false;
  #backOn: (() => void) | null = null;
  #cuts = 0;
  #latest: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings both ports to what the machine wants of them. Resolves when the control port has followed. */
  async follow(): Promise<void> {
    if (this.#stopped) return;
    const { machine, listener, ftp } = this.#parts;
    const switched = machine.network.ftp === 'served' ? ftp.on() : ftp.off();
    // If the port is taken, clients see a server that refuses. Nothing here waits for the start delay of FTP.
    switched.catch(() => {});
    await listener.refresh();
  }

  /** Resolves when the meter is back. A cut during a cut begins the wait again, for both. */
  cycle(afterMs: number): Promise<void> {
    this.#latest = this.#cut(afterMs, ++this.#cuts);
    return this.#latest;
  }

  async #cut(afterMs: number, number: number): Promise<void> {
    const { machine, listener, faults } = this.#parts;
    this.#backOn?.();
    machine.powerOff();
    listener.forget();
    faults.powerCycled();
    await this.follow();
    if (afterMs > 0) await this.#wait(afterMs);
    if (number !== this.#cuts) return this.#latest;
    if (this.#stopped) return;
    machine.powerOn();
    await this.follow();
  }

  async stop(): Promise<void> {
    const { machine, listener, ftp, faults } = this.#parts;
    this.#stopped = true;
    this.#backOn?.();
    faults.close();
    machine.close();
    await Promise.all([listener.stop(), ftp.stop()]);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        cancel();
        if (this.#backOn === over) this.#backOn = null;
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, over);
      this.#backOn = over;
    });
  }
}

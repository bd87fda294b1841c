/** A meter without own waits on virtual time. A bare line to it knows when all bytes have arrived. */
import type { Test } from 'tap';
import {
  type MeterEvent,
  type MeterOptions,
  type SimulatedMeter,
  startMeter,
  VirtualClock,
} from '../../../simulator/index.ts';
import { Bare, eventually } from '../bare.ts';

type Out = Extract<MeterEvent, { bytes: Uint8Array }>;

export const SUB = '\x1a';
export const HEALTHY = 'R+0000\r\nNL-43\r\n$';

export interface FaultRig {
  readonly clock: VirtualClock;
  readonly meter: SimulatedMeter;
  line(): Promise<Line>;
}

/** The sound model is the coarse one: no test here looks at numbers. */
export async function faultRig(t: Test, options: MeterOptions = {}): Promise<FaultRig> {
  const clock = new VirtualClock();
  const meter = await startMeter({ clock, profile: 'instant', soundStepMs: 100, ...options });
  t.teardown(() => meter.stop());
  const line = async () => {
    const opened = await Line.open(meter, clock);
    t.teardown(() => opened.close());
    return opened;
  };
  return { clock, meter, line };
}

export async function lineRig(t: Test, options: MeterOptions = {}) {
  const made = await faultRig(t, options);
  return { ...made, client: await made.line() };
}

/** Switches FTP on and waits until its port accepts. */
export async function ftpOn(meter: SimulatedMeter): Promise<void> {
  const listening = () => meter.log.events.filter((event) => event.kind === 'ftp' && event.text === 'listening').length;
  const before = listening();
  meter.set('FTP', 'On');
  await eventually(() => listening() > before);
}

/** Time that whoever holds it moves. */
interface Moved {
  advance(ms: number): Promise<void>;
}

export class Line {
  readonly #meter: SimulatedMeter;
  readonly #clock: Moved;
  readonly #bare: Bare;
  readonly connection: number;
  #taken = 0;
  #typed = 0;

  private constructor(meter: SimulatedMeter, clock: Moved, bare: Bare, connection: number) {
    this.#meter = meter;
    this.#clock = clock;
    this.#bare = bare;
    this.connection = connection;
  }

  static async open(meter: SimulatedMeter, clock: Moved): Promise<Line> {
    const arrivals = () => meter.log.events.filter(({ kind }) => /^(connect|held|refused)$/.test(kind));
    const before = arrivals().length;
    const line = new Line(meter, clock, await Bare.open(meter.tcpPort), before + 1);
    await eventually(() => arrivals().length > before);
    return line;
  }

  get ended(): Bare['ended'] {
    return this.#bare.ended;
  }

  /** Types where nobody listens. */
  send(text: string): void {
    this.#bare.type(text);
  }

  /** Types bytes as they are; resolves when the meter's side has them. */
  async type(text: string): Promise<void> {
    this.#typed += text.length;
    this.send(text);
    await eventually(() => this.#came() >= this.#typed || this.#bare.isOver);
  }

  /** Lets time pass; then what has come and was not taken yet. */
  async pass(ms = 0): Promise<string> {
    if (ms > 0) await this.#clock.advance(ms);
    await eventually(() => this.#bare.heard.length >= this.#said() || this.#bare.isOver);
    const text = this.#bare.heard.slice(this.#taken);
    this.#taken = this.#bare.heard.length;
    return text;
  }

  async ask(command: string, ms = 0): Promise<string> {
    await this.type(`${command}\r\n`);
    return this.pass(ms);
  }

  /** Segments in the order in which they went to the wire, with their times. */
  get segments(): { readonly at: number; readonly text: string }[] {
    return this.#outs().map(({ at, bytes }) => ({ at, text: Buffer.from(bytes).toString('latin1') }));
  }

  stall(): void {
    this.#bare.socket.pause();
  }

  close(): void {
    this.#bare.socket.destroy();
  }

  async leave(): Promise<void> {
    const gone = () => this.#meter.log.events.filter(({ kind }) => kind === 'disconnect').length;
    const before = gone();
    this.close();
    await eventually(() => gone() > before);
  }

  #outs(): Out[] {
    return this.#meter.log.events.filter(
      (event): event is Out => event.kind === 'out' && event.connection === this.connection,
    );
  }

  #said(): number {
    return this.#outs().reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  #came(): number {
    return this.#meter.log.events.reduce(
      (sum, event) => (event.kind === 'in' && event.connection === this.connection ? sum + event.bytes.length : sum),
      0,
    );
  }
}

export const counters = (text: string): number[] =>
  [...text.matchAll(/^ *(\d+),/gm)].map(([, counter]) => Number(counter));

export const texts = (meter: SimulatedMeter, kind: 'fault' | 'power' | 'state'): string[] =>
  meter.log.events.flatMap((event) => (event.kind === kind ? [event.text] : []));

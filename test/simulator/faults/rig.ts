/** A meter without waits of its own on virtual time, and a bare line to it that knows when everything has arrived. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import {
  type MeterEvent,
  type MeterOptions,
  type SimulatedMeter,
  startMeter,
  VirtualClock,
} from '../../../simulator/index.ts';

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

/** Waits, without a limit of its own, for what is under way on loopback. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Switches FTP on and waits until its port accepts. */
export async function ftpOn(meter: SimulatedMeter): Promise<void> {
  const listening = () => meter.log.events.filter((event) => event.kind === 'ftp' && event.text === 'listening').length;
  const before = listening();
  meter.turn('FTP', 'On');
  await eventually(() => listening() > before);
}

/** Time that whoever holds it moves. */
interface Moved {
  advance(ms: number): Promise<void>;
}

export class Line {
  readonly #meter: SimulatedMeter;
  readonly #clock: Moved;
  readonly #socket: Socket;
  readonly connection: number;
  #heard = '';
  #taken = 0;
  #typed = 0;
  ended: 'open' | 'half' | 'closed' | 'reset' = 'open';

  private constructor(meter: SimulatedMeter, clock: Moved, socket: Socket, connection: number) {
    this.#meter = meter;
    this.#clock = clock;
    this.#socket = socket;
    this.connection = connection;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#heard += text;
    });
    socket.on('end', () => {
      this.ended = 'half';
    });
    socket.on('error', () => {
      this.ended = 'reset';
    });
    socket.on('close', () => {
      if (this.ended !== 'reset') this.ended = 'closed';
    });
  }

  /** Connected, and noticed by the meter. */
  static async open(meter: SimulatedMeter, clock: Moved): Promise<Line> {
    const arrivals = () => meter.log.events.filter(({ kind }) => /^(connect|held|refused)$/.test(kind));
    const before = arrivals().length;
    const socket = connect({ port: meter.tcpPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const line = new Line(meter, clock, socket, before + 1);
    await once(socket, 'connect').catch((error: NodeJS.ErrnoException) => {
      // A reset may be there before anybody looked; then it was a connection all the same.
      if (error.code !== 'ECONNRESET') throw error;
    });
    await eventually(() => arrivals().length > before);
    return line;
  }

  /** Types where nobody listens. */
  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** Types bytes as they are; resolves when the meter's side has them. */
  async type(text: string): Promise<void> {
    this.#typed += text.length;
    this.send(text);
    await eventually(() => this.#came() >= this.#typed || this.ended === 'closed' || this.ended === 'reset');
  }

  /** Lets time pass; then what has come and was not taken yet. */
  async pass(ms = 0): Promise<string> {
    if (ms > 0) await this.#clock.advance(ms);
    await eventually(() => this.#heard.length >= this.#said() || this.ended === 'closed' || this.ended === 'reset');
    const text = this.#heard.slice(this.#taken);
    this.#taken = this.#heard.length;
    return text;
  }

  /** A command line, so much time, and what has come by then. */
  async ask(command: string, ms = 0): Promise<string> {
    await this.type(`${command}\r\n`);
    return this.pass(ms);
  }

  /** Segments in the order in which they went to the wire, with their times. */
  get segments(): { readonly at: number; readonly text: string }[] {
    return this.#outs().map(({ at, bytes }) => ({ at, text: Buffer.from(bytes).toString('latin1') }));
  }

  /** Reads no more. */
  stall(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closed, and noticed by the meter. */
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

/** Counters of the frames in a text. */
export const counters = (text: string): number[] =>
  [...text.matchAll(/^ *(\d+),/gm)].map(([, counter]) => Number(counter));

export const texts = (meter: SimulatedMeter, kind: 'fault' | 'power' | 'state'): string[] =>
  meter.log.events.flatMap((event) => (event.kind === kind ? [event.text] : []));

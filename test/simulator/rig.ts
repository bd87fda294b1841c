/** A meter on virtual time and a bare client that types at it. */
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import {
  type MeterEvent,
  type MeterOptions,
  type SimulatedMeter,
  startMeter,
  VirtualClock,
} from '../../simulator/index.ts';
import type { Profile } from '../../simulator/profile.ts';

/** No waits of the meter, so that a reply needs no time to pass. */
const INSTANT = {
  think_query_ms: [0, 0],
  think_start_ms: [0, 0],
  slow_start_percent: 0,
  think_stop_ms: [0, 0],
  think_store_ms: [0, 0],
  display_refresh_ms: 0,
  ftp_start_delay_ms: 0,
} as const satisfies Partial<Profile>;

export interface Rig {
  readonly clock: VirtualClock;
  readonly meter: SimulatedMeter;
  client(): Promise<Client>;
}

/** Quirks are those of the profile `instant`, with changes. */
export async function rig(t: Test, switches: Partial<Profile> = {}, options: MeterOptions = {}): Promise<Rig> {
  const clock = new VirtualClock();
  const meter = await startMeter({ clock, profile: { ...INSTANT, ...switches }, ...options });
  t.teardown(() => meter.stop());
  const client = async () => {
    const opened = await Client.open(meter.tcpPort);
    t.teardown(() => opened.close());
    return opened;
  };
  return { clock, meter, client };
}

export async function typing(t: Test, switches: Partial<Profile> = {}, options: MeterOptions = {}) {
  const made = await rig(t, switches, options);
  return { ...made, typist: await made.client() };
}

export class Client {
  readonly #socket: Socket;
  heard = '';
  #closed = false;
  #arrived = () => {};
  /** How the connection ended, when it did. */
  readonly ended: Promise<'closed' | 'reset'>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    let how: 'closed' | 'reset' = 'closed';
    socket.setEncoding('latin1');
    socket.on('error', () => {
      how = 'reset';
    });
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#closed = true;
        this.#arrived();
        resolve(how);
      });
    });
    socket.on('data', (text: string) => {
      this.heard += text;
      this.#arrived();
    });
  }

  static open(port: number): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Client(socket));
      });
    });
  }

  type(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  ask(line: string): Promise<string> {
    this.type(`${line}\r\n`);
    return this.take('$');
  }

  /** Begins a stream and takes its result. */
  stream(): Promise<string> {
    this.type('DRD?\r\n');
    return this.take('\r\n');
  }

  async take(end: string | RegExp): Promise<string> {
    const whole = () => (typeof end === 'string' ? this.heard.includes(end) : end.test(this.heard));
    while (!whole() && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
    const heard = this.heard;
    this.heard = '';
    return heard;
  }

  close(): void {
    this.#socket.destroy();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }
}

export function happened(meter: SimulatedMeter, kind: MeterEvent['kind'], times = 1): Promise<void> {
  const enough = () => meter.log.events.filter((event) => event.kind === kind).length >= times;
  if (enough()) return Promise.resolve();
  return new Promise((resolve) => {
    const unfollow = meter.log.follow(() => {
      if (!enough()) return;
      unfollow();
      resolve();
    });
  });
}

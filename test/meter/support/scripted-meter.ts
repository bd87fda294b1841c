/**
 * A meter that says what a test wrote down and nothing else. It is strict: a command that was not expected, bytes that are
 * no command, and an expectation that nothing met are faults of the test.
 */
import type { Test } from 'tap';
import type { Clock } from '../../../lib/clock.ts';
import type { ByteStream } from '../../../lib/transport/contract.ts';
import type { MemoryNetwork } from '../../support/memory-transport.ts';

export const CLOSE = Symbol('close');
export const RESET = Symbol('reset');
/** One act of the meter: a text to send, ms to wait, an end of the connection. */
export type Act = string | number | typeof CLOSE | typeof RESET;

export const ADDRESS = { host: 'meter.test', port: 2255 };
export const SUB = '\x1a';

interface Heard {
  readonly text: string;
  readonly at: number;
  /** Number of the connection it came over, from 1. */
  readonly connection: number;
}

export class ScriptedMeter {
  readonly heard: Heard[] = [];
  readonly connections: ByteStream[] = [];
  readonly faults: string[] = [];
  /** Time of the last byte sent by the meter. */
  spokeAt = Number.NEGATIVE_INFINITY;
  /** Shortest time between the last byte of the meter, or the command before, and a command. */
  shortestRest = Number.POSITIVE_INFINITY;
  readonly #clock: Clock;
  readonly #expected: { text: string; acts: readonly Act[] }[] = [];
  readonly #always = new Map<string, readonly Act[]>();
  #listening: (() => void) | undefined;

  constructor(network: MemoryNetwork, clock: Clock, address = ADDRESS) {
    this.#clock = clock;
    this.#listening = network.listen(address, (connection) => this.#accept(connection));
  }

  /** The next command is this one, and that is what the meter does then. */
  expect(text: string, ...acts: Act[]): this {
    this.#expected.push({ text, acts });
    return this;
  }

  /** Answers this command whenever it comes. */
  always(text: string, ...acts: Act[]): this {
    this.#always.set(text, acts);
    return this;
  }

  get commands(): string[] {
    return this.heard.map(({ text }) => text);
  }

  get connects(): number {
    return this.connections.length;
  }

  /** The latest connection. */
  get line(): ByteStream {
    const last = this.connections.at(-1);
    if (!last) throw new Error('nobody is connected');
    return last;
  }

  say(text: string, connection = this.line): void {
    if (!connection.ending) this.spokeAt = this.#clock.elapsed();
    connection.send(Buffer.from(text, 'latin1'));
  }

  /** Stops accepting; who is connected stays. */
  hangUp(): void {
    this.#listening?.();
    this.#listening = undefined;
  }

  /** Everything expected has happened and nothing else. */
  verify(t: Test): void {
    t.same(this.faults, [], 'the meter saw nothing unexpected');
    t.same(
      this.#expected.map(({ text }) => text),
      [],
      'everything expected was sent',
    );
  }

  #accept(connection: ByteStream): void {
    const number = this.connections.push(connection);
    let rest = '';
    connection.receive((chunk) => {
      rest += Buffer.from(chunk).toString('latin1');
      for (;;) {
        const taken = takeCommand(rest);
        if (!taken) return;
        rest = taken.rest;
        this.#hear(taken.text, number, connection);
      }
    });
  }

  #hear(text: string, number: number, connection: ByteStream): void {
    const at = this.#clock.elapsed();
    const before = Math.max(this.spokeAt, this.heard.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
    if (text !== SUB) this.shortestRest = Math.min(this.shortestRest, at - before);
    this.heard.push({ text, at, connection: number });
    this.#act(connection, [...this.#actsFor(text)]);
  }

  #actsFor(text: string): readonly Act[] {
    if (this.#expected[0]?.text === text) return this.#expected.shift()?.acts ?? [];
    const usual = this.#always.get(text);
    if (!usual) this.faults.push(`unexpected ${JSON.stringify(text)}`);
    return usual ?? [];
  }

  #act(connection: ByteStream, acts: Act[]): void {
    for (let act = acts.shift(); act !== undefined; act = acts.shift()) {
      if (typeof act === 'number') {
        this.#clock.after(act, () => this.#act(connection, acts));
        return;
      }
      if (typeof act === 'string') this.say(act, connection);
      else if (act === CLOSE) connection.close('the meter closed');
      else connection.destroy('the meter broke');
    }
  }
}

/** SUB alone, or a line with its end. */
function takeCommand(bytes: string): { text: string; rest: string } | undefined {
  if (bytes.startsWith(SUB)) return { text: SUB, rest: bytes.slice(1) };
  const end = bytes.indexOf('\r\n');
  return end < 0 ? undefined : { text: bytes.slice(0, end), rest: bytes.slice(end + 2) };
}

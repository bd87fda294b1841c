/**
 * One open connection to a meter, as lines. It knows who may hear a line and which lines nobody asked for; it knows no
 * reply and no retry.
 *
 * Between commands the line is quiet. A complete line then is a late reply, or one too many: the wire is dirty from there
 * on and must not be used again, or the next caller would get somebody else's answer. Right after a stream frames may
 * still be on their way; they are thrown away until the next command, for a limited time.
 */
import type { Clock } from '../clock.ts';
import { LINE_END, SUB } from '../nl43/spec/framing.ts';
import type { Connection, Ending } from '../transport/contract.ts';
import { type Framed, LineFramer } from '../transport/lines.ts';
import type { CommandGap } from './command-gap.ts';
import type { Counters } from './counters.ts';
import { isPrompt, withoutPrompts } from './reply.ts';

/** Who listens at the moment. */
export interface Reader {
  line(line: Framed): void;
  /** A chunk has been taken in whole; some of it may be an unfinished line. */
  chunk?(): void;
  ended(ending: Ending): void;
}

interface Parts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly commandGap: CommandGap;
  readonly counters: Counters;
  readonly maxLineBytes: number;
  /** Called once, when the wire becomes dirty. */
  readonly onDirty: (why: string) => void;
}

/**
 * A stream is 1.7 KB a second (ten frames, a captured one has 165 bytes), and a network that stalled for minutes hands on
 * at once what it held: still far less.
 */
const MOST_BYTES = 4 * 1024 * 1024;
/** Twice what a simulated meter sends whose time runs a thousand times as fast. */
const MOST_LINES = 20_000;
const WITHIN_MS = 1_000;
const PRINTABLE = /^[\x20-\x7e]+$/;
const shorten = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}...` : text);

/** The last guard before the meter: a command is printable ASCII, so no line break and no SUB can hide in it. */
export function requirePrintable(text: string): void {
  if (!PRINTABLE.test(text)) throw new Error(`not a command line: ${JSON.stringify(shorten(text))}`);
}

export class Wire {
  readonly #parts: Parts;
  readonly #framer: LineFramer;
  #reader: Reader | undefined;
  #dirty: string | undefined;
  #forgivenUntil = Number.NEGATIVE_INFINITY;
  #heard = false;
  #prompts = false;
  #spoke = false;
  #provenAt: number;
  #countedSince = Number.NEGATIVE_INFINITY;
  #counted = { bytes: 0, lines: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#provenAt = parts.clock.elapsed();
    this.#framer = new LineFramer(parts.maxLineBytes);
    parts.connection.receive((chunk) => this.#receive(chunk));
    // One listener for the life of the connection: one a command would pile up over weeks.
    parts.connection.ended.then((ending) => this.#reader?.ended(ending));
  }

  get ended(): Promise<Ending> {
    return this.#parts.connection.ended;
  }

  get ending(): Ending | undefined {
    return this.#parts.connection.ending;
  }

  /** Why this wire must not be used for a further command; undefined while it may. */
  get unfit(): string | undefined {
    if (this.#dirty) return this.#dirty;
    const { rest } = this.#framer;
    return rest === '' || isPrompt(rest) ? undefined : `unfinished line ${JSON.stringify(shorten(rest))}`;
  }

  /** Whether any byte came since the last command went out. */
  get heard(): boolean {
    return this.#heard;
  }

  /** ms since the meter last proved to be there: with a byte, or by accepting the connection. */
  get quietMs(): number {
    return this.#parts.clock.elapsed() - this.#provenAt;
  }

  /** Whether the last thing the meter showed is its prompt, maybe behind a line that it broke off. */
  get prompted(): boolean {
    return /\$ *$/.test(this.#framer.rest);
  }

  /** Whether any byte has come over it at all. */
  get spoke(): boolean {
    return this.#spoke;
  }

  /** Whether this connection has shown a prompt at all. */
  get prompts(): boolean {
    return this.#prompts;
  }

  /** The stream is over: an unfinished line of it will not be finished. */
  forget(): void {
    this.#framer.reset();
  }

  /** Gives all lines to one reader from now on. The disposer makes the line quiet again. */
  listen(reader: Reader): () => void {
    this.#reader = reader;
    return () => {
      if (this.#reader === reader) this.#reader = undefined;
    };
  }

  /** Sends a command line. Throws on anything but printable ASCII, before a byte has left. */
  sendLine(text: string): void {
    requirePrintable(text);
    this.#forgivenUntil = Number.NEGATIVE_INFINITY;
    this.#heard = false;
    this.#send(Buffer.from(text + LINE_END, 'latin1'));
  }

  /** Ends a stream. Lines that come within `forgiveMs` are frames on their way, and no dirt. */
  sendSub(forgiveMs: number): void {
    this.#forgivenUntil = this.#parts.clock.elapsed() + forgiveMs;
    this.#send(Uint8Array.of(SUB));
  }

  close(reason: string): void {
    this.#parts.connection.close(reason);
  }

  destroy(reason: string): void {
    this.#parts.connection.destroy(reason);
  }

  #send(bytes: Uint8Array): void {
    this.#parts.commandGap.restart();
    this.#parts.counters.bytesSent += bytes.length;
    this.#parts.connection.send(bytes);
  }

  #receive(chunk: Uint8Array): void {
    this.#parts.commandGap.restart();
    this.#parts.counters.bytesReceived += chunk.length;
    this.#heard = true;
    this.#spoke = true;
    this.#provenAt = this.#parts.clock.elapsed();
    const lines = this.#framer.feed(chunk);
    this.#count(chunk.length, lines.length);
    for (const line of lines) this.#line(line);
    this.#prompts ||= this.prompted;
    this.#reader?.chunk?.();
  }

  /** A peer that floods would cost the other meters their time, however well-formed its lines are. */
  #count(bytes: number, lines: number): void {
    const now = this.#parts.clock.elapsed();
    if (now - this.#countedSince >= WITHIN_MS) {
      this.#countedSince = now;
      this.#counted = { bytes: 0, lines: 0 };
    }
    this.#counted.bytes += bytes;
    this.#counted.lines += lines;
    if (this.#counted.bytes > MOST_BYTES) this.#spoil(`a flood: more than ${MOST_BYTES} bytes within ${WITHIN_MS} ms`);
    if (this.#counted.lines > MOST_LINES) this.#spoil(`a flood: more than ${MOST_LINES} lines within ${WITHIN_MS} ms`);
  }

  #line(line: Framed): void {
    if (this.#reader) this.#reader.line(line);
    else if (this.#parts.clock.elapsed() >= this.#forgivenUntil) this.#judge(line);
  }

  /** A line that nobody asked for. */
  #judge(line: Framed): void {
    if (typeof line !== 'string') this.#spoil(`unexpected bytes: ${line.message}`);
    else if (withoutPrompts(line).trim() !== '') this.#spoil(`unexpected line ${JSON.stringify(shorten(line))}`);
  }

  #spoil(why: string): void {
    if (this.#dirty) return;
    this.#dirty = why;
    this.#parts.onDirty(why);
  }
}

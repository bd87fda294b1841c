/**
 * One open connection to a meter, as lines. It knows who hears a line and which lines nobody asked for; it knows no command
 * and no retry.
 *
 * Between commands nothing is expected. A complete line then is a late reply, or one too many: the connection is dirty from
 * there on and must not be used again, or the next caller would get somebody else's answer. Right after a stream frames may
 * still be on their way; they are thrown away until the next command, for a limited time.
 */
import type { Clock } from '../clock.ts';
import type { Driver } from '../driver/contract.ts';
import type { ByteStream, Ending } from '../transport/contract.ts';
import { type Framed, LineFramer } from '../transport/lines.ts';
import type { CommandGap } from './command-gap.ts';
import type { Counters } from './counters.ts';

/** What hears the lines at the moment. */
export interface LineListener {
  line(line: Framed): void;
  /** A chunk has been taken in whole; some of it may be an unfinished line. */
  chunk?(): void;
  ended(ending: Ending): void;
}

interface Parts {
  readonly socket: ByteStream;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly commandGap: CommandGap;
  readonly counters: Counters;
  readonly maxLineBytes: number;
  /** Called once, when the connection becomes dirty. */
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
/** Replies after which it is known how quick a meter is. On a link that is quicker than this nothing can be told. ms */
const SAMPLES = 4;
const SHORTEST_LINK_MS = 20;
const PRINTABLE = /^[\x20-\x7e]+$/;
const shorten = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}...` : text);

/** The last guard before the meter: a command is printable ASCII, so no line break and no SUB can hide in it. */
export function requirePrintable(text: string): void {
  if (!PRINTABLE.test(text)) throw new Error(`not a command line: ${JSON.stringify(shorten(text))}`);
}

export class Connection {
  readonly #parts: Parts;
  readonly #framer: LineFramer;
  #listener: LineListener | undefined;
  #dirty: string | undefined;
  #forgivenUntil = Number.NEGATIVE_INFINITY;
  #heard = false;
  #hasShownPrompt = false;
  #hasReceived = false;
  #provenAt: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  readonly #firstByteMs: number[] = [];
  /** Commands whose replies could not be read, since the last one that could. */
  readonly #unreadable = new Set<string>();
  #countedSince = Number.NEGATIVE_INFINITY;
  #counted = { bytes: 0, lines: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#provenAt = parts.clock.elapsed();
    this.#framer = new LineFramer(parts.maxLineBytes);
    parts.socket.receive((chunk) => this.#receive(chunk));
    // One listener for the life of the connection: one a command would pile up over weeks.
    parts.socket.ended.then((ending) => this.#listener?.ended(ending));
  }

  get ended(): Promise<Ending> {
    return this.#parts.socket.ended;
  }

  get ending(): Ending | undefined {
    return this.#parts.socket.ending;
  }

  /** Why this connection must not be used for a further command; undefined while it may. */
  get unfit(): string | undefined {
    if (this.#dirty) return this.#dirty;
    const { rest } = this.#framer;
    return rest === '' || this.#parts.driver.isPrompt(rest)
      ? undefined
      : `unfinished line ${JSON.stringify(shorten(rest))}`;
  }

  /** A line came that nobody asked for. */
  get isDirty(): boolean {
    return this.#dirty !== undefined;
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
    return this.#parts.driver.endsWithPrompt(this.#framer.rest);
  }

  /** Whether any byte has come over it at all. */
  get hasReceived(): boolean {
    return this.#hasReceived;
  }

  /** Whether this connection has shown a prompt at all. */
  get hasShownPrompt(): boolean {
    return this.#hasShownPrompt;
  }

  /** The stream is over: an unfinished line of it will not be finished. */
  forget(): void {
    this.#framer.reset();
  }

  /** Gives all lines to one listener from now on. After the disposer no line is expected. */
  listen(listener: LineListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  /** Sends a command line. Throws on anything but printable ASCII, before a byte has left. */
  sendLine(text: string): void {
    requirePrintable(text);
    this.#forgivenUntil = Number.NEGATIVE_INFINITY;
    this.#heard = false;
    this.#sentAt = this.#parts.clock.elapsed();
    this.#send(Buffer.from(text + this.#parts.driver.lineEnd, 'latin1'));
  }

  /** Ends a stream. Lines that come within `forgiveMs` are frames on their way, and no dirt. */
  sendAbort(forgiveMs: number): void {
    this.#forgivenUntil = this.#parts.clock.elapsed() + forgiveMs;
    this.#send(Uint8Array.of(this.#parts.driver.abortByte));
  }

  /** Resolves when the bytes that have arrived by now are read. */
  readPending(): Promise<void> {
    return this.#parts.socket.readPending();
  }

  /**
   * How long to listen for a further line before the last reply is believed, ms: 0 unless it began in less than half the time
   * of the quickest of the replies before. Then it may be a late copy of another reply that was on its way already.
   */
  get suspicionMs(): number {
    const last = this.#firstByteMs.at(-1) ?? 0;
    const quickest = Math.min(...this.#firstByteMs.slice(0, -1));
    if (this.#firstByteMs.length <= SAMPLES || quickest < SHORTEST_LINK_MS || last >= quickest / 2) return 0;
    return 2 * Math.max(...this.#firstByteMs) - last;
  }

  /** Notes a complete reply that could not be read. Returns how many commands in a row had one. */
  noteUnreadable(command: string): number {
    return this.#unreadable.add(command).size;
  }

  /** A reply was read: replies and commands are in step. */
  noteRead(): void {
    this.#unreadable.clear();
  }

  close(reason: string): void {
    this.#parts.socket.close(reason);
  }

  destroy(reason: string): void {
    this.#parts.socket.destroy(reason);
  }

  #send(bytes: Uint8Array): void {
    this.#parts.commandGap.restart();
    this.#parts.counters.bytesSent += bytes.length;
    this.#parts.socket.send(bytes);
  }

  #receive(chunk: Uint8Array): void {
    this.#parts.commandGap.restart();
    this.#parts.counters.bytesReceived += chunk.length;
    if (!this.#heard) this.#noteFirstByte();
    this.#heard = true;
    this.#hasReceived = true;
    this.#provenAt = this.#parts.clock.elapsed();
    const lines = this.#framer.feed(chunk);
    this.#count(chunk.length, lines.length);
    for (const line of lines) this.#line(line);
    this.#hasShownPrompt ||= this.prompted;
    this.#listener?.chunk?.();
  }

  #noteFirstByte(): void {
    this.#firstByteMs.push(this.#parts.clock.elapsed() - this.#sentAt);
    if (this.#firstByteMs.length > 2 * SAMPLES) this.#firstByteMs.shift();
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
    if (this.#listener) this.#listener.line(line);
    else if (this.#parts.clock.elapsed() >= this.#forgivenUntil) this.#judge(line);
  }

  /** A line that nobody asked for. */
  #judge(line: Framed): void {
    if (typeof line !== 'string') this.#spoil(`unexpected bytes: ${line.message}`);
    else if (this.#parts.driver.withoutPrompts(line).trim() !== '')
      this.#spoil(`unexpected line ${JSON.stringify(shorten(line))}`);
  }

  #spoil(why: string): void {
    if (this.#dirty) return;
    this.#dirty = why;
    this.#parts.onDirty(why);
  }
}

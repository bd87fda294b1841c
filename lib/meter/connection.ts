/**
 * One open connection to a meter, as lines. It sends a command once and reports the outcome; it retries nothing.
 *
 * Between commands no line is expected. A line at that time is a late reply, or an extra reply. The connection is then
 * dirty: it must not be used again, or the next caller would get the answer to another command. Right after a stream,
 * frames may still be on their way; they are dropped until the next command, for a limited time.
 */
import { sleep } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { type Framed, type Framer, type Named, type StreamTalk, shortened } from '../drivers/wire/contract.ts';
import type { ByteStream } from '../transport/contract.ts';
import type { CommandOutcome, Ended } from './faults.ts';
import type { CommandGap } from './meter-port.ts';
import type { SessionParts } from './parts.ts';

interface LineListener {
  line(line: Framed): void;
  /** A chunk has been read completely; its end may be an unfinished line. */
  chunk?(): void;
  ended(end: Ended): void;
}

interface Parts extends Pick<SessionParts, 'driver' | 'clock' | 'wire' | 'settings'> {
  readonly socket: ByteStream;
  readonly unit: Pick<SessionParts['unit'], 'counters'>;
  readonly gap: CommandGap;
  /** The connection was opened while the earlier one may still have held the slot of the meter. */
  readonly early: boolean;
  readonly signal: AbortSignal;
  readonly onDirty: (why: string, raw?: string) => void;
}

/** More than a meter ever sends within the time, even after a stall: a stream is 1.7 KB a second. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Twice as many as from a simulated meter whose time runs a thousand times as fast. */
const MOST_LINES = 20_000;
const WITHIN_MS = 1_000;
/** Replies that show the speed of a meter. If they come sooner than this (ms), a late copy cannot be recognised. */
const SAMPLES = 4;
const SHORTEST_LINK_MS = 20;
export const FIRST_BYTE = 'first byte';

/** The last check before the meter: a command is printable ASCII, so it cannot contain a line break or a SUB. */
export function requirePrintable(text: string): void {
  if (!/^[\x20-\x7e]+$/.test(text))
    throw new Error(`This text is not sent, because a command is printable ASCII: ${JSON.stringify(shortened(text))}.`);
}

export class Connection {
  /** For reading and ending; commands are sent with `sendCommand` and `sendAbort`. */
  readonly socket: Omit<ByteStream, 'send' | 'receive'>;
  hasShownPrompt = false;
  /** Commands whose complete replies could not be read, since the last readable reply. */
  readonly unreadable = new Set<string>();
  /** When it was opened, ms UTC. */
  readonly since: number;
  readonly #parts: Parts;
  readonly #framer: Framer;
  #listener: LineListener | undefined;
  #dirty: string | undefined;
  #ignoreUntil = Number.NEGATIVE_INFINITY;
  #provenAt: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  #heard = false;
  readonly #firstByteMs: number[] = [];
  #counted = { since: Number.NEGATIVE_INFINITY, bytes: 0, lines: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.socket = parts.socket;
    this.since = parts.clock.now();
    this.#provenAt = parts.clock.elapsed();
    this.#framer = parts.driver.createFramer();
    parts.socket.receive((chunk) => this.#receive(chunk));
    // One listener for the life of the connection: a listener per command would add up over weeks.
    parts.socket.ended.then((ending) => this.#listener?.ended({ kind: 'ended', ending, heard: this.#heard }));
  }

  /** Why this connection must not be used for a further command; undefined: it may be used. */
  get unfit(): string | undefined {
    const { rest } = this.#framer;
    if (this.#dirty || rest === '' || this.#parts.driver.prompt?.is(rest)) return this.#dirty;
    return 'a line was left unfinished';
  }

  /** An unexpected line arrived, or a stream on this connection cannot be ended. */
  get isDirty(): boolean {
    return this.#dirty !== undefined;
  }

  /**
   * Quiet for so long that it may be dead; or new, opened soon after the earlier one, and without a byte so far: a
   * meter whose slot is taken does not serve a second connection (field log).
   */
  get isDoubtful(): boolean {
    const { clock, settings, early, socket } = this.#parts;
    const quietMs = clock.elapsed() - this.#provenAt;
    return quietMs > settings.idleCheckMs || (early && socket.traffic.received === 0);
  }

  get prompted(): boolean {
    return this.#parts.driver.prompt?.endsWith(this.#framer.rest) ?? false;
  }

  async ask(command: Named): Promise<CommandOutcome> {
    const outcome = await this.exchange(command);
    if (outcome.kind !== 'done' && outcome.kind !== 'refused') return outcome;
    await this.socket.readPending();
    const ms = this.#suspicionMs;
    if (ms > 0) await sleep(this.#parts.clock, ms, this.#parts.signal).catch(() => {});
    return this.isDirty ? { kind: 'doubtful' } : outcome;
  }

  /**
   * Sends a command and reads its reply. `onDone` is called with the last line of a reply before the next line is read:
   * a stream begins there. Both deadlines start with the sending.
   */
  async exchange(command: Named, onDone = () => {}): Promise<CommandOutcome> {
    const { driver, clock, settings } = this.#parts;
    const { replyTimeoutMs, replyTotalTimeoutMs } = settings;
    const reader = driver.readReply(command);
    if ('kind' in reader) {
      this.sendCommand(command.text);
      return reader;
    }
    const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
    const stopListening = this.listen({
      line(line) {
        const reply = typeof line === 'string' ? reader.take(line) : ({ kind: 'garbled', raw: line.message } as const);
        if (!reply) return;
        stopListening();
        resolve(reply);
        if (reply.kind === 'done') onDone();
      },
      ended: resolve,
    });
    const disarmFirst = clock.after(replyTimeoutMs, () => {
      if (!this.#heard) resolve({ kind: 'silent', stage: FIRST_BYTE, ms: replyTimeoutMs });
    });
    const disarm = clock.after(replyTotalTimeoutMs, () =>
      resolve({ kind: 'silent', stage: reader.stage, ms: replyTotalTimeoutMs }),
    );
    try {
      this.sendCommand(command.text);
      const { ending } = this.socket;
      if (ending) resolve({ kind: 'ended', ending, heard: false });
      return await promise;
    } finally {
      stopListening();
      disarmFirst();
      disarm();
    }
  }

  listen(listener: LineListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  sendCommand(text: string): void {
    requirePrintable(text);
    this.#ignoreUntil = Number.NEGATIVE_INFINITY;
    this.#heard = false;
    this.#sentAt = this.#parts.clock.elapsed();
    this.#send(text, this.#parts.driver.bytesOf(text));
  }

  /** Ends a stream. Lines within `ignoreMs` are frames that were on their way; they are dropped. */
  sendAbort({ abort, abortShown }: StreamTalk, ignoreMs: number): void {
    this.#ignoreUntil = this.#parts.clock.elapsed() + ignoreMs;
    this.#send(abortShown, abort);
  }

  /** The stream has ended: its unfinished line stays unfinished. */
  forget(): void {
    this.#framer.reset();
  }

  markDirty(why: string, raw?: string): void {
    if (this.#dirty) return;
    this.#dirty = why;
    this.#parts.onDirty(why, raw);
  }

  /**
   * How long to listen for a further line before the last reply is accepted, ms. 0 unless it began in less than half
   * the time of the quickest earlier reply: it may be a late copy of one.
   */
  get #suspicionMs(): number {
    const last = this.#firstByteMs.at(-1) ?? 0;
    const quickest = Math.min(...this.#firstByteMs.slice(0, -1));
    if (this.#firstByteMs.length <= SAMPLES || quickest < SHORTEST_LINK_MS || last >= quickest / 2) return 0;
    return 2 * Math.max(...this.#firstByteMs) - last;
  }

  #send(text: string, bytes: Uint8Array): void {
    const { wire, gap, unit, socket } = this.#parts;
    wire()?.({ port: 'control', direction: 'sent', text });
    gap.restart();
    unit.counters.bytesSent += bytes.length;
    socket.send(bytes);
  }

  #receive(chunk: Uint8Array): void {
    const { gap, unit, clock } = this.#parts;
    gap.restart();
    unit.counters.bytesReceived += chunk.length;
    this.#provenAt = clock.elapsed();
    if (!this.#heard) this.#firstByteMs.push(this.#provenAt - this.#sentAt);
    if (this.#firstByteMs.length > 2 * SAMPLES) this.#firstByteMs.shift();
    this.#heard = true;
    const lines = this.#framer.feed(chunk);
    this.#count(chunk.length, lines.length);
    const hear = this.#parts.wire();
    for (const line of lines) {
      hear?.({ port: 'control', direction: 'received', text: typeof line === 'string' ? line : line.message });
      this.#line(line);
    }
    this.hasShownPrompt ||= this.prompted;
    this.#listener?.chunk?.();
  }

  /** A peer that sends without end would take computing time from the other meters, even with well-formed lines. */
  #count(bytes: number, lines: number): void {
    const now = this.#parts.clock.elapsed();
    if (now - this.#counted.since >= WITHIN_MS) this.#counted = { since: now, bytes: 0, lines: 0 };
    this.#counted.bytes += bytes;
    this.#counted.lines += lines;
    if (this.#counted.bytes > MOST_BYTES)
      this.markDirty(`a flood: more than ${MOST_BYTES} bytes within ${inSeconds(WITHIN_MS)}`);
    if (this.#counted.lines > MOST_LINES)
      this.markDirty(`a flood: more than ${MOST_LINES} lines within ${inSeconds(WITHIN_MS)}`);
  }

  /** An unexpected line makes the connection dirty, unless it is a prompt or a frame that was on its way. */
  #line(line: Framed): void {
    const { clock, driver } = this.#parts;
    if (this.#listener) this.#listener.line(line);
    else if (clock.elapsed() < this.#ignoreUntil) return;
    else if (typeof line !== 'string') this.markDirty(`unexpected bytes: ${line.message}`);
    else if (!(driver.prompt ? driver.prompt.isAll(line) : line.trim() === ''))
      this.markDirty('a line came that nobody asked for', line);
  }
}

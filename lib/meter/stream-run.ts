/**
 * One run of a stream over an open connection: asked for, flowing, ended with the abort byte (SUB) and drained. It hands frames on and reports how
 * it ended; whether it is begun again is decided elsewhere.
 *
 *   asking --R+0000--> flowing --stop--> draining --prompt or silence--> stopped
 *
 * Frames on their way still arrive after SUB, then the prompt (field use). A meter that shows no prompt is silent instead.
 * Where the prompt is expected and does not come, the connection is given up: what it might still bring would meet a command.
 */
import type { Clock } from '../clock.ts';
import type { Driver, ReplyReader, StreamCommand } from '../driver/contract.ts';
import type { Framed } from '../transport/lines.ts';
import type { Connection } from './connection.ts';
import { limitReply, type Outcome, takeLine } from './exchange.ts';
import type { MeterSettings } from './settings.ts';

export type StreamEnd =
  | Exclude<Outcome, { readonly kind: 'done' }>
  /** SUB was sent and the connection is quiet again. */
  | { readonly kind: 'stopped' }
  /** Bytes go on coming after SUB, or the prompt of the meter does not. */
  | { readonly kind: 'unstoppable' };

/**
 * Whether a meter shows its prompt when a stream has ended. If it is known to, silence is not taken for the end: a connection
 * that stalls is silent too, and a command would meet a meter that still talks. Over TCP the prompt is not certain (field use
 * shows it, no manual does), so a meter that withheld it twice in a row is believed to have none.
 */
export class PromptHistory {
  #withheld = 0;

  /** `seen`: this connection has shown a prompt before. */
  isExpected(seen: boolean): boolean {
    return seen && this.#withheld < MOST_WITHHELD;
  }

  came(): void {
    this.#withheld = 0;
  }

  missed(): void {
    this.#withheld += 1;
  }
}

const MOST_WITHHELD = 2;

export interface StreamParts<Frame> {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly settings: Pick<
    MeterSettings,
    'replyTimeoutMs' | 'replyTotalTimeoutMs' | 'frameTimeoutMs' | 'drainSilenceMs' | 'drainPromptMs' | 'drainLimitMs'
  >;
  readonly prompts: PromptHistory;
  /** `begun`: when the meter accepted the request of this stream, on the monotonic clock. */
  readonly onFrame: (frame: Frame, begun: number) => void;
  /** A line that is no frame; it is left out. */
  readonly onUnreadable: (error: unknown) => void;
}

export class StreamRun<Frame> {
  readonly #connection: Connection;
  readonly #command: StreamCommand<Frame>;
  readonly #parts: StreamParts<Frame>;
  readonly #reply: ReplyReader;
  readonly #over = Promise.withResolvers<StreamEnd>();
  #state: 'asking' | 'flowing' | 'draining' = 'asking';
  #begun = 0;
  #stopWanted = false;
  #disarm = () => {};
  #disarmLimit = () => {};

  constructor(connection: Connection, command: StreamCommand<Frame>, parts: StreamParts<Frame>) {
    this.#connection = connection;
    this.#command = command;
    this.#parts = parts;
    // Its frames are no data line: the result line alone answers it.
    this.#reply = parts.driver.readReply({ text: command.text, kind: 'setting' });
  }

  get draining(): boolean {
    return this.#state === 'draining';
  }

  /** Asks for the stream and resolves when it is over. Call it once. Never rejects. */
  async run(): Promise<StreamEnd> {
    const { clock, settings } = this.#parts;
    const stopListening = this.#connection.listen({
      line: (line) => this.#line(line),
      chunk: () => this.#chunk(),
      ended: (ending) => this.#over.resolve({ kind: 'ended', ending, heard: this.#connection.heard }),
    });
    this.#disarm = limitReply(this.#connection, this.#reply, clock, settings, this.#over.resolve);
    this.#connection.sendLine(this.#command.text);
    const { ending } = this.#connection;
    if (ending) this.#over.resolve({ kind: 'ended', ending, heard: false });
    const end = await this.#over.promise;
    stopListening();
    this.#disarm();
    this.#disarmLimit();
    if (end.kind === 'stopped') this.#connection.forget();
    return end;
  }

  /** Ends the stream as soon as the meter has begun it. May be called twice. */
  stop(): void {
    this.#stopWanted = true;
    if (this.#state === 'flowing') this.#drain();
  }

  #line(line: Framed): void {
    if (this.#state === 'asking') this.#answer(line);
    else if (this.#state === 'flowing') this.#frame(line);
  }

  #answer(line: Framed): void {
    const reply = takeLine(this.#reply, line);
    if (reply && reply.kind !== 'done') this.#over.resolve(reply);
    if (reply?.kind !== 'done') return;
    this.#state = 'flowing';
    this.#begun = this.#parts.clock.elapsed();
    if (this.#stopWanted) this.#drain();
    else this.#awaitFrame();
  }

  #frame(line: Framed): void {
    const read = this.#decode(line);
    if (!read) return;
    this.#awaitFrame();
    this.#parts.onFrame(read.frame, this.#begun);
  }

  /** Undefined, and reported, when the line is no frame. */
  #decode(line: Framed): { readonly frame: Frame } | undefined {
    try {
      if (typeof line !== 'string') throw line;
      return { frame: this.#command.decode(this.#parts.driver.withoutPrompts(line)) };
    } catch (error) {
      this.#parts.onUnreadable(error);
      return undefined;
    }
  }

  #awaitFrame(): void {
    const { clock, settings } = this.#parts;
    const ms = settings.frameTimeoutMs;
    this.#disarm();
    this.#disarm = clock.after(ms, () => this.#over.resolve({ kind: 'silent', stage: 'frame', ms }));
  }

  #drain(): void {
    const { clock, settings } = this.#parts;
    this.#state = 'draining';
    this.#connection.sendAbort(settings.drainLimitMs);
    this.#awaitSilence();
    this.#disarmLimit = clock.after(settings.drainLimitMs, () => this.#over.resolve({ kind: 'unstoppable' }));
  }

  get #awaitsPrompt(): boolean {
    return this.#parts.prompts.isExpected(this.#connection.hasShownPrompt);
  }

  #chunk(): void {
    if (this.#state !== 'draining') return;
    if (this.#connection.prompted) {
      this.#parts.prompts.came();
      this.#over.resolve({ kind: 'stopped' });
    } else this.#awaitSilence();
  }

  #awaitSilence(): void {
    const { clock, settings } = this.#parts;
    this.#disarm();
    this.#disarm = this.#awaitsPrompt
      ? clock.after(settings.drainPromptMs, () => this.#withheld())
      : clock.after(settings.drainSilenceMs, () => this.#over.resolve({ kind: 'stopped' }));
  }

  #withheld(): void {
    this.#parts.prompts.missed();
    this.#over.resolve({ kind: 'unstoppable' });
  }
}

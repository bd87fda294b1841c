/**
 * One run of a stream over an open wire: asked for, flowing, ended with SUB and drained. It hands frames on and reports how
 * it ended; whether it is begun again is decided elsewhere.
 *
 *   asking --R+0000--> flowing --stop--> draining --prompt or silence--> stopped
 *
 * Frames on their way still arrive after SUB, then the prompt (field use). A meter that shows no prompt is silent instead.
 * Where the prompt is expected and does not come, the line is given up: what it might still bring would meet a command.
 */
import type { Clock } from '../clock.ts';
import type { StreamCommand } from '../nl43/contract.ts';
import type { Framed } from '../transport/lines.ts';
import { type Outcome, watchTheClock } from './exchange.ts';
import type { Prompting } from './prompting.ts';
import { ReplyReader, withoutPrompts } from './reply.ts';
import type { MeterSettings } from './settings.ts';
import type { Wire } from './wire.ts';

export type StreamEnd =
  | Exclude<Outcome, { readonly kind: 'done' }>
  /** SUB was sent and the line is quiet again. */
  | { readonly kind: 'stopped' }
  /** Bytes go on coming after SUB, or the prompt of the meter does not. */
  | { readonly kind: 'unstoppable' };

export interface StreamParts<Frame> {
  readonly clock: Clock;
  readonly settings: Pick<
    MeterSettings,
    'replyTimeoutMs' | 'replyTotalTimeoutMs' | 'frameTimeoutMs' | 'drainSilenceMs' | 'drainPromptMs' | 'drainLimitMs'
  >;
  readonly prompting: Prompting;
  /** `begun`: when the meter accepted the request of this stream, on the monotonic clock. */
  readonly onFrame: (frame: Frame, begun: number) => void;
  /** A line that is no frame; it is left out. */
  readonly onUnreadable: (error: unknown) => void;
}

export class Streaming<Frame> {
  readonly #wire: Wire;
  readonly #command: StreamCommand<Frame>;
  readonly #parts: StreamParts<Frame>;
  readonly #reply: ReplyReader;
  readonly #over = Promise.withResolvers<StreamEnd>();
  #state: 'asking' | 'flowing' | 'draining' = 'asking';
  #begun = 0;
  #stopWanted = false;
  #disarm = () => {};
  #disarmLimit = () => {};

  constructor(wire: Wire, command: StreamCommand<Frame>, parts: StreamParts<Frame>) {
    this.#wire = wire;
    this.#command = command;
    this.#parts = parts;
    this.#reply = new ReplyReader(command.text, false);
  }

  get draining(): boolean {
    return this.#state === 'draining';
  }

  /** Asks for the stream and resolves when it is over. Call it once. Never rejects. */
  async run(): Promise<StreamEnd> {
    const { clock, settings } = this.#parts;
    const deaf = this.#wire.listen({
      line: (line) => this.#line(line),
      chunk: () => this.#chunk(),
      ended: (ending) => this.#over.resolve({ kind: 'ended', ending, heard: this.#wire.heard }),
    });
    this.#disarm = watchTheClock(this.#wire, this.#reply, clock, settings, this.#over.resolve);
    this.#wire.sendLine(this.#command.text);
    const { ending } = this.#wire;
    if (ending) this.#over.resolve({ kind: 'ended', ending, heard: false });
    const end = await this.#over.promise;
    deaf();
    this.#disarm();
    this.#disarmLimit();
    if (end.kind === 'stopped') this.#wire.forget();
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
    const reply = this.#reply.take(line);
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
      return { frame: this.#command.decode(withoutPrompts(line)) };
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
    this.#wire.sendSub(settings.drainLimitMs);
    this.#awaitSilence();
    this.#disarmLimit = clock.after(settings.drainLimitMs, () => this.#over.resolve({ kind: 'unstoppable' }));
  }

  get #awaitsPrompt(): boolean {
    return this.#parts.prompting.expectedAfter(this.#wire.prompts);
  }

  #chunk(): void {
    if (this.#state !== 'draining') return;
    if (this.#wire.prompted) {
      this.#parts.prompting.came();
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
    this.#parts.prompting.missed();
    this.#over.resolve({ kind: 'unstoppable' });
  }
}

/**
 * One holder's time with the line: starts the work, sees that it comes to an end, and answers the callers. The work is
 * foreign code: it may throw, never settle, or use the line after its time.
 */
import type { Clock } from '../clock.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { HeldLine } from './held-line.ts';
import type { Turn } from './queue.ts';

interface HoldParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: { readonly holdIdleMs: number };
}

export class Hold {
  readonly #turn: Turn;
  readonly #line: HeldLine;
  readonly #parts: HoldParts;
  readonly #forgotten = Promise.withResolvers<never>();
  #disarm = () => {};

  constructor(turn: Turn, line: HeldLine, parts: HoldParts) {
    this.#turn = turn;
    this.#line = line;
    this.#parts = parts;
  }

  /** Resolves when the line is free again. Never rejects. */
  async run(): Promise<void> {
    this.#line.onBusy(() => this.#watch());
    this.#watch();
    try {
      this.#done(await Promise.race([this.#work(), this.#forgotten.promise]));
    } catch (error) {
      this.#turn.reject(error);
      this.#note(error);
    }
    this.#line.onBusy(() => {});
    this.#disarm();
    this.#line.end(new GatewayError('INTERNAL', 'The line was used after its hold was over.'));
    await this.#line.quiet;
  }

  /** What nobody hears any more is at least written down: it may have changed the meter. */
  #done(value: unknown): void {
    const { abandoned, job } = this.#turn;
    if (abandoned) this.#parts.log.info({ operation: job.label }, 'operation done after its caller had left');
    this.#turn.resolve(value);
  }

  /** Also a work that throws before it returns a promise only fails itself. */
  async #work(): Promise<unknown> {
    return await this.#turn.job.work(this.#line);
  }

  /** While no command is under way, the time of the holder runs. */
  #watch(): void {
    this.#disarm();
    if (this.#line.busy) return;
    const { clock, settings } = this.#parts;
    this.#disarm = clock.after(settings.holdIdleMs, () =>
      this.#forgotten.reject(
        new GatewayError(
          'INTERNAL',
          `"${this.#turn.job.label}" held the line for ${settings.holdIdleMs} ms and sent nothing.`,
        ),
      ),
    );
  }

  #note(error: unknown): void {
    const { log } = this.#parts;
    const entry = { operation: this.#turn.job.label, error: messageOf(error) };
    if (isGatewayError(error)) log.info({ ...entry, code: error.code }, 'operation failed');
    else log.error(entry, 'operation failed by a fault');
  }
}

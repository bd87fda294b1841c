/**
 * One caller's exclusive use of the meter: its commands go out one by one, its work comes to an end, its callers are answered.
 * The work is foreign code: it may throw, never settle, or send after its time.
 */
import type { Clock } from '../clock.ts';
import type { Command, StreamCommand } from '../driver/contract.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { CommandRunner, RunnerUser } from './command-runner.ts';
import type { Reservation } from './contract.ts';
import type { QueuedRequest } from './queue.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: { readonly reservationIdleMs: number };
  readonly runner: CommandRunner;
  readonly shouldYield: () => boolean;
}

export class MeterReservation implements Reservation, RunnerUser {
  hasBegun = false;
  readonly #parts: Parts;
  /** What has reserved the meter; undefined for the session's own questions. */
  readonly #request: QueuedRequest | undefined;
  readonly #idle = Promise.withResolvers<never>();
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #ended: GatewayError | undefined;
  #isOver = false;
  #disarm = () => {};

  constructor(parts: Parts, request?: QueuedRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  get shouldYield(): boolean {
    return this.#request?.priority === 'background' && this.#parts.shouldYield();
  }

  get isAbandoned(): boolean {
    return this.#request?.abandoned ?? false;
  }

  send<T>(command: Command<T>): Promise<T> {
    return this.#inOrder(() => this.#parts.runner.send(command, this));
  }

  peek<F>(command: StreamCommand<F>): Promise<F> {
    return this.#inOrder(() => this.#parts.runner.peek(command, this));
  }

  /** No further command: the reservation is over, or the connection cannot be had. */
  end(error: GatewayError): void {
    this.#ended ??= error;
  }

  /** Does the work of a request and answers it. Resolves when the meter is free again. Never rejects. */
  async run(request: QueuedRequest): Promise<void> {
    const { job } = request;
    this.#armIdle();
    try {
      // Awaited inside, so that work that throws before it returns a promise only fails itself.
      const work = (async () => job.work(this))();
      this.#done(request, await Promise.race([work, this.#idle.promise]));
    } catch (error) {
      request.reject(error);
      this.#logFailure(job.label, error);
    }
    this.#isOver = true;
    this.#disarm();
    this.end(new GatewayError('INTERNAL', 'A command was sent after its reservation was over.'));
    await this.#last;
  }

  /** Work may send several at once; the meter gets them one by one. */
  #inOrder<T>(send: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    this.#disarm();
    const result = this.#last.then(() => {
      if (this.#ended) throw this.#ended;
      return send();
    });
    const done = () => {
      this.#pending -= 1;
      this.#armIdle();
    };
    this.#last = result.then(done, done);
    return result;
  }

  /** What nobody hears any more is at least written down: it may have changed the meter. */
  #done(request: QueuedRequest, value: unknown): void {
    const operation = request.job.label;
    if (request.abandoned) this.#parts.log.info({ operation }, 'operation done after its caller had left');
    request.resolve(value);
  }

  /** While no command is under way, the time of the work runs. */
  #armIdle(): void {
    this.#disarm();
    const { clock, settings } = this.#parts;
    const label = this.#request?.job.label;
    if (this.#pending > 0 || this.#isOver || label === undefined) return;
    this.#disarm = clock.after(settings.reservationIdleMs, () =>
      this.#idle.reject(
        new GatewayError(
          'INTERNAL',
          `"${label}" reserved the meter for ${settings.reservationIdleMs} ms and sent nothing.`,
        ),
      ),
    );
  }

  #logFailure(operation: string, error: unknown): void {
    const { log } = this.#parts;
    const entry = { operation, error: messageOf(error) };
    if (isGatewayError(error)) log.info({ ...entry, code: error.code }, 'operation failed');
    else log.error(entry, 'operation failed by a fault');
  }
}

/** Ends a process that stands still beyond its lease, or does not let go of its meters after it. */
import type { Clock } from '../clock.ts';
import type { Watchdog } from '../cluster/watchdog/index.ts';

/** The main thread has so long after the lease to see that it is over, ms. */
const SEE_END_MS = 1_000;
/** And then so long to end all that it has at the meters, ms. Nobody takes over before that. */
const LET_GO_MS = 10_000;

/** Of one instance. Without a watchdog it does nothing. */
export class LeaseWatch {
  readonly #watchdog: Pick<Watchdog, 'until'> | undefined;
  readonly #clock: Clock;
  #isActing = false;

  constructor(watchdog: Pick<Watchdog, 'until'> | undefined, clock: Clock) {
    this.#watchdog = watchdog;
    this.#clock = clock;
  }

  /** While there are meters the main thread says with each beat that it does not stand still. `leaseEnd`: by the monotonic clock, ms. */
  acts(leaseEnd: number | undefined): void {
    if (leaseEnd === undefined || this.#clock.elapsed() >= leaseEnd) return;
    this.#isActing = true;
    this.#watchdog?.until(leaseEnd + SEE_END_MS);
  }

  /** The lease is over: `work` ends what is left at the meters. A process that stood still for so long ends. */
  async letGo<T>(leaseEnd: number | undefined, work: () => Promise<T> | undefined): Promise<T | undefined> {
    if (this.#isActing) this.#watchdog?.until((leaseEnd ?? this.#clock.elapsed()) + LET_GO_MS);
    this.#isActing = false;
    const result = await work();
    if (!this.#isActing) this.#watchdog?.until(undefined);
    return result;
  }

  /** Nothing is left at the meters. */
  rests(): void {
    this.#isActing = false;
    this.#watchdog?.until(undefined);
  }
}

/** One job that waits or runs: its row in memory, its progress, and when these go to listeners and to the disk. */
import type { Clock } from '../clock.ts';
import { GatewayError } from '../errors.ts';
import type { Job, JobRun } from './contract.ts';
import { type JobRow, jobOf } from './table.ts';

const TELL_MS = 1_000;
const KEEP_MS = 10_000;
/** The longest wait of a job for its turn at a meter, ms. */
const TURN_MS = 3_600_000;

export interface ActiveParts {
  readonly clock: Clock;
  readonly titleOf: (kind: string) => string;
  /** The row must be on the disk when this resolves. */
  readonly keep: (row: JobRow) => Promise<void>;
  readonly tell: (job: Job) => void;
  /** A row could not be written; the next change tries again. */
  readonly unkept: (error: unknown) => void;
}

export class Cancelled extends GatewayError {
  constructor(message: string) {
    super('STOPPING', message);
  }
}

/** A job from its start to its end. Progress goes to listeners every second at most, to the disk every 10 s. */
export class ActiveJob {
  readonly ending = new AbortController();
  /** It was running when an earlier process ended. */
  readonly interrupted: boolean;
  readonly #parts: ActiveParts;
  #row: JobRow;
  #lastWords: string | null = null;
  #publishedAt = Number.NEGATIVE_INFINITY;
  #kept = Number.NEGATIVE_INFINITY;

  constructor(row: JobRow, parts: ActiveParts) {
    this.#row = row;
    this.interrupted = row.state === 'running';
    this.#parts = parts;
  }

  get row(): JobRow {
    return this.#row;
  }

  get job(): Job {
    return jobOf(this.#row, this.#parts.titleOf(this.#row.kind));
  }

  /** Published and stored at once. Never rejects: the work goes on even if the disk is full. */
  async set(values: Partial<JobRow>): Promise<void> {
    this.#change(values);
    this.#tell();
    await this.#keep().catch(this.#parts.unkept);
  }

  get lastWords(): string | null {
    return this.#lastWords;
  }

  controls(about: Pick<JobRun, 'id' | 'unitId' | 'input' | 'clock' | 'log'>): JobRun {
    const { signal } = this.ending;
    return {
      ...about,
      checkpoint: this.#row.checkpoint?.value,
      signal,
      caller: { signal, deadlineMs: TURN_MS, job: this.#parts.titleOf(this.#row.kind) },
      get isCancelled() {
        return signal.reason instanceof Cancelled;
      },
      progress: (done, total, unit) => this.#note({ progress: { done, total, unit } }),
      say: (message) => {
        if (signal.aborted) this.#lastWords = message;
        this.#note({ message });
      },
      save: async (value) => {
        this.#change({ checkpoint: { value: value ?? null } });
        await this.#keep();
      },
    };
  }

  #note(values: Partial<JobRow>): void {
    if (this.#row.endedAt !== null) return;
    this.#change(values);
    const now = this.#parts.clock.elapsed();
    if (now - this.#publishedAt >= TELL_MS) this.#tell();
    if (now - this.#kept >= KEEP_MS) this.#keep().catch(this.#parts.unkept);
  }

  #change(values: Partial<JobRow>): void {
    this.#row = { ...this.#row, ...values };
  }

  #tell(): void {
    this.#publishedAt = this.#parts.clock.elapsed();
    this.#parts.tell(this.job);
  }

  async #keep(): Promise<void> {
    this.#kept = this.#parts.clock.elapsed();
    await this.#parts.keep(this.#row);
  }
}

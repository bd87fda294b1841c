/** The progress of a run, in bytes of the card. It only grows, even if a file is begun again. */
import type { JobRun } from '../../lib/index.ts';

/** Finished bytes, and all bytes to fetch. */
export class Progress {
  readonly #job: Pick<JobRun, 'progress'>;
  readonly #total: number;
  /** Bytes of the finished files. */
  #passed = 0;
  #done = 0;

  constructor(job: Pick<JobRun, 'progress'>, total: number) {
    this.#job = job;
    this.#total = total;
  }

  /** This many bytes of the present file are done. */
  within(bytes: number): void {
    this.#done = Math.min(Math.max(this.#done, this.#passed + bytes), this.#total);
    this.#job.progress(this.#done, this.#total, 'bytes');
  }

  /** The present file is done. */
  pass(size: number): void {
    this.#passed += size;
    this.within(0);
  }

  /** Only this many bytes are left. */
  leave(bytes: number): void {
    this.#passed = Math.max(this.#passed, this.#total - bytes);
    this.within(0);
  }
}

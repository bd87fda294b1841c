/** How far a run is, in bytes of the card. It only grows: a file that is begun again does not take back what was told. */
import type { JobRun } from '../../lib/index.ts';

export class Progress {
  readonly #job: Pick<JobRun, 'progress'>;
  readonly #total: number;
  /** Of the files that are through. */
  #passed = 0;
  #done = 0;

  constructor(job: Pick<JobRun, 'progress'>, total: number) {
    this.#job = job;
    this.#total = total;
  }

  /** So many bytes of the present file are through. */
  within(bytes: number): void {
    this.#done = Math.min(Math.max(this.#done, this.#passed + bytes), this.#total);
    this.#job.progress(this.#done, this.#total, 'bytes');
  }

  /** The present file is through. */
  pass(size: number): void {
    this.#passed += size;
    this.within(0);
  }

  /** Only so many bytes are left. */
  leave(bytes: number): void {
    this.#passed = Math.max(this.#passed, this.#total - bytes);
    this.within(0);
  }
}

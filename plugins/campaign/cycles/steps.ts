/**
 * Work in steps with names. The progress is on the disk before and after each step, so that the job goes on there after a
 * restart. Then a step may run a second time, and the meter may have done it already: each step asks the meter first.
 */
import type { JobRun } from '../../../lib/built-in.ts';
import { iso } from '../../../lib/index.ts';
import { persistently } from '../retry.ts';

export interface StepContext<Notes> {
  /** Notes of earlier steps, and of this step before a restart. */
  readonly notes: Readonly<Notes>;
  readonly job: JobRun;
  /** Resolves when it is on the disk. */
  keep(change: Partial<Notes>): Promise<void>;
}

export interface CycleStep<Notes> {
  readonly name: string;
  /** For people, as an order: `Set the clock`. */
  readonly title: string;
  /** Resolves with one sentence about the result. */
  run(context: StepContext<Notes>): Promise<string | undefined>;
}

interface StepState {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'done';
  /** When it began, or was done; ms since 1970 UTC. */
  readonly at: number | null;
  readonly note: string | null;
}

export interface Checkpoint<Notes> {
  readonly steps: readonly StepState[];
  readonly notes: Notes;
}

export class StepRun<Notes extends object> {
  readonly #job: JobRun<unknown, Checkpoint<Notes>>;
  readonly #steps: readonly CycleStep<Notes>[];
  #states: readonly StepState[];
  #notes: Notes;

  constructor(job: JobRun<unknown, Checkpoint<Notes>>, steps: readonly CycleStep<Notes>[], fresh: Notes) {
    this.#job = job;
    this.#steps = steps;
    const { checkpoint } = job;
    const before = new Map(checkpoint?.steps.map((state) => [state.name, state]));
    this.#states = steps.map(({ name }) => before.get(name) ?? { name, state: 'waiting', at: null, note: null });
    this.#notes = { ...fresh, ...checkpoint?.notes };
  }

  get notes(): Readonly<Notes> {
    return this.#notes;
  }

  /** The present step, for people; undefined when all are done. */
  get present(): string | undefined {
    const at = this.#states.findIndex(({ state }) => state !== 'done');
    return at < 0 ? undefined : `step ${at + 1} of ${this.#steps.length} (${inSentence(this.#steps[at]?.title)})`;
  }

  isDone(name: string): boolean {
    return this.#states.some((one) => one.name === name && one.state === 'done');
  }

  get shown() {
    return this.#states.map(({ name, at, note }) => ({ name, at: iso(at), note }));
  }

  /** Does the remaining steps. `retryMs`: for how long a step is tried again while the meter cannot be reached. */
  async run(retryMs: number): Promise<void> {
    const { clock, signal } = this.#job;
    for (const [at, step] of this.#steps.entries()) {
      if (this.#states[at]?.state === 'done') continue;
      signal.throwIfAborted();
      await this.#mark(at, { state: 'running', at: clock.now() });
      this.#job.progress(at, this.#steps.length, 'steps');
      this.#job.say(`${step.title} (step ${at + 1} of ${this.#steps.length}).`);
      const context = this.#context();
      const note = await persistently(this.#job, retryMs, () => step.run(context));
      await this.#mark(at, { state: 'done', at: clock.now(), note: note ?? null });
    }
    this.#job.progress(this.#steps.length, this.#steps.length, 'steps');
  }

  #context(): StepContext<Notes> {
    const run = this;
    return {
      job: this.#job,
      get notes() {
        return run.#notes;
      },
      keep: (change) => {
        this.#notes = { ...this.#notes, ...change };
        return this.#save();
      },
    };
  }

  #mark(at: number, change: Partial<StepState>): Promise<void> {
    this.#states = this.#states.map((state, index) => (index === at ? { ...state, ...change } : state));
    return this.#save();
  }

  #save(): Promise<void> {
    return this.#job.save({ steps: this.#states, notes: this.#notes });
  }
}

const inSentence = (title = ''): string => `${title.slice(0, 1).toLowerCase()}${title.slice(1)}`;

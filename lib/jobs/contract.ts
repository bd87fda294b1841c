/**
 * Long work: stored in the database, shown with its progress, and cancelled on demand. A restart continues
 * it if its kind supports that. The plugin with the kind does the work.
 */
import type { Clock } from '../clock.ts';
import type { FormField } from '../domain/fields/form.ts';
import type { Log } from '../log.ts';

/** `queued` and `running` continue; the other states are final. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** Progress of a job, in units of its kind. */
export interface JobProgress {
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
}

/** A job, as it is stored and shown. Times in ms since 1970 UTC. */
export interface Job {
  /** 1, 2, 3 ...; never reused. */
  readonly id: number;
  readonly kind: string;
  /** Title of its kind for people. If the kind is not registered now, its name. */
  readonly title: string;
  /** null: the job is not about a single unit. */
  readonly unitId: string | null;
  readonly state: JobState;
  readonly progress: JobProgress | null;
  readonly message: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly result: unknown;
}

/** Controls of a job for its work. */
export interface JobRun<Input = unknown, Checkpoint = unknown> {
  readonly id: number;
  readonly unitId: string | null;
  readonly input: Input;
  /** The last value of `save`, also from before a restart; undefined: nothing was saved. */
  readonly checkpoint: Checkpoint | undefined;
  /** Aborts when the job is cancelled, its unit is removed, or the gateway stops. Every wait has to end with it. */
  readonly signal: AbortSignal;
  /** Why the signal has aborted: true when the job was cancelled, false when it continues after the next start. */
  readonly isCancelled: boolean;
  /**
   * For its calls to a meter and to a card: a job waits for its turn, however long others need. It does not wait for the budget of a watched
   * stream.
   */
  readonly caller: { readonly signal: AbortSignal; readonly deadlineMs: number; readonly job: string };
  readonly clock: Clock;
  readonly log: Log;
  /** Cheap: sent to listeners at most once a second, and to the database at most every ten seconds. */
  progress(done: number, total: number | null, unit: string): void;
  /** One sentence for people. A message after a cancellation is kept: it describes the state that the work left. */
  say(message: string): void;
  save(checkpoint: Checkpoint): Promise<void>;
}

/** A kind of long work: its title, its input, and the work. */
export interface JobKind<Input = unknown, Result = unknown, Checkpoint = unknown> {
  /** Lower case with dashes, unique: `mirror`, `history-import`. */
  readonly name: string;
  /** Title for people: `Copy of the card`. Default: its name. */
  readonly title?: string;
  readonly fields?: readonly FormField[];
  /**
   * Jobs of any kind with the same word run one after the other on a unit. `unit` is for jobs on its files, `control`
   * for jobs that set, start and stop it. Default: no limit.
   */
  readonly oneAtATime?: 'unit' | 'control';
  /** The job fetches files of the card: a finished job shows that FTP works. */
  readonly fetchesFiles?: true;
  /** Resolves with the result, JSON. A rejection makes the job `failed`, or `cancelled` after the signal has aborted. */
  run(job: JobRun<Input, Checkpoint>): Promise<Result>;
  /** Continues a job that was running when the gateway stopped or died. Without this function such a job is `failed`. */
  resume?(job: JobRun<Input, Checkpoint>): Promise<Result>;
}

/** A kind as it is described to callers. */
export interface DescribedKind {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly oneAtATime: JobKind['oneAtATime'];
  readonly goesOn: boolean;
  readonly fetchesFiles: boolean;
}

/** The job of a call that starts at most one job of its kind. */
export interface StartedJob {
  readonly job: Job;
  readonly isNew: boolean;
  /** The input of the job: an earlier call may have had another input. */
  readonly input: unknown;
}

/** Filter for jobs; absent properties do not matter. */
export interface JobFilter {
  readonly units?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly before?: number | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

/** The jobs of the gateway, for parts that start and show them. */
export interface Jobs {
  /** Registers a kind; its interrupted jobs continue. Throws when the name is taken. The disposer removes the kind. */
  kind<Input, Result, Checkpoint>(kind: JobKind<Input, Result, Checkpoint>): () => void;
  kinds(): readonly DescribedKind[];
  knows(kind: string): boolean;
  /**
   * Resolves when the job is in the database; the job then runs, or waits for its turn. `input` is JSON. Errors:
   * DEVICE_BUSY when too many wait, STORAGE_FULL, STORAGE_FAILED, STOPPING.
   */
  start(kind: string, unitId: string | null, input: unknown): Promise<Job>;
  /** The job of this kind that already waits or runs on the unit, with its own input; else as `start`. */
  startOnce(kind: string, unitId: string | null, input: unknown): Promise<StartedJob>;
  list(filter?: JobFilter): Promise<readonly Job[]>;
  get(id: number): Promise<Job | undefined>;
  /**
   * A queued job is cancelled at once. A running job gets a signal, and is `cancelled` when its work has ended. An
   * ended job stays as it is. Undefined: the id is unknown.
   */
  cancel(id: number): Promise<Job | undefined>;
}

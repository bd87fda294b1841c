/**
 * Long work: kept in the database, shown with its progress, cancelled on demand, continued after a restart if its kind
 * can do that. The plugin that brings the kind does the work.
 */
import type { Clock } from '../clock.ts';
import type { FormField } from '../domain/fields/form.ts';
import type { Log } from '../log.ts';

/** `queued` and `running` go on; the others are final. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** How far a job is, in units of its kind. */
export interface JobProgress {
  readonly done: number;
  /** null: not known yet. */
  readonly total: number | null;
  /** What is counted: `files`, `bytes`, `rows`. */
  readonly unit: string;
}

/** A job, as it is kept and shown. Times in ms since 1970 UTC. */
export interface Job {
  /** 1, 2, 3 ... for ever. */
  readonly id: number;
  readonly kind: string;
  /** What people call its kind. The name of a kind that is not registered now. */
  readonly title: string;
  /** null: it is not about a single unit. */
  readonly unitId: string | null;
  readonly state: JobState;
  readonly progress: JobProgress | null;
  /** What it is doing, or how it ended: one sentence for people. */
  readonly message: string | null;
  /** Ms since 1970 UTC. */
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Of a failed one. */
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** What the kind gave back; JSON. */
  readonly result: unknown;
}

/** What the work gets. */
export interface JobRun<Input = unknown, Checkpoint = unknown> {
  readonly id: number;
  readonly unitId: string | null;
  readonly input: Input;
  /** What `save` was given last, also before a restart; undefined: nothing yet. */
  readonly checkpoint: Checkpoint | undefined;
  /** Aborts when the job is cancelled, its unit is removed, or the gateway stops. Every wait has to end with it. */
  readonly signal: AbortSignal;
  /** Why the signal has aborted: true when the job was cancelled, false when it goes on after the next start. */
  readonly isCancelled: boolean;
  /** What its calls to a meter and to a card are made with: a job waits for its turn, however long others need. */
  readonly caller: { readonly signal: AbortSignal; readonly deadlineMs: number };
  readonly clock: Clock;
  readonly log: Log;
  /** Cheap: sent to listeners at most once a second, and to the database at most every ten seconds. */
  progress(done: number, total: number | null, unit: string): void;
  /** One sentence for people. A message after a cancellation is kept: it says in which state things were left. */
  say(message: string): void;
  /** Keeps how far it is; resolves when that is on the disk. JSON. */
  save(checkpoint: Checkpoint): Promise<void>;
}

/** A kind of long work: what it is called, what it is started with, and the work. */
export interface JobKind<Input = unknown, Result = unknown, Checkpoint = unknown> {
  /** Lower case with dashes, unique: `mirror`, `history-import`. */
  readonly name: string;
  /** What people call it: `Copy of the card`. Default: its name. */
  readonly title?: string;
  /** What it is started with, as data for forms. Default: nothing. */
  readonly fields?: readonly FormField[];
  /**
   * Jobs of any kind with the same word run one after the other on a unit: `unit` is for jobs on its files,
   * `control` for jobs that set it, start it and stop it. Default: no limit.
   */
  readonly oneAtATime?: 'unit' | 'control';
  /** It fetches files of the card: one that is done shows that FTP works. */
  readonly fetchesFiles?: true;
  /** Resolves with the result, JSON. A rejection makes the job `failed`, or `cancelled` after the signal has aborted. */
  run(job: JobRun<Input, Checkpoint>): Promise<Result>;
  /** Goes on with one that was running when the gateway stopped or died. Without it such a job is `failed`. */
  resume?(job: JobRun<Input, Checkpoint>): Promise<Result>;
}

/** A kind as it is described to callers. */
export interface DescribedKind {
  readonly name: string;
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly oneAtATime: JobKind['oneAtATime'];
  /** Whether a job that runs while the gateway stops goes on after the next start. */
  readonly goesOn: boolean;
  readonly fetchesFiles: boolean;
}

/** The job of a call that starts at most one of its kind. */
export interface StartedJob {
  readonly job: Job;
  /** Whether this call started it. */
  readonly isNew: boolean;
  /** The input that it was started with: another call may have had another one. */
  readonly input: unknown;
}

/** Which jobs; what is left out does not matter. */
export interface JobFilter {
  readonly units?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** Only jobs with a lower id: the last id of a page gives the next page. */
  readonly before?: number | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

/** The jobs of the gateway, for those that start and show them. */
export interface Jobs {
  /** Registers a kind; its interrupted jobs go on. Throws when the name is taken. The disposer ends it. */
  kind<Input, Result, Checkpoint>(kind: JobKind<Input, Result, Checkpoint>): () => void;
  /** All kinds that are registered now, in the order of their names. */
  kinds(): readonly DescribedKind[];
  /** Whether this kind is registered. */
  knows(kind: string): boolean;
  /**
   * Resolves when the job is in the database; it runs then, or when its turn comes. `input` is JSON.
   * Errors: DEVICE_BUSY when too many wait, STORAGE_FULL, STORAGE_FAILED, STOPPING.
   */
  start(kind: string, unitId: string | null, input: unknown): Promise<Job>;
  /** The job of this kind that waits or runs on the unit already, as it was asked for then; else as `start`. */
  startOnce(kind: string, unitId: string | null, input: unknown): Promise<StartedJob>;
  /** The newest first. */
  list(filter?: JobFilter): Promise<readonly Job[]>;
  get(id: number): Promise<Job | undefined>;
  /**
   * A queued job is cancelled at once. A running one is told, and is `cancelled` when its work has ended; one that has
   * ended stays as it is. Undefined: there is none.
   */
  cancel(id: number): Promise<Job | undefined>;
}

/** The jobs of the gateway: their order, their storage, and jobs that a restart interrupted. */
import type { Clock } from '../clock.ts';
import { countOf } from '../domain/figures.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { EventStream } from '../events/contract.ts';
import { guardedSignal } from '../guarded.ts';
import type { Log } from '../log.ts';
import type { Rows, Tables } from '../store/contract.ts';
import { ActiveJob, type ActiveParts, Cancelled } from './active.ts';
import type { DescribedKind, Job, JobFilter, JobKind, Jobs, StartedJob } from './contract.ts';
import { detailOf, failure, JOBS, type JobRow, jobOf, NEW_JOB, RefusedJobs } from './table.ts';

export { JOBS, jobMigrations } from './table.ts';

/** Number of ended jobs in the store; the oldest are removed first. */
export const KEPT_JOBS = 1_000;
/** Most jobs of one unit that wait or run. */
export const MOST_JOBS_OF_UNIT = 50;
/** Of all units together. */
export const MOST_JOBS = 1_000;
const USUAL_PAGE = 100;

interface JobsParts {
  readonly tables: Tables;
  readonly events: EventStream;
  readonly clock: Clock;
  readonly log: Log;
}

/** The jobs, for the program that starts and stops them. */
export interface JobService extends Jobs {
  /** From now on jobs run: all kinds are registered. Jobs of an unknown kind fail. */
  begin(): Promise<void>;
  drop(unitId: string): void;
  /** Ends all running jobs and waits for them. Jobs whose kind can continue later stay `running`. */
  close(): Promise<void>;
}

/** Reads the jobs of the last run. They run only after `begin`. */
export async function openJobs(parts: JobsParts): Promise<JobService> {
  const service = new Service(parts);
  await service.load();
  return service;
}

class Service implements JobService {
  readonly #parts: JobsParts;
  readonly #kinds = new Map<string, JobKind>();
  readonly #active = new Map<number, ActiveJob>();
  readonly #running = new Map<number, Promise<void>>();
  /** By unit and kind: jobs of `startOnce` that are not in the database yet. */
  readonly #starting = new Map<string, Promise<StartedJob>>();
  /** Ended jobs that are not on the disk yet: after a failed write, the row is written with the next one. */
  readonly #unwritten = new Map<number, JobRow>();
  readonly #refused: RefusedJobs;
  #last = 0;
  #began = false;
  #closed = false;

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.#refused = new RefusedJobs(parts);
  }

  async load(): Promise<void> {
    const [left, newest] = await this.#parts.tables.read(async (rows) => [
      await rows.find(JOBS, { where: { state: ['queued', 'running'] }, order: { id: 'asc' } }),
      await rows.find(JOBS, { order: { id: 'desc' }, limit: 1 }),
    ]);
    this.#last = newest?.[0]?.id ?? 0;
    for (const row of left ?? []) this.#active.set(row.id, this.#activeOf(row));
  }

  kind(kind: JobKind): () => void {
    if (this.#kinds.has(kind.name)) throw new Error(`the kind of job ${kind.name} is known already`);
    this.#kinds.set(kind.name, kind);
    return () => this.#kinds.delete(kind.name);
  }

  kinds(): readonly DescribedKind[] {
    const kinds = [...this.#kinds.values()].map(
      ({ name, title = name, fields = [], oneAtATime, resume, fetchesFiles }) => ({
        name,
        title,
        fields,
        oneAtATime,
        goesOn: resume !== undefined,
        fetchesFiles: fetchesFiles === true,
      }),
    );
    return kinds.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  knows(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  async begin(): Promise<void> {
    this.#began = true;
    for (const job of [...this.#active.values()]) {
      const kind = this.#kinds.get(job.row.kind);
      if (!kind) await this.#end(job, failure(`No plugin that runs now knows jobs of the kind ${job.row.kind}.`));
      else if (job.interrupted && !kind.resume)
        await this.#end(job, failure('The gateway stopped while the job ran, and this kind cannot go on later.'));
    }
    this.#next();
  }

  async start(kind: string, unitId: string | null, input: unknown): Promise<Job> {
    if (this.#closed) throw new GatewayError('STOPPING', 'The gateway is stopping.');
    if (!this.#kinds.has(kind)) throw new Error(`there is no kind of job named ${kind}`);
    this.#refuseTooMany(unitId);
    this.#last += 1;
    const job = this.#activeOf({ ...NEW_JOB, id: this.#last, kind, unitId, ...this.#fresh(input) });
    await this.#refused.keep(job.row.id, () => this.#keep(job.row));
    this.#active.set(job.row.id, job);
    this.#tell(job.job);
    this.#next();
    return job.job;
  }

  async startOnce(kind: string, unitId: string | null, input: unknown): Promise<StartedJob> {
    const present = [...this.#active.values()].find(({ row }) => row.kind === kind && row.unitId === unitId);
    if (present) return { job: present.job, isNew: false, input: present.row.input?.value };
    const key = JSON.stringify([unitId, kind]);
    const other = this.#starting.get(key);
    if (other) return { ...(await other), isNew: false };
    const starting = this.start(kind, unitId, input).then((job) => ({ job, isNew: true, input }));
    this.#starting.set(key, starting);
    return starting.finally(() => this.#starting.delete(key));
  }

  async list({ units, states, kinds, before, limit = USUAL_PAGE }: JobFilter = {}): Promise<readonly Job[]> {
    const where = {
      unitId: units,
      state: states,
      kind: kinds,
      id: before === undefined ? undefined : { below: before },
    };
    const rows = await this.#parts.tables.read((own) => own.find(JOBS, { where, order: { id: 'desc' }, limit }));
    return rows.map((row) => this.#active.get(row.id)?.job ?? this.#jobOf(this.#unwritten.get(row.id) ?? row));
  }

  async get(id: number): Promise<Job | undefined> {
    const known = this.#active.get(id)?.row ?? this.#unwritten.get(id);
    if (known) return this.#jobOf(known);
    const [row] = await this.#parts.tables.read((rows) => rows.find(JOBS, { where: { id } }));
    return row && this.#jobOf(row);
  }

  async cancel(id: number): Promise<Job | undefined> {
    const job = this.#active.get(id);
    if (!job) return this.get(id);
    await this.#cancel(job, 'The job was cancelled.');
    return job.job;
  }

  drop(unitId: string): void {
    for (const job of this.#active.values())
      if (job.row.unitId === unitId) void this.#cancel(job, `The unit ${unitId} was removed.`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#refused.close();
    for (const id of this.#running.keys())
      this.#active.get(id)?.ending.abort(new GatewayError('STOPPING', 'The gateway is stopping.'));
    await Promise.allSettled(this.#running.values());
  }

  async #cancel(job: ActiveJob, message: string): Promise<void> {
    if (!this.#running.has(job.row.id)) return this.#end(job, { state: 'cancelled', message });
    if (!job.ending.signal.aborted) job.ending.abort(new Cancelled(message));
  }

  #next(): void {
    if (!this.#began || this.#closed) return;
    for (const job of this.#active.values()) {
      const kind = this.#kinds.get(job.row.kind);
      if (!kind || this.#running.has(job.row.id) || this.#isTaken(job, kind)) continue;
      const work = this.#run(job, kind).finally(() => {
        this.#running.delete(job.row.id);
        this.#next();
      });
      this.#running.set(job.row.id, work);
    }
  }

  #isTaken({ row }: ActiveJob, kind: JobKind): boolean {
    const word = kind.oneAtATime;
    if (word === undefined) return false;
    return [...this.#running.keys()].some((id) => {
      const other = this.#active.get(id)?.row;
      return other?.unitId === row.unitId && this.#kinds.get(other.kind)?.oneAtATime === word;
    });
  }

  async #run(job: ActiveJob, kind: JobKind): Promise<void> {
    const { clock, log } = this.#parts;
    const { id, unitId, input } = job.row;
    const work = job.interrupted && kind.resume ? kind.resume.bind(kind) : kind.run.bind(kind);
    await job.set({ state: 'running', startedAt: job.row.startedAt ?? clock.now() });
    const about = { id, unitId, input: input?.value, clock, log: log.child({ job: id, kind: kind.name }) };
    try {
      job.ending.signal.throwIfAborted();
      const value: unknown = await work(job.controls(about));
      await this.#end(job, { state: 'done', result: { value: value ?? null } });
    } catch (error) {
      await this.#failed(job, kind, error);
    }
  }

  async #failed(job: ActiveJob, kind: JobKind, error: unknown): Promise<void> {
    const { reason } = job.ending.signal;
    if (reason instanceof Cancelled) {
      const message = job.lastWords === null ? reason.message : `${reason.message} ${job.lastWords}`;
      return this.#end(job, { state: 'cancelled', message });
    }
    // The job continues after the next start; its row stays `running` until then.
    if (this.#closed && kind.resume) return;
    if (this.#closed) return this.#end(job, failure('The gateway stopped while the job ran.'));
    this.#parts.log.warn({ job: job.row.id, kind: kind.name, err: error }, 'a job failed');
    await this.#end(job, failure(detailOf(error), isGatewayError(error) ? error.code : 'INTERNAL'));
  }

  async #end(job: ActiveJob, values: Partial<JobRow>): Promise<void> {
    this.#active.delete(job.row.id);
    await job.set({ ...values, endedAt: this.#parts.clock.now() });
    await this.#trim().catch((error) => this.#unkept(error));
  }

  async #trim(): Promise<void> {
    const ended = { endedAt: { atLeast: 0 } };
    await this.#parts.tables.write(async (rows) => {
      const [oldest] = await rows.find(JOBS, { where: ended, order: { id: 'desc' }, offset: KEPT_JOBS, limit: 1 });
      if (oldest) await rows.remove(JOBS, { ...ended, id: { atMost: oldest.id } });
    });
  }

  #refuseTooMany(unitId: string | null): void {
    const own = [...this.#active.values()].filter(({ row }) => row.unitId === unitId).length;
    if (own >= MOST_JOBS_OF_UNIT || this.#active.size >= MOST_JOBS)
      throw new GatewayError(
        'DEVICE_BUSY',
        `${countOf(Math.max(own, 1), 'job waits or runs', 'jobs wait or run')} already; cancel one or wait.`,
        {
          headers: { 'Retry-After': '60' },
        },
      );
  }

  #fresh(input: unknown): Pick<JobRow, 'createdAt' | 'input'> {
    return { createdAt: this.#parts.clock.now(), input: { value: structuredClone(input) ?? null } };
  }

  #titleOf(kind: string): string {
    return this.#kinds.get(kind)?.title ?? kind;
  }

  #jobOf(row: JobRow): Job {
    return jobOf(row, this.#titleOf(row.kind));
  }

  #activeOf(row: JobRow): ActiveJob {
    const keep: ActiveParts['keep'] = (changed) => this.#keep(changed);
    const tell = (job: Job) => this.#tell(job);
    const { clock, log } = this.#parts;
    const job = new ActiveJob(row, {
      clock,
      titleOf: (kind) => this.#titleOf(kind),
      keep,
      tell,
      unkept: (error) => this.#unkept(error),
    });
    const about = { job: row.id, kind: row.kind };
    guardedSignal(job.ending.signal, (error) =>
      log.error({ ...about, err: error }, 'a listener to the end of a job failed'),
    );
    return job;
  }

  async #keep(row: JobRow): Promise<void> {
    if (row.endedAt !== null) this.#unwritten.set(row.id, row);
    const ended = [...this.#unwritten.values()];
    await this.#parts.tables.write((rows: Rows) => rows.put(JOBS, row.endedAt === null ? [...ended, row] : ended));
    for (const { id } of ended) this.#unwritten.delete(id);
  }

  #unkept(error: unknown): void {
    this.#parts.log.error({ reason: messageOf(error) }, 'the state of a job could not be written');
  }

  #tell(job: Job): void {
    this.#parts.events.publish(job.unitId ?? '', 'job', { ...job });
  }
}

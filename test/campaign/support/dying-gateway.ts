/**
 * The cycles on a simulated meter in memory, in a gateway that can die at every moment: before and after each command and
 * each write. The next gateway finds the written data. The meter, its card and the mirror go on.
 */
import { createFamilies } from '../../../lib/drivers/index.ts';
import type { Command } from '../../../lib/drivers/wire/contract.ts';
import { type ErrorCode, GatewayError } from '../../../lib/errors.ts';
import type { Job, JobFilter, JobKind, JobRun } from '../../../lib/jobs/contract.ts';
import { createLog } from '../../../lib/log.ts';
import type { Caller, Reservation } from '../../../lib/meter/contract.ts';
import type { Host } from '../../../lib/plugin/contract.ts';
import type { Rows, Tables } from '../../../lib/store/contract.ts';
import { ClockSync } from '../../../plugins/campaign/clock/clock-sync.ts';
import { addCycleJobs } from '../../../plugins/campaign/cycles/cycle-jobs.ts';
import { CycleStore } from '../../../plugins/campaign/cycles/cycle-store.ts';
import { ProfileStore } from '../../../plugins/campaign/profiles/profile-store.ts';
import { createInstrument } from '../../../simulator/acoustics/instrument.ts';
import { createCard } from '../../../simulator/card/index.ts';
import { VirtualClock } from '../../../simulator/clock.ts';
import { readLine } from '../../../simulator/grammar.ts';
import { Machine } from '../../../simulator/machine.ts';
import { loadProfile, type Profile } from '../../../simulator/profile.ts';
import { execute } from '../../../simulator/requests.ts';
import { deviceConfig } from '../../support/config.ts';
import { performing } from '../../support/families/usual.ts';
import { standIn } from '../../support/stand-in.ts';
import { changed } from '../../support/unanswered.ts';

const UNIT = 'roof';
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  'R+0001': 'DEVICE_REFUSED_COMMAND',
  'R+0002': 'DEVICE_REFUSED_PARAMETER',
  'R+0003': 'DEVICE_REFUSED_COMMAND',
  'R+0004': 'DEVICE_WRONG_STATE',
};

export class Killed extends Error {}

export class DyingGateway {
  readonly clock = new VirtualClock();
  readonly card = createCard({ model: 'NL-43', totalMb: 1_000, seed: 1, startedAt: this.clock.now() });
  readonly machine: Machine;
  /** Settings that the meter accepted. */
  readonly accepted: string[] = [];
  mirrorRuns = 0;
  moments = 0;
  /** Dies, or is cancelled, at the moment with this number. */
  killAt = Number.POSITIVE_INFINITY;
  cancelAt = Number.POSITIVE_INFINITY;
  /** A start is queued behind the stop. */
  startWaits = false;
  /** Looks that the mirror takes. */
  mirrorLooks = 3;
  /** How the database answers to a change of what is kept beside the jobs. */
  readonly database = { answers: true, stores: true };
  /** Last text of the job. */
  said = '';
  readonly #profile: Profile;
  readonly #mirrors = new Map<number, { looks: number; folder: string | undefined; cancelled: boolean }>();
  #checkpoint: unknown;
  #cancelled = new AbortController();
  #cycles: CycleStore | undefined;
  #dead = false;

  constructor(quirks: Partial<Profile> = {}) {
    this.#profile = loadProfile({ ...loadProfile('instant'), ...quirks });
    this.machine = new Machine({
      clock: this.clock,
      instrument: createInstrument({ seed: 1, scenario: 'office', stepMs: 100 }),
      card: this.card,
      profile: this.#profile,
      model: 'NL-43',
      serial: '00144703',
      note: () => {},
      networkChanged: () => {},
    });
  }

  sent(text: string): number {
    return this.accepted.filter((one) => one === text).length;
  }

  set(name: string, value: string): void {
    this.machine.settings.set(name, value);
  }

  /** Runs of the mirror that nobody waits for. */
  get mirrorsAlone(): number {
    return this.#jobsOf(['mirror']).length;
  }

  get isMeasuring(): boolean {
    this.machine.measurement.advance();
    return this.machine.measurement.running;
  }

  /** A fresh job of a kind, or the same one after a death. Rejects with `Killed`, or as the job does. */
  async run(name: 'cycle-start' | 'cycle-stop', input: object = { profile: null }): Promise<unknown> {
    if (this.#dead) this.#cycles = undefined;
    this.#dead = false;
    this.#cancelled = new AbortController();
    const kinds = new Map<string, JobKind>();
    const host = this.#host(kinds);
    const tables = this.#tables();
    const profiles = new ProfileStore(tables, this.clock, () => {});
    await profiles.load();
    const cycles = this.#cycles ?? new CycleStore(tables, this.clock);
    if (!this.#cycles) await cycles.load();
    this.#cycles = cycles;
    addCycleJobs({
      host,
      clocks: new ClockSync(host),
      profiles,
      cycles,
      retryMs: 60_000,
      tooLateMs: 100_000,
      startWaitsMs: 0,
    });
    const kind = kinds.get(name);
    if (!kind) throw new Error(`no kind ${name}`);
    return this.#moving(kind.run(this.#job(input)));
  }

  /** The job is through: the next one is another. */
  forget(): void {
    this.#checkpoint = undefined;
  }

  /** Throws where it is dead, or dies now. */
  #moment(): void {
    this.moments += 1;
    if (this.moments === this.killAt) this.#dead = true;
    if (this.moments === this.cancelAt) this.#cancelled.abort(new GatewayError('STOPPING', 'The job was cancelled.'));
    if (this.#dead) throw new Killed();
  }

  async #write<T>(work: () => T): Promise<T> {
    this.#moment();
    const done = work();
    this.#moment();
    return done;
  }

  async #send<T>(command: Command<T>): Promise<T> {
    this.#moment();
    await this.clock.advance(1_000);
    const line = readLine(command.text, this.#profile);
    const answer = typeof line === 'string' ? { result: line, data: undefined } : execute(this.machine, line);
    const isDone = answer.result === 'R+0000';
    if (isDone && command.kind === 'setting') this.accepted.push(command.text);
    this.#moment();
    if (!isDone) throw new GatewayError(REFUSALS[answer.result] ?? 'INTERNAL', `The meter refused ${command.text}`);
    return command.decode(answer.data?.kind === 'text' ? answer.data.text : '');
  }

  #job(input: object): JobRun {
    const cancelled = this.#cancelled;
    return {
      id: 1,
      unitId: UNIT,
      input,
      clock: this.clock,
      log: createLog('silent'),
      checkpoint: structuredClone(this.#checkpoint),
      signal: cancelled.signal,
      caller: { signal: cancelled.signal, deadlineMs: 3_600_000, job: 'Cycle' },
      get isCancelled() {
        return cancelled.signal.aborted;
      },
      progress: () => {},
      say: (message) => {
        this.said = message;
      },
      save: (checkpoint) =>
        this.#write(() => {
          this.#checkpoint = structuredClone(checkpoint);
        }),
    };
  }

  #host(kinds: Map<string, JobKind>): Host {
    const { meter, reservation } = performing({ send: (command) => this.#send(command) });
    const config = deviceConfig({ unitId: UNIT, ftpEnabled: true });
    return standIn<Host>({
      clock: this.clock,
      signal: new AbortController().signal,
      log: createLog('silent'),
      on: () => () => {},
      publish: () => {},
      configs: { get: () => config, of: () => config },
      families: createFamilies(),
      meter: () => ({
        ...meter,
        // Once begun it is finished: the signal counts before.
        reserve: async (_label: string, work: (reservation: Reservation) => Promise<unknown>, { signal }: Caller) => {
          signal.throwIfAborted();
          return work(reservation);
        },
      }),
      reachability: () => ({ clock: { at: this.clock.now(), offsetMs: 0, uncertaintyMs: 500 } }),
      card: () => {
        const list = async (path: string) => this.#list(path);
        return { list, visit: () => ({ list, close: async () => {} }) };
      },
      jobs: {
        ...this.#mirrorJobs(),
        kind: (kind: JobKind) => {
          kinds.set(kind.name, kind);
          return () => {};
        },
        list: async ({ kinds = [] }: JobFilter = {}) => this.#jobsOf(kinds),
      },
    });
  }

  #list(path: string) {
    if (!this.machine.settings.isOn('FTP')) throw new GatewayError('DEVICE_UNREACHABLE', 'The FTP port refuses.');
    const entries = this.card.list(path);
    if (!entries) throw new GatewayError('FILE_NOT_FOUND', `There is no ${path}.`);
    return entries.map(({ name, folder, size }) => ({
      name,
      size,
      path: `${path.replace(/\/$/, '')}/${name}`,
      isDir: folder,
    }));
  }

  #jobsOf([kind]: readonly string[]): readonly Partial<Job>[] {
    if (kind === 'cycle-start') return this.startWaits ? [{ id: 0, createdAt: 0 }] : [];
    const running = [...this.#mirrors].filter(([, { cancelled, folder }]) => !cancelled && folder === undefined);
    return kind === 'mirror' ? running.map(([id]) => ({ id })) : [];
  }

  /** A job of its own: it takes three looks, and does not die with this gateway's work. */
  #mirrorJobs() {
    const counted = (path: string): { files: number; bytes: number } =>
      this.#list(path).reduce(
        (sum, entry) => {
          const more = entry.isDir ? counted(entry.path) : { files: 1, bytes: entry.size };
          return { files: sum.files + more.files, bytes: sum.bytes + more.bytes };
        },
        { files: 0, bytes: 0 },
      );
    const start = (_kind: string, _unit: string | null, input: unknown) =>
      this.#write(() => {
        const { folder } = input as { readonly folder?: string };
        this.mirrorRuns += 1;
        this.#mirrors.set(this.mirrorRuns, { looks: 0, folder, cancelled: false });
        return { id: this.mirrorRuns };
      });
    return {
      kinds: () => [],
      knows: () => true,
      start,
      startOnce: async (kind: string, unit: string | null, input: unknown) => {
        const [present] = this.#jobsOf([kind]);
        return { job: present ?? (await start(kind, unit, input)), isNew: !present };
      },
      get: async (id: number): Promise<Partial<Job> | undefined> => {
        const mirror = this.#mirrors.get(id);
        if (!mirror) return undefined;
        mirror.looks += 1;
        if (mirror.cancelled) return { state: 'cancelled' };
        if (mirror.looks < this.mirrorLooks) return { state: 'running' };
        const { folder = '/' } = mirror;
        return {
          state: 'done',
          result: { stopped: null, folder: { path: folder, ...counted(folder), incomplete: [] } },
        };
      },
      cancel: (id: number) =>
        this.#write(() => {
          const mirror = this.#mirrors.get(id);
          if (mirror) mirror.cancelled = true;
          return mirror && { id };
        }),
    };
  }

  readonly #rows = new Map<string, readonly unknown[]>();

  #tables(): Tables {
    const rows = standIn<Rows>({
      find: async ({ name }: { name: string }) => this.#rows.get(name) ?? [],
      put: ({ name }: { name: string }, put: readonly unknown[]) => this.#write(() => void this.#rows.set(name, put)),
      remove: async () => 0,
    });
    const work = (todo: (given: Rows) => Promise<unknown>) => todo(rows);
    return standIn<Tables>({
      read: work,
      write: (todo: Parameters<typeof work>[0]) => changed(this.database, () => work(todo)),
    });
  }

  async #moving<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    work.then(mark, mark);
    while (!settled) await this.clock.advance(1_000);
    return work;
  }
}

/**
 * An instance among several on one database: the gateway, or a standby that becomes it when the active instance stops or
 * falls silent. The lease decides which instance is active (`lib/cluster/lease.ts`).
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Clock, within } from '../clock.ts';
import type { InstancesKnown, LeaseStore, MemberRow } from '../cluster/contract.ts';
import { Lease } from '../cluster/lease.ts';
import { MemberStates } from '../cluster/member-states.ts';
import type { Watchdog } from '../cluster/watchdog/index.ts';
import { inSeconds } from '../domain/figures.ts';
import { GatewayError, messageOf } from '../errors.ts';
import type { Trouble } from '../http/health.ts';
import { type Standby, startStandby } from '../http/standby.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';
import { VERSION } from '../version.ts';
import type { Gateway } from './gateway.ts';
import { InstanceFitness, instanceTroubles } from './instance-troubles.ts';
import type { ActiveInstance } from './instances.ts';
import { httpSettings } from './wiring.ts';

interface InstanceParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: LeaseStore;
  /** Id of this instance; it never changes. */
  readonly id: string;
  /** Rejects with StoreError if this instance could not take over the database as it is. Absent: not checked. */
  readonly fits?: (signal: AbortSignal) => Promise<void>;
  /** Only used with the clock of the computer. */
  readonly watchdog?: Pick<Watchdog, 'until'>;
  /** Rejects as `startGateway`. */
  readonly start: (settings: Settings, active: ActiveInstance) => Promise<Gateway>;
}

/** An instance as the process sees it, active or not. */
export interface Instance extends Pick<Gateway, 'announced' | 'port' | 'stop'> {
  readonly known: () => InstancesKnown;
  /** One sentence while the instance is a standby. */
  readonly waits: () => string | undefined;
  /** The gateway while this instance is active. */
  readonly gateway: () => Gateway | undefined;
  /** Resolves after `stop`. Rejects if the instance took over and could not start: then the process should end. */
  readonly ended: Promise<void>;
}

/** For the first answer of the database, ms. */
const FIRST_ANSWER_MS = 15_000;
const late = () => new Error(`the database of database_url did not answer within ${FIRST_ANSWER_MS / 1_000} s`);
/** To give the lease back, and to remove a member, ms. */
const LEAVE_MS = 2_000;
const REMOVE_MS = 5_000;
/** Time for the main thread to see the end of the lease, ms. */
const SEE_END_MS = 1_000;
/** Time after that to end all work at the meters, ms: no standby takes over earlier. */
const LET_GO_MS = 10_000;
/** For the stop of an instance that cannot go on, ms. */
const FAILED_STOP_MS = 10_000;

const placeOf = ({ data_dir }: Settings): string => `${hostname()} ${resolve(data_dir)}`;

/**
 * Listens, joins, and becomes active when no other instance is active. Rejects if the database does not answer, and
 * with StoreError `in-use` if its id is in use elsewhere.
 */
export async function startInstance(parts: InstanceParts): Promise<Instance> {
  await refuseCopy(parts);
  const running = new RunningInstance(parts);
  try {
    await running.begin();
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

/** A copied data folder has the id of an instance that may still run elsewhere. */
async function refuseCopy({ store, id, settings, clock }: InstanceParts): Promise<void> {
  const { members } = await within(clock, FIRST_ANSWER_MS, late, (signal) => store.look(signal));
  const same = members.find((row) => row.id === id && !row.hasLeft);
  if (!same || same.place === placeOf(settings)) return;
  throw new StoreError(
    'in-use',
    `the data folder ${settings.data_dir} belongs to the instance ${same.name} on ${same.place}, which was not stopped: ` +
      'stop that instance; if the folder was copied or moved here, remove instance.json from it first',
  );
}

class RunningInstance implements Instance {
  readonly ended: Promise<void>;
  readonly #parts: InstanceParts;
  readonly #end = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #fitness: InstanceFitness;
  readonly #states: MemberStates;
  #lease: Lease | undefined;
  #standby: Standby | undefined;
  #gateway: Gateway | undefined;
  #port = 0;
  #announced: readonly string[] = [];
  #following: Promise<void> = Promise.resolve();
  #stopped: Promise<readonly string[]> | undefined;
  #hasFailed = false;

  constructor(parts: InstanceParts) {
    this.#parts = parts;
    this.#fitness = new InstanceFitness(parts);
    this.#states = new MemberStates(parts.id);
    this.ended = this.#end.promise;
    this.ended.catch(() => {});
  }

  get port(): number {
    return this.#port;
  }

  get announced(): readonly string[] {
    return this.#announced;
  }

  gateway = (): Gateway | undefined => this.#gateway;

  known = (): InstancesKnown => {
    const { clock } = this.#parts;
    return this.#states.known(this.#lease, { elapsed: clock.elapsed(), wall: clock.now() });
  };

  waits = (): string | undefined => (this.#gateway ? undefined : this.#waitingWords());

  /** Resolves when the instance is known to be a standby, or when the gateway runs. */
  async begin(): Promise<void> {
    const { settings, clock, log, store, id } = this.#parts;
    const standby = await this.#listen(settings);
    this.#port = standby.port;
    this.#announced = standby.announced.map((origin) => `${origin}${settings.base_path}`);
    const about = {
      name: settings.instance_name || hostname(),
      address: settings.instance_address || standby.announced[0] || standby.origin,
      version: VERSION,
      place: placeOf(settings),
    };
    const lease = new Lease({ id, about, store, clock, log, mayTake: () => !this.#fitness.isOlder });
    this.#lease = lease;
    store.onChange(() => lease.hurry());
    lease.onChange(() => this.#changed(lease));
    const isKnown = () => lease.isActive || (lease.hasLooked && !lease.isFree);
    await within(clock, FIRST_ANSWER_MS, late, (signal) => lease.until(isKnown, signal));
    if (lease.isActive) await this.#takeOver(lease);
    else log.info({ active: lease.view.lease?.name }, 'this instance is a standby');
    this.#following = this.#follow(lease).catch((error: unknown) => {
      log.error({ reason: messageOf(error) }, 'this instance is active and cannot be the gateway: it stops');
      this.#fail(error);
    });
  }

  /** Gives the lease back, and stops listening. Resolves with the parts that did not stop cleanly. */
  stop = (): Promise<readonly string[]> => {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  };

  async #stop(): Promise<readonly string[]> {
    this.#stopping.abort(new Error('the instance stops'));
    // A gateway under way to its start first finishes the start, and is then stopped.
    await this.#following;
    const unclean = await this.#endGateway();
    this.#parts.watchdog?.until(undefined);
    const hasLeft = await this.#lease?.leave(LEAVE_MS);
    await this.#standby?.drained(0);
    await this.#parts.store.close();
    if (!this.#hasFailed) this.#end.resolve();
    return hasLeft === false ? [...unclean, 'the lease'] : unclean;
  }

  /** The process does not end at once: the others would then wait a minute for its lease. */
  #fail(error: unknown): void {
    this.#hasFailed = true;
    const stopInTime = within(
      this.#parts.clock,
      FAILED_STOP_MS,
      () => new Error('not in time'),
      () => this.stop(),
    );
    stopInTime.catch(() => {}).finally(() => this.#end.reject(error));
  }

  async #endGateway(): Promise<readonly string[]> {
    const unclean = await this.#gateway?.stop();
    this.#gateway = undefined;
    return unclean ?? [];
  }

  async #follow(lease: Lease): Promise<void> {
    const { clock, log, watchdog } = this.#parts;
    const until = (is: () => boolean) =>
      lease.until(is, this.#stopping.signal).then(
        () => true,
        () => false,
      );
    for (;;) {
      if (!this.#gateway) {
        if (!(await until(() => lease.isActive))) return;
        await this.#takeOver(lease);
        if (!this.#gateway) continue;
      }
      if (!(await until(() => !lease.isActive))) return;
      log.error({}, 'the lease is over: this instance ends its sessions with the meters, and is a standby');
      this.#states.lost(clock.elapsed());
      watchdog?.until(clock.elapsed() + LET_GO_MS);
      await this.#endGateway();
      watchdog?.until(undefined);
      await this.#listen({ ...this.#parts.settings, port: this.#port });
    }
  }

  #changed(lease: Lease): void {
    this.#states.saw(lease);
    void this.#fitness.look();
    // A process that stops working does not see the end of its lease; the watchdog does. A lease of a lone instance
    // does not end.
    if (lease.isActive) this.#parts.watchdog?.until(lease.end === undefined ? undefined : lease.end + SEE_END_MS);
  }

  async #takeOver(lease: Lease): Promise<void> {
    const { settings, clock, log, start, id } = this.#parts;
    log.info({}, 'this instance is active now');
    const { incarnation } = lease;
    if (incarnation === undefined) return;
    this.#states.took(clock.elapsed());
    this.#gateway = await start(
      { ...settings, port: this.#port },
      {
        ownership: { member: id, incarnation },
        // A later lease of this process has another store.
        mayAct: () => lease.mayAct() && lease.incarnation === incarnation,
        known: this.known,
        remove: (member) => this.#remove(lease, member),
        troubles: this.#troubles,
        beforeListen: async () => {
          await this.#standby?.drained(0);
          this.#standby = undefined;
        },
      },
    );
  }

  async #remove(lease: Lease, id: string): Promise<boolean> {
    const { clock, log, store } = this.#parts;
    const row = lease.view.members.find((member) => member.id === id);
    if (!row) return false;
    const lateRemoval = () => new Error(`no answer within ${inSeconds(REMOVE_MS)}`);
    const remove = (signal: AbortSignal) => store.remove(row, signal);
    const isRemoved = await within(clock, REMOVE_MS, lateRemoval, remove).catch((error) => {
      log.warn({ instance: row.name, reason: messageOf(error) }, 'an instance could not be removed');
      throw new GatewayError('STORAGE_FAILED', 'The database did not answer: ask again to be sure.');
    });
    if (!isRemoved) return false;
    log.info({ instance: row.name, id }, 'an instance was removed');
    // So that the next answer does not have the removed instance.
    lease.hurry();
    const isGone = () => !lease.view.members.some((member) => member.id === id);
    await within(clock, REMOVE_MS, lateRemoval, (signal) => lease.until(isGone, signal)).catch(() => {});
    return true;
  }

  #listen = async (settings: Settings): Promise<Standby> => {
    const { clock, log } = this.#parts;
    this.#standby = await startStandby({
      settings: httpSettings(settings),
      version: VERSION,
      clock,
      log,
      troubles: this.#troubles,
      waits: () => this.#waitingWords(),
      active: () => this.#activeOther()?.address,
    });
    return this.#standby;
  };

  #troubles = (): readonly Trouble[] => {
    const lease = this.#lease;
    return instanceTroubles({
      members: this.known().members,
      owner: lease?.view.lease?.member,
      isActive: lease?.isActive ?? false,
      isCut: lease?.isCut ?? false,
      isAlone: lease?.isAlone ?? false,
      clockAhead: lease?.clockAhead ?? 0,
      isDiskShort: this.#fitness.isDiskShort,
      isOlder: this.#fitness.isOlder,
    });
  };

  #activeOther(): MemberRow | undefined {
    const lease = this.#lease;
    const row = lease?.view.lease;
    if (!lease || !row || row.beat === null || row.member === this.#parts.id || lease.isSilent(row.member))
      return undefined;
    return lease.view.members.find(({ id }) => id === row.member);
  }

  #waitingWords(): string {
    const lease = this.#lease;
    const row = lease?.view.lease;
    if (!lease || !row || row.beat === null) return 'This instance is about to be active.';
    if (lease.isCut)
      return `This instance is a standby, and gets no answer from the database. By the last answer ${row.name} is active.`;
    if (row.alone && lease.isSilent(row.member)) return leftAlone(row.name);
    return `This instance is a standby: ${row.name} is active.`;
  }
}

/** An instance without others goes on without the database: only a person can know whether it still runs. */
const leftAlone = (name: string): string =>
  `The instance ${name} was alone when its signs of life ended, and may go on without the database. This standby takes over after new signs of life of ${name}, or after "npm run database -- release". Before that command, stop ${name}.`;

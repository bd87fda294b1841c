/**
 * One of several instances on one database. One of them has the meters and is the gateway; the others wait and pass requests on to it. When
 * it leaves or falls silent, one that waits becomes the gateway. Who has the meters is decided by a lease (`lib/cluster`).
 */
import { hostname } from 'node:os';
import { keyFileIn } from '../access/key-file.ts';
import { personFileIn } from '../access/people/person-file.ts';
import { sessionFileIn } from '../access/people/session-file.ts';
import { replaceFile } from '../access/replace-file.ts';
import { within } from '../clock.ts';
import type { InstancesKnown, MemberRow, MemberState } from '../cluster/contract.ts';
import { MemberLoop } from '../cluster/member-loop.ts';
import { MemberStates } from '../cluster/member-states.ts';
import { unitOwner } from '../cluster/owners.ts';
import { PassedOn, PROOF_HEADER } from '../cluster/passed-on.ts';
import { REPLACED } from '../cluster/same-id.ts';
import { InstanceFiles } from '../cluster/shared-files.ts';
import { CLUSTER_TIMES } from '../cluster/times.ts';
import { GATEWAY_ROLE as METERS } from '../domain/cluster-units.ts';
import { messageOf } from '../errors.ts';
import type { Trouble } from '../http/health.ts';
import { type Standby, type StandbyParts, startStandby } from '../http/standby.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';
import { VERSION } from '../version.ts';
import type { Gateway } from './gateway.ts';
import { hasAllMeters } from './instance-alone.ts';
import { InstanceEnd } from './instance-end.ts';
import { InstanceFitness } from './instance-fitness.ts';
import { freesPlaces } from './instance-free.ts';
import type { InstanceParts } from './instance-parts.ts';
import { placeOfInstance, refuseCopy } from './instance-place.ts';
import { promisesOf } from './instance-promises.ts';
import { removesInstances } from './instance-removal.ts';
import { markReplaced, refuseReplaced } from './instance-replaced.ts';
import { believes, type InstanceSeat } from './instance-seat.ts';
import { InstanceSessions, WITHOUT_SESSIONS } from './instance-sessions.ts';
import { instanceTroubles, waitingWords } from './instance-troubles.ts';
import { LeaseWatch } from './lease-watch.ts';
import { httpSettings } from './wiring.ts';

/** The same from outside, whether it waits or is the gateway. */
export interface Instance extends Pick<Gateway, 'announced' | 'port' | 'stop'> {
  readonly members: () => readonly MemberState[];
  /** One sentence while it waits. */
  readonly waits: () => string | undefined;
  /** The gateway while it is this one. */
  readonly gateway: () => Gateway | undefined;
  /** Resolves after `stop`. Rejects where it took over and could not start, or another process has joined under its id: then the process should end. */
  readonly ended: Promise<void>;
}

/** The rows that the store of a cluster is made with: the role of the gateway alone. The gateway names the meters. */
export const LEASED = Object.freeze([{ unit: METERS, site: '' }]);
/** Units that a balanced cluster moves with one beat, at most: 60 a minute. */
const MOVES_A_BEAT = 5;
/** The database has so long for its first answer, ms. */
const FIRST_ANSWER_MS = 15_000;
const late = () => new Error(`the database of database_url did not answer within ${FIRST_ANSWER_MS / 1_000} s`);
/** And so long to hear that an instance leaves, ms. */
const LEAVE_MS = 2_000;

/** Listens, joins, and is the gateway as soon as nobody else is. Rejects where the database does not answer, and with StoreError `in-use` where another process has its id. */
export async function startInstance(parts: InstanceParts): Promise<Instance> {
  const { clock, store } = parts;
  const secret = await within(clock, FIRST_ANSWER_MS, late, (signal) => store.secret(signal));
  for (const refuse of [refuseCopy, refuseReplaced])
    await refuse(parts, (work) => within(clock, FIRST_ANSWER_MS, late, work));
  const running = new RunningInstance(parts, new PassedOn(secret));
  try {
    await running.begin();
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

class RunningInstance implements Instance {
  readonly ended: Promise<void>;
  readonly #parts: InstanceParts;
  readonly #passedOn: PassedOn;
  readonly #stopping = new AbortController();
  readonly #end: InstanceEnd;
  readonly #files: InstanceFiles;
  readonly #fitness: InstanceFitness;
  readonly #states: MemberStates;
  readonly #promises;
  readonly #places;
  readonly #watch: LeaseWatch;
  /** Where the meters are shared out. */
  readonly #sessions: InstanceSessions | undefined;
  #loop: MemberLoop | undefined;
  #standby: Standby | undefined;
  #gateway: Gateway | undefined;
  #port = 0;
  #announced: readonly string[] = [];
  #following: Promise<void> = Promise.resolve();
  #stopped: Promise<readonly string[]> | undefined;
  #marked: Promise<void> | undefined;

  constructor(parts: InstanceParts, passedOn: PassedOn) {
    this.#parts = parts;
    this.#passedOn = passedOn;
    const { settings, store, log } = parts;
    this.#states = new MemberStates(parts.id);
    this.#promises = promisesOf(passedOn, () => this.#loop, this.#me);
    this.#places = freesPlaces({ ...parts, passedOn, me: this.#me, loop: () => this.#loop });
    this.#watch = new LeaseWatch(parts.watchdog, parts.clock);
    const around = { ...parts, passedOn, me: this.#me, loop: () => this.#loop, owner: this.#owner };
    if (settings.share_meters) this.#sessions = new InstanceSessions({ ...around, ...this.#places.seat });
    const paths = [keyFileIn, personFileIn, sessionFileIn].map((pathIn) => pathIn(settings.data_dir));
    this.#fitness = new InstanceFitness(parts);
    this.#files = new InstanceFiles({ store, paths, replace: replaceFile, log });
    this.#end = new InstanceEnd(parts.clock);
    this.ended = this.#end.ended;
  }

  get port(): number {
    return this.#port;
  }

  get announced(): readonly string[] {
    return this.#announced;
  }

  gateway = (): Gateway | undefined => this.#gateway;

  members = (): readonly MemberState[] => this.#known().members;

  #known = (): InstancesKnown => {
    const { clock } = this.#parts;
    return this.#states.known(this.#hasMeters, { elapsed: clock.elapsed(), wall: clock.now() });
  };

  #hasMeters = (id: string): boolean => this.#loop !== undefined && id === ownerIn(this.#loop);

  waits = (): string | undefined => (this.#gateway ? undefined : waitingWords(this.#owner()?.name, this.#loop?.isCut));

  /** Resolves when it is known whether it waits, or the gateway runs. */
  async begin(): Promise<void> {
    const { settings, clock, log, store } = this.#parts;
    const standby = await this.#listen(settings);
    this.#port = standby.port;
    this.#announced = standby.announced.map((origin) => `${origin}${settings.base_path}`);
    const address = settings.instance_address || standby.announced[0] || standby.origin;
    const name = settings.instance_name || hostname();
    const about = { name, address, version: VERSION, place: placeOfInstance(settings) };
    const shares = this.#sessions?.membership ?? WITHOUT_SESSIONS;
    const own = { id: this.#parts.id, about, times: CLUSTER_TIMES, movesPerBeat: MOVES_A_BEAT, ...shares };
    const canBeGateway = () => !this.#fitness.lacks.isOlder;
    const loop = new MemberLoop({ ...own, canBeGateway, store, clock, log, askPromise: this.#promises.ask });
    this.#loop = loop;
    store.onChange(() => loop.hurry());
    loop.onChange(() => this.#changed(loop));
    const isKnown = () => ownerIn(loop) !== undefined;
    await within(clock, FIRST_ANSWER_MS, late, (signal) => loop.until(isKnown, signal));
    if (loop.holds(METERS)) await this.#takeOver(loop);
    else log.info({ owner: this.#owner()?.name }, 'this instance waits: another one has the meters');
    this.#following = this.#follow(loop).catch((error: unknown) => {
      if (!loop.isReplaced)
        log.error({ reason: messageOf(error) }, 'this instance has the meters and cannot be the gateway: it leaves');
      this.#end.failed(error, this.stop);
    });
  }

  /** Gives the meters away, and stops listening. Resolves with the parts that did not stop in good order. */
  stop = (): Promise<readonly string[]> => {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  };

  async #stop(): Promise<readonly string[]> {
    this.#stopping.abort(new Error('the instance stops'));
    // A gateway that is just starting starts whole, and is stopped then.
    await this.#following;
    const unclean = await this.#endGateway();
    await this.#sessions?.close();
    this.#watch.rests();
    const hasLeft = await this.#loop?.leave(LEAVE_MS);
    await this.#standby?.drained(0);
    await this.#parts.store.close();
    this.#end.stopped();
    return hasLeft === false ? [...unclean, 'the lease'] : unclean;
  }

  async #endGateway(): Promise<readonly string[]> {
    this.#sessions?.leaving();
    const unclean = await this.#gateway?.stop();
    this.#gateway = undefined;
    return unclean ?? [];
  }

  async #follow(loop: MemberLoop): Promise<void> {
    const { log } = this.#parts;
    const until = (is: () => boolean) =>
      loop.until(is, this.#stopping.signal).then(
        () => true,
        () => false,
      );
    for (;;) {
      if (!this.#gateway) {
        if (!(await until(() => loop.isReplaced || loop.holds(METERS)))) return;
        await this.#marked;
        if (loop.isReplaced) throw new StoreError('in-use', REPLACED);
        await this.#takeOver(loop);
        if (!this.#gateway) continue;
      }
      if (!(await until(() => !loop.holds(METERS)))) return;
      log.error({}, 'the lease is over: this instance stops to be the gateway');
      this.#states.lost(this.#parts.clock.elapsed());
      await this.#watch.letGo(loop.leaseEnd, () => this.#endGateway());
      if (!loop.isReplaced) await this.#listen({ ...this.#parts.settings, port: this.#port });
    }
  }

  /** What is ours may have changed. */
  #changed(loop: MemberLoop): void {
    if (loop.isReplaced) this.#marked ??= markReplaced(this.#parts);
    this.#states.saw(loop.view, this.#parts.clock.elapsed(), (id) => loop.isQuiet(id), this.#hasMeters);
    this.#standby?.follow(this.#owner());
    void this.#exchangeFiles();
    this.#places.look();
    void this.#fitness.look();
    const sessions = this.#sessions;
    if (loop.holds(METERS) || (sessions && loop.isLeased)) this.#watch.acts(loop.leaseEnd);
    if (!sessions) return;
    if (loop.isLeased || this.#gateway) void sessions.follow();
    else void this.#watch.letGo(loop.leaseEnd, () => sessions.follow());
  }

  #exchangeFiles = (): Promise<void> => this.#files.exchangeInTime(this.#parts.clock, this.#stopping.signal);

  async #takeOver(loop: MemberLoop): Promise<void> {
    const { settings, log, start } = this.#parts;
    log.info({}, 'this instance has the meters now');
    // The same callers are let in from the first moment on.
    await this.#exchangeFiles();
    if (!this.#sessions && !(await hasAllMeters(loop, this.#stopping.signal))) return this.#watch.rests();
    const epoch = this.#me()?.epoch ?? 0;
    const seat: InstanceSeat = {
      mayAct: () => loop.mayAct(METERS),
      ...this.#places.seat,
      passedOn: believes(this.#passedOn, { id: this.#parts.id, epoch }),
      ...{ asked: [this.#promises.asked, this.#places.asked], known: this.#known },
      remove: removesInstances({ ...this.#parts, loop }),
      troubles: this.#troubles,
      beforeListen: async () => {
        await this.#standby?.drained(0);
        this.#standby = undefined;
        this.#sessions?.tellStates();
      },
      ...(this.#sessions && { sessions: this.#sessions }),
    };
    this.#states.took(this.#parts.clock.elapsed());
    this.#gateway = await start({ ...settings, port: this.#port }, seat);
  }

  #listen = async (settings: Settings): Promise<Standby> => {
    const { clock, log } = this.#parts;
    const parts: StandbyParts = {
      settings: httpSettings(settings),
      version: VERSION,
      clock,
      log,
      troubles: this.#troubles,
      waits: () => this.waits() ?? 'This instance is about to be the gateway.',
      asked: [this.#promises.asked, this.#places.asked],
      joined: this.#sessions ? [this.#sessions.join] : [],
      owner: (method, url, peer) => {
        const row = this.#owner();
        if (!row?.address || row.id === this.#parts.id) return undefined;
        return { ...row, proof: { [PROOF_HEADER]: this.#passedOn.prove({ method, url, ...peer }, row) } };
      },
    };
    this.#standby = await startStandby(parts);
    return this.#standby;
  };

  #troubles = (): readonly Trouble[] => {
    const owner = this.#owner();
    const { clockAhead = 0, isCut = false } = this.#loop ?? {};
    const unreached = this.#standby?.isUnreached && owner ? [owner] : (this.#sessions?.unlinked ?? []);
    const unlike = this.#sessions?.unlike ?? [];
    const known = { owner: owner?.id, clockAhead, isCut, unreached, unlike };
    return instanceTroubles(this, { ...known, ...this.#fitness.lacks });
  };

  #owner = (): MemberRow | undefined => {
    const loop = this.#loop;
    return loop?.view.members.find(({ id, open }) => open && id === ownerIn(loop));
  };

  /** This instance under its present epoch. */
  #me = (): MemberRow | undefined => this.#loop?.view.members.find(({ id }) => id === this.#parts.id);
}

const ownerIn = ({ view }: MemberLoop): string | undefined => unitOwner(view, METERS);

/** Keeps a member going: sends what is due, brings the answers, and says when what this process owns has changed. */
import { type Clock, sleep, unlessAborted, within } from '../clock.ts';
import { isOtherTimeline } from '../domain/timeline.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type {
  BeatRequest,
  ClusterRequest,
  ClusterView,
  DeclaredUnit,
  MemberRow,
  SharedClusterStore,
} from './contract.ts';
import { ClusterMember } from './member.ts';
import type { MemberOptions } from './member-options.ts';
import type { Instant } from './own-lease.ts';
import { isOfAnotherProcess, REPLACED } from './same-id.ts';
import { StoreClock } from './store-clock.ts';

/** Of a loop: the member, its store and its clock. */
export interface MemberLoopParts extends MemberOptions {
  readonly store: Pick<SharedClusterStore, 'ask' | 'members'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Asks another member for a promise not to take over the units of this one. Without it nobody is asked. */
  readonly askPromise?: (voter: MemberRow, signal: AbortSignal) => Promise<boolean>;
}

const REFUSED =
  'the database has refused a sign of life of this instance: it was taken over, or the database was restored';
/** Of a wait for the end of the lease, ms. */
const SHORTEST_MS = 1;

/** Runs from its making until `leave` or `close`. */
export class MemberLoop {
  readonly #parts: MemberLoopParts;
  readonly #member: ClusterMember;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #storeClock = new StoreClock();
  #isReplaced = false;
  #cancelBeat = (): void => {};
  #cancelEnd = (): void => {};
  #isCut = false;
  /** Whether promises have kept the lease since. */
  #isKept = false;
  /** A request has no answer yet, or others are asked instead: the next one is planned after it. */
  #isAsking = false;

  constructor(parts: MemberLoopParts) {
    this.#parts = parts;
    this.#member = new ClusterMember(parts);
    this.#plan();
  }

  /** True once another process has joined under this id: this one has nothing any more, and sends nothing. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** True while the store gives no answer: what `view` says may not be so any more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Members and owners as the store said last. */
  get view(): ClusterView {
    return this.#member.view;
  }

  /** True if this process may open a connection to the meter or write to it now. Ask directly before. A unit without a row is that of the gateway. */
  mayAct(unit: string): boolean {
    return this.#member.mayAct(unit, this.#now());
  }

  /** True while the unit is ours; false as soon as the lease is over, whatever the store would say. */
  holds(unit: string): boolean {
    return this.#member.holds(unit, this.#now());
  }

  /** True while this process may act at its units, whichever these are. Ask directly before. */
  get isLeased(): boolean {
    return this.#member.isLeased(this.#now());
  }

  /** The end of the lease by the clock of the loop, ms; undefined while there is none. */
  get leaseEnd(): number | undefined {
    return this.#member.leaseEnd;
  }

  /** How far the wall clock of this computer is ahead of that of the store, ms; negative: behind; 0: less than 5 s, or not known. Decides nothing. */
  get clockAhead(): number {
    return this.#storeClock.ahead;
  }

  /** True for a member that was not heard of for some beats. */
  isQuiet(id: string): boolean {
    return this.#member.isQuiet(id, this.#parts.clock.elapsed());
  }

  /**
   * Promises another member not to take over its units while the store is away. False where this member may not promise it, or reaches the store itself: whoever
   * reaches it takes over.
   */
  promise({ id, epoch }: Pick<MemberRow, 'id' | 'epoch'>): boolean {
    return this.#isCut && this.#member.promise(id, epoch, this.#parts.clock.elapsed());
  }

  /** Units that are to be given away: no session of these should begin. */
  get unwanted(): ReadonlySet<string> {
    return this.#member.unwanted;
  }

  /**
   * The gateway names all units that there are, with the first call and each time they change; the store hears of it at once where it shows others. New ones are its own. Does nothing where this process
   * does not have the gateway role, and is forgotten with it.
   */
  declare(units: readonly DeclaredUnit[]): void {
    this.#member.declare(units, this.#now());
    this.#plan();
  }

  /** Asks the store now instead of at the next beat. */
  hurry(): void {
    this.#member.hurry(this.#now());
    this.#plan();
  }

  /** Calls after each answer and at the end of the lease. The disposer ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once `is()` holds; looked at after each answer and at the end of the lease. Rejects with the reason of the signal. */
  until(is: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (is()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = () => {
        unfollow();
        signal.removeEventListener('abort', abandon);
      };
      const abandon = () => {
        end();
        reject(signal.reason);
      };
      const unfollow = this.onChange(() => {
        if (!is()) return;
        end();
        resolve();
      });
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /**
   * Gives all units away, so that others need not wait. Those that are busy may end for `busyMs`, and all go at once when the last has ended. True if the store knows it; false where it did
   * not answer within `limitMs` after that. One that was replaced has nothing to give.
   */
  async leave(limitMs: number, busyMs = 0): Promise<boolean> {
    if (this.#isReplaced) return true;
    this.#member.drain(this.#now(), this.#parts.clock.elapsed() + busyMs);
    this.#plan();
    const late = () => new Error('the store of the cluster did not answer');
    const gone = (signal: AbortSignal) => this.until(() => this.#member.hasLeft, signal);
    await within(this.#parts.clock, busyMs + limitMs, late, gone).catch(() => {});
    this.close();
    return this.#member.hasLeft;
  }

  /** Sends nothing any more. What it owned is taken over when its time is over. */
  close(): void {
    this.#closed.abort(new Error('the loop of the member was closed'));
    this.#cancelBeat();
    this.#cancelEnd();
  }

  #now(): Instant {
    const { clock } = this.#parts;
    return { elapsed: clock.elapsed(), wall: clock.now() };
  }

  #plan(): void {
    this.#cancelBeat();
    if (this.#closed.signal.aborted || this.#member.hasLeft || this.#isAsking) return;
    const ms = Math.max(0, this.#member.dueAt - this.#parts.clock.elapsed());
    this.#cancelBeat = this.#parts.clock.after(ms, () => {
      const request = this.#member.due(this.#now());
      if (request) void this.#send(request);
      else this.#plan();
    });
  }

  /** Never rejects. While it waits no other request is due. */
  async #send(request: ClusterRequest): Promise<void> {
    const { clock, store, times, log } = this.#parts;
    const late = () => new Error(`no answer within ${times.answerMs} ms`);
    const sent = this.#now();
    this.#isAsking = true;
    try {
      const ask = (signal: AbortSignal) => store.ask(request, signal);
      const answer = await within(clock, times.answerMs, late, ask, this.#closed.signal);
      if (this.#isCut) log.info({}, 'the database of the cluster answers again');
      this.#isCut = false;
      this.#isKept = false;
      const came = this.#now();
      const wasLeased = this.isLeased;
      if (answer !== 'refused') {
        this.#compareClocks(answer.time, sent.wall, came.wall);
        if (request.kind === 'join' && answer.timeline === undefined)
          log.warn(
            {},
            'the server of the database does not tell its timeline: a failover is noticed by lost changes alone',
          );
        if (isOtherTimeline(this.view.timeline, answer.timeline))
          log.warn({}, 'another server is the database now: for a minute nobody takes meters that it does not have');
      }
      this.#member.answered(request, answer, came);
      if (answer === 'refused' && request.kind === 'beat') await this.#wasRefused(request, wasLeased);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      if (!this.#isCut) log.warn({ reason: messageOf(error) }, 'the database of the cluster does not answer');
      this.#isCut = true;
      await this.#askOthers();
      // A store that refuses at once is asked no sooner than one that is silent.
      await sleep(clock, Math.max(0, sent.elapsed + times.answerMs - clock.elapsed()), this.#closed.signal).catch(
        () => {},
      );
    }
    this.#isAsking = false;
    this.#watchEnd();
    this.#tell();
    this.#plan();
  }

  /** Nothing is ours by now. It joins again, unless another process has joined under its id. Never rejects. */
  async #wasRefused({ epoch }: BeatRequest, wasLeased: boolean): Promise<void> {
    const { id, clock, store, times, log } = this.#parts;
    const late = () => new Error(`no answer within ${times.answerMs} ms`);
    const read = (signal: AbortSignal) => unlessAborted(store.members(signal), signal);
    const members = wasLeased
      ? await within(clock, times.answerMs, late, read, this.#closed.signal).catch(() => [])
      : [];
    this.#isReplaced = isOfAnotherProcess(
      members.find((row) => row.id === id),
      epoch,
    );
    if (!this.#isReplaced) return log.warn({}, REFUSED);
    log.error({}, REPLACED);
    this.close();
  }

  /** For people alone. */
  #compareClocks(time: number | undefined, sent: number, came: number): void {
    const before = this.clockAhead;
    this.#storeClock.answered(time, sent, came);
    const { clockAhead } = this;
    if (before === 0 && clockAhead !== 0)
      this.#parts.log.warn({ ahead_ms: clockAhead }, 'the clock of this computer is not that of the database');
    else if (before !== 0 && clockAhead === 0)
      this.#parts.log.info({}, 'the clocks of this computer and of the database agree again');
  }

  /** The store is away: with the promises of all others the lease goes on. After it they bring nothing back, and who gives one waits longer. Never rejects. */
  async #askOthers(): Promise<void> {
    const { clock, times, log, askPromise } = this.#parts;
    const { epoch, voters } = this.#member;
    if (!askPromise || epoch === undefined || !voters || !this.isLeased) return;
    const asked = this.#now();
    const late = () => new Error(`no answer within ${times.answerMs} ms`);
    const one = (voter: MemberRow, signal: AbortSignal) =>
      unlessAborted(askPromise(voter, signal), signal).catch((error: unknown) => {
        log.warn({ member: voter.name, reason: messageOf(error) }, 'another instance could not be asked for a promise');
        return false;
      });
    const all = (signal: AbortSignal) => Promise.all(voters.map((voter) => one(voter, signal)));
    const answers = await within(clock, times.answerMs, late, all, this.#closed.signal);
    const isKept = answers.every((answer) => answer) && this.#member.promised(epoch, asked);
    if (isKept && !this.#isKept) log.info({ others: voters.length }, 'this instance goes on without the database');
    this.#isKept ||= isKept;
  }

  #watchEnd(): void {
    this.#cancelEnd();
    const { leaseEnd } = this.#member;
    if (leaseEnd === undefined || this.#closed.signal.aborted) return;
    const { clock } = this.#parts;
    const left = Math.max(0, leaseEnd - clock.elapsed());
    this.#cancelEnd = clock.after(Math.max(SHORTEST_MS, left), () => {
      // A timer of the computer may come a moment early.
      if (clock.elapsed() < leaseEnd) this.#watchEnd();
      else this.#tell();
    });
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * The lease of one instance. The active instance counts beats in a row of the database. A standby watches them, and
 * takes the lease when they end.
 *
 * Each side measures time only with its own monotonic clock. The active instance acts until `OWN_MS` after it sent its
 * last answered beat. A standby takes over when it has seen no beat for `TAKE_MS`. That time began later, after the
 * answer. So two instances never act at once.
 */
import { type Clock, sleep, within } from '../clock.ts';
import { inSeconds } from '../domain/figures.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AboutMember, LeaseAnswer, LeaseRequest, LeaseStore, LeaseView } from './contract.ts';

/** Between two beats, ms. */
export const BETWEEN_BEATS_MS = 5_000;
/** For an answer of the database, ms. */
export const ANSWER_MS = 2_000;
/** The active instance acts for so long after it sent its last answered beat, ms. */
const OWN_MS = 40_000;
/** A lease without a beat for so long is taken, ms. More than `OWN_MS` even if both clocks are wrong by a tenth. */
export const TAKE_MS = 60_000;
/** Larger difference between wall clock and monotonic clock since the last answered beat, ms: the computer slept, or its clock was set. */
const CLOCKS_PART_MS = 2_000;
/** Without a beat for so long a member counts as silent, ms. */
const SILENT_MS = 3 * BETWEEN_BEATS_MS;
/** A larger difference between the clocks of computer and database is a fault, ms. */
const APART_MS = 5_000;

interface LeaseParts {
  /** Id of this instance; it never changes. */
  readonly id: string;
  readonly about: AboutMember;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly log: Log;
  /** False while this instance could not be the active one. Default: it could. */
  readonly mayTake?: () => boolean;
}

/** Both clocks of a process, ms. */
interface Instant {
  readonly elapsed: number;
  readonly wall: number;
}

/** The lease while this process holds it. */
interface Held {
  readonly incarnation: number;
  /** Numbers of beats. */
  sent: number;
  answered: number;
  /** When the last answered request was sent. */
  since: Instant;
  /** The database has stored that this instance is alone. */
  isAlone: boolean;
}

/** Beats of others, by the monotonic clock. */
interface Seen {
  readonly key: string;
  /** When it was first seen. Undefined: before this process began to look. */
  readonly at: number | undefined;
}

/** Runs from its creation until `leave` or `close`. */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  #view: LeaseView = { lease: undefined, members: [], timeline: null, time: 0 };
  #held: Held | undefined;
  /**
   * A row with this id and an incarnation up to this number is of this data folder: it is taken back at once. A later one
   * is of another process with the same id, as on a copied computer.
   */
  #ownUpTo = 0;
  #hasLooked = false;
  #members: ReadonlyMap<string, Seen> = new Map();
  /** Since when the row of the lease is unchanged. */
  #unchanged = { key: '', since: 0 };
  #lastAnswer = Number.NEGATIVE_INFINITY;
  #isCut = false;
  #sending: Promise<void> | undefined;
  #isLeaving = false;
  #firstLook = 0;
  #next = 0;
  #clockAhead = 0;
  #cancelNext = (): void => {};
  #cancelEnd = (): void => {};

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#plan();
  }

  /** The rows in the last answer of the database. */
  get view(): LeaseView {
    return this.#view;
  }

  /** True once the database has answered. */
  get hasLooked(): boolean {
    return this.#hasLooked;
  }

  /** The last answer had no active instance: this instance may take the lease at once. */
  get isFree(): boolean {
    return this.#canTake && this.#takesAt() === 0;
  }

  /** No other instance could take over: no database is needed. */
  get isAlone(): boolean {
    return this.#held?.isAlone ?? false;
  }

  /** The database does not answer: `view` is old. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** How far the clock of this computer is ahead of that of the database, ms; negative: behind; 0: less than 5 s. */
  get clockAhead(): number {
    return this.#clockAhead;
  }

  /** The incarnation of this process while it is active. */
  get incarnation(): number | undefined {
    return this.isActive ? this.#held?.incarnation : undefined;
  }

  /** By the monotonic clock, ms. Undefined: no lease, or no end, because this instance is alone. */
  get end(): number | undefined {
    return this.#held && !this.#held.isAlone ? this.#held.since.elapsed + OWN_MS : undefined;
  }

  get isActive(): boolean {
    return this.#held !== undefined && (this.#held.isAlone || this.#now().elapsed < (this.end ?? 0));
  }

  /** Whether this process may open a connection to a meter, or write to a meter. Ask directly before. */
  mayAct(): boolean {
    if (!this.#held || !this.isActive) return false;
    return this.#held.isAlone || !clocksPart(this.#held.since, this.#now());
  }

  /** The last sign of life of a member, by the monotonic clock; undefined: none since this process began. */
  seenAt(id: string): number | undefined {
    return this.#members.get(id)?.at;
  }

  /** For another member that has given no sign of life for some beats. */
  isSilent(id: string): boolean {
    const at = this.#members.get(id)?.at ?? this.#firstLook;
    return id !== this.#parts.id && this.#parts.clock.elapsed() - at > SILENT_MS;
  }

  /** Called after each answer, each failure, and at the end of the lease. The disposer removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when `is()` is true. Rejects with the reason of the signal. */
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

  /** Asks the database now instead of at the next beat. */
  hurry(): void {
    this.#next = this.#parts.clock.elapsed();
    this.#plan();
  }

  /** Gives the lease back when no work is left at the meters. False: the database did not answer within `limitMs`. */
  async leave(limitMs: number): Promise<boolean> {
    const { clock, id, about, store } = this.#parts;
    this.#isLeaving = true;
    const incarnation = this.#held?.incarnation;
    this.#held = undefined;
    // A late sign of life would take the lease back.
    await this.#sending;
    this.close();
    const late = () => new Error('the database did not answer');
    const ask = (signal: AbortSignal) => store.ask({ member: id, about, leave: { incarnation } }, signal);
    return within(clock, limitMs, late, ask).then(
      () => true,
      () => false,
    );
  }

  close(): void {
    this.#closed.abort(new Error('the lease was closed'));
    this.#cancelNext();
    this.#cancelEnd();
  }

  #now(): Instant {
    const { clock } = this.#parts;
    return { elapsed: clock.elapsed(), wall: clock.now() };
  }

  #plan(): void {
    this.#cancelNext();
    if (this.#closed.signal.aborted || this.#isLeaving || this.#sending) return;
    const { clock } = this.#parts;
    this.#cancelNext = clock.after(Math.max(0, this.#next - clock.elapsed()), () => {
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined;
        this.#plan();
      });
    });
  }

  /** Never rejects. One request at a time. */
  async #send(): Promise<void> {
    const { clock, store, log } = this.#parts;
    const sent = this.#now();
    const request = this.#request();
    const late = () => new Error(`no answer within ${inSeconds(ANSWER_MS)}`);
    this.#next = sent.elapsed + BETWEEN_BEATS_MS;
    try {
      const answer = await within(clock, ANSWER_MS, late, (signal) => store.ask(request, signal), this.#closed.signal);
      if (this.#isLeaving) return;
      if (this.#isCut) log.info({}, 'the database answers again');
      this.#isCut = false;
      this.#answered(request, answer, sent);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      if (!this.#isCut) log.warn({ reason: messageOf(error) }, 'the database does not answer this instance');
      this.#isCut = true;
      // A database that refuses at once is not asked sooner than a silent database.
      await sleep(clock, Math.max(0, sent.elapsed + ANSWER_MS - clock.elapsed()), this.#closed.signal).catch(() => {});
    }
    this.#watchEnd();
    this.#tell();
  }

  /** The next sign of life. A lease that has ended meanwhile is lost first: it must be taken like any other. */
  #request(): LeaseRequest {
    const { id, about } = this.#parts;
    if (this.#held && !this.isActive) this.#lose();
    const held = this.#held;
    if (held) {
      held.sent += 1;
      const alone = !this.#othersIn(this.#view);
      // The database may store this from now on, even without an answer.
      held.isAlone &&= alone;
      return {
        member: id,
        about,
        beat: { incarnation: held.incarnation, beat: held.sent, answered: held.answered, alone },
      };
    }
    if (!this.#canTake || this.#parts.clock.elapsed() < this.#takesAt()) return { member: id, about };
    const seen = this.#view.lease;
    this.#ownUpTo = (seen?.incarnation ?? 0) + 1;
    return { member: id, about, take: { seen } };
  }

  #answered({ beat, take }: LeaseRequest, answer: LeaseAnswer, sent: Instant): void {
    const { log } = this.#parts;
    const came = this.#now();
    this.#compareClocks(answer.time, sent.wall, came.wall);
    this.#look(answer, came.elapsed);
    if (beat && this.#held) {
      if (!answer.isDone) {
        log.error(
          { owner: answer.lease?.name },
          'another instance has taken the lease, or the database has gone back in time',
        );
        this.#ownUpTo = 0;
        this.#held = undefined;
      } else {
        this.#held.answered = beat.beat;
        this.#held.since = sent;
        this.#held.isAlone = beat.alone && !this.#othersIn(answer);
      }
    } else if (take && answer.isDone && answer.lease) {
      this.#held = { incarnation: answer.lease.incarnation, sent: 0, answered: 0, since: sent, isAlone: false };
      // The next beat tells the database whether this instance is alone.
      this.#next = came.elapsed;
    } else if (!this.#held && this.#canTake) this.#next = Math.min(this.#next, this.#takesAt());
  }

  #look(view: LeaseView, elapsed: number): void {
    const isOther = this.#hasLooked && view.timeline !== this.#view.timeline;
    if (isOther)
      this.#parts.log.warn(
        {},
        'another server is the database now: nobody takes the lease of a silent instance for a minute',
      );
    // An instance that was cut off does not know who else was, and a failover may have lost beats: the time starts
    // again.
    const isBlind = isOther || elapsed - this.#lastAnswer > 2 * (BETWEEN_BEATS_MS + ANSWER_MS);
    const key = JSON.stringify(view.lease);
    if (isBlind || key !== this.#unchanged.key) this.#unchanged = { key, since: elapsed };
    if (!this.#hasLooked) {
      this.#firstLook = elapsed;
      this.#ownUpTo = view.lease?.incarnation ?? 0;
    }
    const before = this.#members;
    this.#members = new Map(
      view.members.map(({ id, beat }) => {
        const old = before.get(id);
        if (old?.key === String(beat)) return [id, old];
        const isFirst = !old && !this.#hasLooked;
        return [id, { key: String(beat), at: isFirst ? undefined : elapsed }];
      }),
    );
    this.#lastAnswer = elapsed;
    this.#view = view;
    this.#hasLooked = true;
  }

  /** When this instance may take the lease, by the monotonic clock. */
  #takesAt(): number {
    const { lease, timeline } = this.#view;
    if (!this.#hasLooked) return Number.POSITIVE_INFINITY;
    if (!lease) return 0;
    // A failover may have lost a takeover: the owner of the lease is then unknown.
    const isSure = lease.timeline === null || timeline === null || lease.timeline === timeline;
    const isOwn = lease.member === this.#parts.id && lease.incarnation <= this.#ownUpTo;
    if (isSure && (lease.beat === null || isOwn)) return 0;
    return lease.alone && !isOwn ? Number.POSITIVE_INFINITY : this.#unchanged.since + TAKE_MS;
  }

  get #canTake(): boolean {
    return this.#parts.mayTake?.() ?? true;
  }

  #lose(): void {
    this.#ownUpTo = this.#held?.incarnation ?? 0;
    this.#held = undefined;
  }

  /** Members that could take over. */
  #othersIn({ members }: LeaseView): boolean {
    return members.some(({ id, hasLeft }) => id !== this.#parts.id && !hasLeft);
  }

  #watchEnd(): void {
    this.#cancelEnd();
    const { clock } = this.#parts;
    const { end } = this;
    if (end === undefined || this.#closed.signal.aborted) return;
    this.#cancelEnd = clock.after(Math.max(1, end - clock.elapsed()), () => {
      // A timer of the computer may fire a moment early.
      if (clock.elapsed() < end) this.#watchEnd();
      else this.#tell();
    });
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #compareClocks(time: number, sent: number, came: number): void {
    const ahead = sent > time ? sent - time : Math.min(0, came - time);
    const before = this.#clockAhead;
    this.#clockAhead = Math.abs(ahead) < APART_MS ? 0 : ahead;
    const { log } = this.#parts;
    if (before === 0 && this.#clockAhead !== 0)
      log.warn({ ahead_ms: this.#clockAhead }, 'the clock of this computer is not that of the database');
    else if (before !== 0 && this.#clockAhead === 0)
      log.info({}, 'the clocks of this computer and of the database agree again');
  }
}

const clocksPart = (before: Instant, now: Instant): boolean =>
  Math.abs(now.wall - before.wall - (now.elapsed - before.elapsed)) > CLOCKS_PART_MS;

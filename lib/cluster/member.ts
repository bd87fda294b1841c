/** One instance of a cluster. It waits for nothing and reads no clock: its caller sends what `due` says and brings the answers. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import { isOtherTimeline } from '../domain/timeline.ts';
import type {
  BeatRequest,
  ClusterAnswer,
  ClusterRequest,
  ClusterView,
  DeclaredUnit,
  MemberRow,
  OwnerRow,
} from './contract.ts';
import { DeclaredUnits } from './declared.ts';
import { drainStep } from './drain.ts';
import type { MemberOptions } from './member-options.ts';
import { MemberWatch } from './member-watch.ts';
import { Moves } from './moves.ts';
import { type Instant, leaseHolds } from './own-lease.ts';
import { OwnUnits } from './owners.ts';
import { placement } from './placement.ts';
import { NeededPromises, whoCouldTakeOver } from './promises.ts';

interface Sent {
  readonly request: ClusterRequest;
  readonly at: Instant;
}

/** Joins, beats, takes over, claims and leaves. At most one request is under way. */
export class ClusterMember {
  readonly #options: MemberOptions;
  readonly #watch: MemberWatch;
  readonly #units: OwnUnits;
  readonly #promises: NeededPromises;
  readonly #declared = new DeclaredUnits();
  readonly #moves: Moves;
  /** What is to be given away, and what of it was told. */
  #unwanted: ReadonlySet<string> = new Set();
  #told: ReadonlySet<string> = new Set();
  #epoch: number | undefined;
  #beat = 0;
  /** The last beat of this epoch that was answered. */
  #answered = 0;
  #view: ClusterView = { members: [], owners: [] };
  /** When the last answered request was sent, or when all others were asked who have promised. */
  #lease: Instant | undefined;
  #sent: Sent | undefined;
  #next = Number.NEGATIVE_INFINITY;
  /** Until when, by the monotonic clock, a leaving member waits for commands. */
  #drainUntil: number | undefined;
  #hasLeft = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#watch = new MemberWatch(options.id, options.times);
    this.#promises = new NeededPromises(options.times);
    this.#units = new OwnUnits(options.id);
    this.#moves = new Moves(options.movesPerBeat, options.times.beatMs);
  }

  /** What it writes under; undefined before it has joined. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  /** True once it has left in order: nothing is due any more. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** What the store said last. */
  get view(): ClusterView {
    return this.#view;
  }

  /** True if this process may open a connection to the meter or write to it now. */
  mayAct(unit: string, now: Instant): boolean {
    return this.#units.has(unit) && leaseHolds(this.#lease, now, this.#options.times);
  }

  /** True while the time of its lease is not over, whichever units are its own. */
  isLeased(now: Instant): boolean {
    return leaseHolds(this.#lease, now, this.#options.times);
  }

  /** The end of the lease by the monotonic clock, ms; undefined while there is none. */
  get leaseEnd(): number | undefined {
    return this.#lease && this.#lease.elapsed + this.#options.times.ownMs;
  }

  /** True if the unit is ours and the time of the lease is not over. Where the computer slept it may not act all the same. */
  holds(unit: string, now: Instant): boolean {
    return this.#units.has(unit) && now.elapsed < (this.leaseEnd ?? Number.NEGATIVE_INFINITY);
  }

  /** True for a member that was not heard of for some beats. */
  isQuiet(id: string, elapsed: number): boolean {
    return id !== this.#options.id && this.#watch.isQuiet(id, elapsed);
  }

  /** Whose promises this member needs to go on while the store is away; undefined where promises are of no use: it has no units, or others may take over without one. */
  get voters(): readonly MemberRow[] | undefined {
    if (this.#units.all.size === 0) return undefined;
    const needed = this.#promises.needed;
    const rows = this.#view.members.filter(({ id }) => needed?.has(id));
    return rows.length === needed?.size ? rows : undefined;
  }

  /** All `voters` have promised what they were asked at `asked`, under this epoch. True if the lease counts from then on. */
  promised(epoch: number, asked: Instant): boolean {
    // After the lease somebody may have begun to take over before it was asked.
    const held = leaseHolds(this.#lease, asked, this.#options.times);
    const isLater = held && asked.elapsed > (this.#lease?.elapsed ?? 0);
    if (epoch !== this.#epoch || !isLater || !this.#promises.mayCountFrom(asked)) return false;
    this.#lease = asked;
    return true;
  }

  /** Promises another member not to take it over for `takeMs`. False where it was taken over, or is not known. */
  promise(id: string, epoch: number, elapsed: number): boolean {
    const row = this.#view.members.find((member) => member.id === id);
    if (this.#epoch === undefined || this.#hasLeft) return false;
    if (!row?.open || row.epoch !== epoch) return false;
    this.#watch.promised(id, elapsed);
    return true;
  }

  /** Its units that are to be given away: no session of these should begin. */
  get unwanted(): ReadonlySet<string> {
    return this.#unwanted;
  }

  /** The gateway names all units that there are. It is forgotten when this member is not the gateway any more. The next beat is due now if the store has to hear of it. */
  declare(units: readonly DeclaredUnit[], now: Instant): void {
    if (!this.#units.has(GATEWAY_ROLE)) return;
    this.#declared.are(units);
    if (this.#declared.unsaid(this.#view)) this.hurry(now);
  }

  /** The next beat is due now. */
  hurry(now: Instant): void {
    this.#next = now.elapsed;
  }

  /** Begins to leave; sessions and commands may end until `until` of the monotonic clock. */
  drain(now: Instant, until: number): void {
    this.#drainUntil ??= until;
    this.#next = now.elapsed;
    this.#unwanted = this.#units.all;
    this.#tell();
  }

  /** When to call `due` next, by the monotonic clock. */
  get dueAt(): number {
    if (!this.#sent) return this.#next;
    return this.#sent.at.elapsed + this.#options.times.answerMs;
  }

  /** The request to send now; undefined if nothing is due. A request without an answer is given up by this. */
  due(now: Instant): ClusterRequest | undefined {
    if (this.#hasLeft || now.elapsed < this.dueAt) return undefined;
    const { id, sites, about } = this.#options;
    const request: ClusterRequest =
      this.#epoch === undefined ? { kind: 'join', member: id, sites, ...about } : this.#beatNow(this.#epoch, now);
    this.#sent = { request, at: now };
    this.#next = now.elapsed + this.#options.times.beatMs;
    if (this.#drainUntil !== undefined && this.#drainUntil > now.elapsed)
      this.#next = Math.min(this.#next, this.#drainUntil);
    this.#tell();
    return request;
  }

  /** Takes the answer to a request. One that was given up is ignored: a later request may have overtaken it. */
  answered(request: ClusterRequest, answer: ClusterAnswer, now: Instant): void {
    const sent = this.#sent;
    if (sent?.request !== request) return;
    this.#sent = undefined;
    const isGone = request.kind === 'beat' && request.state === 'gone';
    if (answer === 'refused' || isGone || this.#isDoubtful(request, answer, now)) {
      this.#lose(now);
      this.#hasLeft = isGone && answer !== 'refused';
      if (answer !== 'refused') this.#view = answer;
      this.#tell();
      return;
    }
    if (request.kind === 'join') {
      this.#epoch = answer.members.find(({ id }) => id === this.#options.id)?.epoch;
      this.#beat = 0;
      this.#promises.forget();
    } else this.#promises.answered(request.voters, sent.at);
    this.#answered = request.kind === 'beat' ? request.beat : 0;
    this.#view = answer;
    this.#lease = sent.at;
    this.#units.are(answer);
    if (!this.#units.has(GATEWAY_ROLE)) this.#declared.forget();
    this.#watch.saw(answer, now.elapsed);
    if (this.#drainUntil !== undefined) this.#unwanted = this.#units.all;
    else if (request.kind === 'join' || this.#isDue(request, now)) this.#next = now.elapsed;
    this.#tell();
  }

  /** The lease was over before the database failed over: in the time that is lost it may have been taken over. Then it joins again. */
  #isDoubtful({ kind }: ClusterRequest, { timeline }: ClusterView, now: Instant): boolean {
    return kind === 'beat' && isOtherTimeline(this.#view.timeline, timeline) && !this.isLeased(now);
  }

  /** What is nobody's or another's is not left so until the next beat, and who is new takes over in time only once the store says that it is known. */
  #isDue(answered: ClusterRequest, now: Instant): boolean {
    const { claim, release, units } = this.#plan(now);
    // A store that was told and shows others is not asked again and again.
    const isNews = units !== undefined && !(answered.kind === 'beat' && answered.units);
    return (
      this.#promises.lacks(whoCouldTakeOver(this.#view, this.#options.id)) ||
      claim.length > 0 ||
      release.length > 0 ||
      isNews
    );
  }

  /** It was taken over, or an older joining of its own came late, or it is gone: nothing is ours until the next joining. */
  #lose(now: Instant): void {
    this.#epoch = undefined;
    this.#lease = undefined;
    this.#units.lose();
    this.#unwanted = this.#units.all;
    this.#declared.forget();
    this.#promises.forget();
    this.#next = now.elapsed;
  }

  #beatNow(epoch: number, now: Instant): BeatRequest {
    this.#beat += 1;
    const { release: present, ...wanted } =
      this.#drainUntil === undefined ? this.#plan(now) : this.#leave(now, this.#drainUntil);
    const voters = whoCouldTakeOver(this.#view, this.#options.id);
    // Also what a request without an answer has given away: another one may have it.
    const release = this.#units.giveAway(present);
    this.#promises.sends(voters);
    const sent = { epoch, beat: this.#beat, answered: this.#answered, timeline: this.#view.timeline };
    return { kind: 'beat', member: this.#options.id, ...sent, release, voters, linked: this.#isLinked, ...wanted };
  }

  get #isLinked(): boolean {
    return this.#units.has(GATEWAY_ROLE) || (this.#options.isLinked?.() ?? true);
  }

  #leave(now: Instant, until: number) {
    this.#unwanted = this.#units.all;
    return { ...drainStep(this.#units.all, this.#options.isBusy, now.elapsed >= until), close: [], claim: [] };
  }

  #plan({ elapsed }: Instant) {
    const {
      id,
      isBusy,
      stays = () => false,
      mayMove = () => true,
      weightOf,
      canBeGateway = () => true,
    } = this.#options;
    const close = this.#watch.silent(elapsed).filter((seen) => seen.id !== id);
    const closed = new Set(close.map((seen) => seen.id));
    const all = this.#view.owners.map((row) =>
      row.member !== undefined && closed.has(row.member) ? { ...row, member: undefined } : row,
    );
    const isSeen = ({ unit, member }: OwnerRow) => unit !== GATEWAY_ROLE || member !== undefined || canBeGateway();
    const owners = all.filter(isSeen);
    const fit = this.#view.members
      .filter(({ open, leaving, id: one }) => open && !leaving && (one === id || !this.#watch.isQuiet(one, elapsed)))
      .map((member) => (member.id === id ? { ...member, linked: this.#isLinked } : member));
    const { claim, move, drop } = placement(this.#declared.seenIn({ ...this.#view, owners }), id, fit, {
      moves: this.#moves.allowed(this.#units.all, elapsed, mayMove() && !this.#watch.isUnsettled(fit, elapsed)),
      rank: (unit) => (this.#moves.has(unit) ? 0 : isBusy(unit) ? 2 : 1),
      stays: (unit) => stays(unit) || this.#moves.mustWait(unit),
      ...(weightOf && { weightOf }),
    });
    this.#moves.are(move, elapsed);
    this.#unwanted = new Set([...drop, ...move]);
    const { units, missing = [] } = this.#declared.unsaid(this.#view) ?? {};
    const release = [...this.#unwanted].filter((unit) => !isBusy(unit));
    return { close, claim: [...missing, ...claim], release, state: 'staying' as const, ...(units && { units }) };
  }

  #tell(): void {
    const told = this.#told;
    this.#told = this.#unwanted;
    const isSame = told.size === this.#unwanted.size && [...told].every((unit) => this.#unwanted.has(unit));
    if (!isSame) this.#options.onUnwanted?.([...this.#unwanted]);
  }
}

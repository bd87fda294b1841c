/** Watches the beats of the other members, by the monotonic clock of this process alone. */
import { GATEWAY_ROLE } from '../domain/cluster-units.ts';
import { FORMER_OWNER } from '../domain/former-owner.ts';
import { isOtherTimeline } from '../domain/timeline.ts';
import type { ClusterView, MemberRow, SeenMember } from './contract.ts';
import { unitOwner } from './owners.ts';
import type { ClusterTimes } from './times.ts';

/** After so many beats without a change a member is given no units; it is not taken over yet. */
const QUIET_BEATS = 3;
/** So many beats after the gateway has become another one: the one before is often back by then, and would want its part again. */
const RESTED_BEATS = 6;

interface Seen extends SeenMember {
  /** When this beat was seen first: when the answer came, for the beat may be as young as that. */
  readonly since: number;
  /** When it was seen first under this epoch. */
  readonly joined: number;
  /** It asks us for a promise before it goes on without the store. */
  readonly asksUs: boolean;
}

/** What a member knows of the signs of life of the others. */
export class MemberWatch {
  readonly #self: string;
  readonly #times: ClusterTimes;
  #seen = new Map<string, Seen>();
  #last = Number.NEGATIVE_INFINITY;
  #timeline: string | undefined;
  /** Who was seen as the gateway last, and since when, where another one was before. */
  #gateway: string | undefined;
  #gatewaySince = Number.NEGATIVE_INFINITY;

  constructor(self: string, times: ClusterTimes) {
    this.#self = self;
    this.#times = times;
  }

  /** Takes note of an answer that came at `elapsed`. */
  saw(view: ClusterView, elapsed: number): void {
    const { members, timeline } = view;
    const { beatMs, answerMs } = this.#times;
    const gateway = unitOwner(view, GATEWAY_ROLE) ?? this.#gateway;
    if (this.#gateway !== undefined && gateway !== this.#gateway) this.#gatewaySince = elapsed;
    this.#gateway = gateway;
    // Who did not reach the store for some time cannot know who else did not, and after a failover beats may be lost: all begin again.
    const blind = elapsed - this.#last > 2 * (beatMs + answerMs) || isOtherTimeline(this.#timeline, timeline);
    this.#last = elapsed;
    this.#timeline = timeline ?? this.#timeline;
    const before = this.#seen;
    this.#seen = new Map();
    for (const { id, epoch, beat, open, voters } of members) {
      if (!open) continue;
      const old = before.get(id);
      const isKnown = !blind && old?.epoch === epoch;
      const joined = isKnown ? old.joined : elapsed;
      const asksUs = voters?.includes(this.#self) ?? true;
      this.#seen.set(id, isKnown && old.beat === beat ? old : { id, epoch, beat, since: elapsed, joined, asksUs });
    }
  }

  /** It is not silent from now on for the whole time again. */
  promised(id: string, elapsed: number): void {
    const seen = this.#seen.get(id);
    const former = this.#seen.get(FORMER_OWNER.id);
    if (seen) this.#seen.set(id, { ...seen, since: elapsed });
    // One that gave no sign of life since may act at what the former owner has.
    if (seen && former && seen.since <= former.since) this.#seen.set(FORMER_OWNER.id, { ...former, since: elapsed });
  }

  /** Those to be taken over: no beat for `takeMs` or longer, or where they do not know us for `unknownTakeMs`. */
  silent(elapsed: number): SeenMember[] {
    const { takeMs, unknownTakeMs } = this.#times;
    return [...this.#seen.values()]
      .filter(({ since, asksUs }) => elapsed - since >= (asksUs ? takeMs : unknownTakeMs))
      .map(({ id, epoch, beat }) => ({ id, epoch, beat }));
  }

  /**
   * True while no unit should begin to move to another member. One of these may be so new that the gateway has not seen it: it tells all to wait until it reaches
   * that one, and a session that had ended for a move would begin again here. Or the gateway is another one since a short time.
   */
  isUnsettled(members: readonly MemberRow[], elapsed: number): boolean {
    const { beatMs, answerMs } = this.#times;
    const isNew = ({ id }: MemberRow) =>
      elapsed - (this.#seen.get(id)?.joined ?? Number.NEGATIVE_INFINITY) < beatMs + answerMs;
    return elapsed - this.#gatewaySince < RESTED_BEATS * beatMs || members.some(isNew);
  }

  /** True for a member that should be given no units now. */
  isQuiet(id: string, elapsed: number): boolean {
    const seen = this.#seen.get(id);
    return !seen || elapsed - seen.since > QUIET_BEATS * this.#times.beatMs;
  }
}

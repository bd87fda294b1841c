/** Members on one store and one clock, each with a session for each unit that it owns. */
import type { Test } from 'tap';
import type { ClusterRequest, SharedClusterStore } from '../../../lib/cluster/contract.ts';
import { MemberLoop } from '../../../lib/cluster/member-loop.ts';
import { gatewayWeight } from '../../../lib/cluster/placement.ts';
import { CLUSTER_TIMES } from '../../../lib/cluster/times.ts';
import { GATEWAY_ROLE, unitRow } from '../../../lib/domain/cluster-units.ts';
import { createLog } from '../../../lib/log.ts';
import { SHARED_SITE } from '../../../lib/remote/shared-site.ts';
import { VirtualClock } from '../../../simulator/index.ts';
import { aboutMember, MemoryClusterStore } from './memory-store.ts';

const log = createLog('silent', { write: () => {} });
/** Units as the gateway names them. */
export const named = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ unit: unitRow(String(at).padStart(3, '0')), site: SHARED_SITE }));

/** A store that can be away, and tells what it was asked. */
export class UnitStore implements Pick<SharedClusterStore, 'ask' | 'members'> {
  isAway = false;
  isSilent = false;
  readonly asked: ClusterRequest[] = [];
  readonly kept = new MemoryClusterStore([{ unit: GATEWAY_ROLE, site: '' }]);

  async ask(request: ClusterRequest, signal: AbortSignal) {
    this.asked.push(request);
    if (this.isSilent) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (this.isAway) throw new Error('nobody listens');
    return this.kept.ask(request, signal);
  }

  get rows() {
    return this.kept.owners.filter(({ unit }) => unit !== GATEWAY_ROLE);
  }
  members = async () => this.kept.members;
  of = (member: string) => this.rows.filter((row) => row.member === member).length;
}

/** None has begun. */
export function cluster(t: Test) {
  const clock = new VirtualClock(undefined, { timersOnly: true });
  const store = new UnitStore();
  const loops = new Map<string, MemberLoop>();
  /** Each has a session for each unit that it owns and keeps; they end when `ends` is called, or at once. */
  const begin = (id: string, { serves = true, endsAtOnce = true } = {}) => {
    const told: (readonly string[])[] = [];
    const open = new Set<string>();
    const kept = new Set<string>();
    const state = { mayMove: true, canBeGateway: true };
    const follow = () => {
      for (const { unit } of store.rows) if (loop.holds(unit) && !loop.unwanted.has(unit)) open.add(unit);
    };
    const ends = (units: readonly string[] = told.at(-1) ?? []) => {
      for (const unit of units) open.delete(unit);
      loop.hurry();
    };
    const loop: MemberLoop = new MemberLoop({
      ...{ id, about: aboutMember(id), times: CLUSTER_TIMES, movesPerBeat: 5, store, clock, log },
      sites: serves ? ['', SHARED_SITE] : [''],
      weightOf: gatewayWeight,
      isBusy: (unit) => open.has(unit),
      stays: (unit) => kept.has(unit),
      mayMove: () => state.mayMove,
      canBeGateway: () => state.canBeGateway,
      onUnwanted: (units) => {
        told.push(units);
        if (endsAtOnce) ends(units);
      },
      askPromise: async (voter) => {
        const epoch = loop.view.members.find((row) => row.id === id)?.epoch ?? 0;
        return loops.get(voter.id)?.promise({ id, epoch }) ?? false;
      },
    });
    loop.onChange(follow);
    loops.set(id, loop);
    t.teardown(() => loop.close());
    return { loop, told, open, kept, state, ends };
  };
  return { clock, store, begin };
}

/** `a` is the gateway and has named so many units. */
export async function withGateway(
  t: Test,
  count: number,
  options: Parameters<ReturnType<typeof cluster>['begin']>[1] = {},
) {
  const parts = cluster(t);
  const a = parts.begin('a', options);
  await parts.clock.advance(1);
  a.loop.declare(named(count));
  await parts.clock.advance(1);
  return { ...parts, a };
}

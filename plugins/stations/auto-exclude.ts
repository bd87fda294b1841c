/** The rules of a unit write exclusions as soon as its stations have observed enough. Times are ms since 1970 UTC. */
import { type Host, messageOf } from '../../lib/index.ts';
import type { Note, WithNotes } from '../notes/index.ts';
import { proposalsOf } from './proposals.ts';
import { exclude, type InTurn } from './rule-routes.ts';
import { marginOf, observedFor } from './span.ts';
import type { StationStore } from './store.ts';

const BY_RULES = 'auto_exclude';
/** A time that goes on is excluded in parts of this length: a report made meanwhile leaves it out. */
const LONGEST_OPEN_MS = 3_600_000;
/** People move the ends of a note by less than this. */
const MOVED_MS = 86_400_000;

interface WrittenExclusion {
  readonly unit_id: string;
  readonly id: string;
}

/** Never rejects: if an exclusion could not be written, the next observations try again. */
export async function excludeNew(
  host: Host & WithNotes,
  store: StationStore,
  inTurn: InTurn,
  heard: { readonly station: string; readonly from: number },
): Promise<readonly WrittenExclusion[]> {
  const written: WrittenExclusion[] = [];
  for (const unitId of store.autoUnitsOf(heard.station)) {
    const keep = ({ id }: Note) => void written.push({ unit_id: unitId, id: String(id) });
    await inTurn(() => excludeFor(host, store, unitId, heard.from, keep)).catch((error: unknown) =>
      host.log.error({ unit_id: unitId, why: messageOf(error) }, 'what stations observed is not excluded yet'),
    );
  }
  return written;
}

async function excludeFor(
  host: Host & WithNotes,
  store: StationStore,
  unitId: string,
  heardFrom: number,
  written: (note: Note) => void,
): Promise<void> {
  const unit = store.rulesOf(unitId);
  if (unit?.autoSince == null || unit.autoFrom === null) return;
  const margin = marginOf(unit.rules);
  const newest = new Map<string, number>();
  for (const { id } of store.listFor(unitId)) newest.set(id, (await store.latest(id))?.at ?? 0);
  // Notes have full seconds in the past.
  const to = Math.floor(Math.min(host.clock.now(), Math.max(0, ...newest.values())) / 1_000) * 1_000;
  const from = Math.max(unit.autoSince, Math.min(unit.autoFrom, heardFrom - margin));
  if (to <= from) return;
  const stations = await observedFor(store, unitId, unit.rules, { from, to });
  const known = await judgedNotes(host, unitId, { from, to });
  let open = to - margin;
  for (const proposal of await proposalsOf(unit.rules, stations, { from, to }, known)) {
    // A time that reaches to the newest observation of its station may go on.
    const isOver = proposal.causes.every(({ station }) => proposal.to < Math.min(to, newest.get(station) ?? 0));
    if (isOver || to - proposal.from >= LONGEST_OPEN_MS) written(await exclude(host, unitId, proposal, BY_RULES));
    else open = Math.min(open, proposal.from);
  }
  const until = Math.max(unit.autoSince, open);
  if (until !== unit.autoFrom) await store.judgedUntil(unit, until);
}

/** Exclusions, and every version of those that the rules wrote. An exclusion that a person removed or shortened does not come back. */
async function judgedNotes(
  host: Host & WithNotes,
  unitId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Note[]> {
  const near = (note: Note) =>
    note.from < to + MOVED_MS && (note.to ?? Number.POSITIVE_INFINITY) > from - MOVED_MS && note.kind === 'exclusion';
  const ids = host.notes
    .list(unitId, { removed: true })
    .filter(near)
    .map(({ id }) => id);
  const written = (await host.notes.versions(ids)).filter(({ by }) => by === BY_RULES);
  return [...host.notes.list(unitId), ...written];
}

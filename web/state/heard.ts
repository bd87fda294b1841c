/** The effect of an event of WS /_live on the state of a meter. Pure. */
import { quantities, type Unit, type UnitEvent } from '../../client/index.ts';

type Part = Partial<Unit> & { readonly levels?: Partial<Unit> };

/** The unit after the event; the same object where the event is about something else. */
export function heard(before: Unit, event: UnitEvent): Unit {
  const data = event.data as Part;
  if (event.event === 'reading') return sent({ ...before, last_seen: event.time, ...data });
  if (event.event === 'reachability') {
    const { state, reason, is_reachable, consecutive_failures, last_error } = { ...before, ...data };
    return { ...before, state, reason, is_reachable, consecutive_failures, last_error };
  }
  if (event.event !== 'state') return before;
  return sent({
    ...before,
    ...measured(before, data),
    ...data.levels,
    ...('clock' in data && { clock: data.clock ?? null }),
  });
}

/** In an event null takes away a level that the meter no longer sends; a list of meters leaves the level out. */
const sent = (unit: Unit): Unit => quantities.withoutUnsent(unit);

/** The weightings of a `state` event are those of the meter now. The weightings of the levels are in its `levels`. */
function measured(before: Unit, data: Part): Partial<Unit> {
  const { measurement_state, measurement_start_time, measurement_start_source } = { ...before, ...data };
  return measurement_state === null ? {} : { measurement_state, measurement_start_time, measurement_start_source };
}

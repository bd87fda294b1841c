/** The stream itself: numbers each unit's events and hands each to every listener, in one order for all. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EventData, EventKind, EventStream, GatewayEvent } from './contract.ts';

type Listener = (event: GatewayEvent) => void;

/** A listener that throws is named in the log; the others still hear the event. */
export function createEventStream(clock: Clock, log: Log): EventStream {
  const listeners = new Map<EventKind, Set<Listener>>();
  const numbers = new Map<string, number>();
  const waiting: GatewayEvent[] = [];
  let telling = false;

  const tell = (event: GatewayEvent): void => {
    // A copy: a listener may come or go meanwhile.
    for (const listener of [...(listeners.get(event.kind) ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        log.error(
          { unit_id: event.unitId, event: event.kind, error: messageOf(error) },
          'a listener for events failed',
        );
      }
    }
  };

  return {
    publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]) {
      const seq = (numbers.get(unitId) ?? 0) + 1;
      numbers.set(unitId, seq);
      // The kind and its data belong together; the compiler cannot see that for a type parameter.
      const event = { unitId, kind, time: clock.now(), elapsed: clock.elapsed(), seq, data } as unknown as GatewayEvent;
      waiting.push(event);
      if (telling) return;
      telling = true;
      for (let next = waiting.shift(); next; next = waiting.shift()) tell(next);
      telling = false;
    },
    on<Kind extends EventKind>(kind: Kind, listener: (event: GatewayEvent<Kind>) => void) {
      // Wrapped, so that the same function given twice is two listeners with a disposer each.
      const own: Listener = (event) => listener(event as GatewayEvent<Kind>);
      const of = listeners.get(kind) ?? new Set<Listener>();
      listeners.set(kind, of.add(own));
      return () => of.delete(own);
    },
  };
}

/** The stream itself: numbers each unit's events and hands each to every listener, in one order for all. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EventData, EventKind, EventStream, GatewayEvent } from './contract.ts';

type Listener<Kind extends EventKind> = (event: GatewayEvent<Kind>) => void;
type Listeners = { [Kind in EventKind]?: Set<Listener<Kind>> };

/** A listener that throws is named in the log; the others still hear the event. */
export function createEventStream(clock: Clock, log: Log): EventStream {
  const listeners: Listeners = {};
  const numbers = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let telling = false;

  const tell = <Kind extends EventKind>(kind: Kind, event: GatewayEvent<Kind>): void => {
    // A copy: a listener may come or go meanwhile.
    for (const listener of [...(listeners[kind] ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        log.error({ unit_id: event.unitId, event: kind, error: messageOf(error) }, 'a listener for events failed');
      }
    }
  };

  return {
    publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]) {
      const seq = (numbers.get(unitId) ?? 0) + 1;
      numbers.set(unitId, seq);
      const event: GatewayEvent<Kind> = { unitId, kind, time: clock.now(), elapsed: clock.elapsed(), seq, data };
      if (telling) return void waiting.push(() => tell(kind, event));
      telling = true;
      tell(kind, event);
      for (let next = waiting.shift(); next; next = waiting.shift()) next();
      telling = false;
    },
    on<Kind extends EventKind>(kind: Kind, listener: Listener<Kind>) {
      // Wrapped, so that the same function given twice is two listeners with a disposer each.
      const own: Listener<Kind> = (event) => listener(event);
      const of: Set<Listener<Kind>> = listeners[kind] ?? new Set();
      Object.assign(listeners, { [kind]: of.add(own) });
      return () => of.delete(own);
    },
  };
}

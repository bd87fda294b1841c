/** Numbers each unit's events and passes each to every listener, in one order for all. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EventData, EventKind, EventStream, GatewayEvent, Hearing, WireListener, WireTaps } from './contract.ts';

interface Listener<Kind extends EventKind> extends Hearing {
  readonly hear: (event: GatewayEvent<Kind>) => void;
}
type Listeners = { [Kind in EventKind]?: Set<Listener<Kind>> };

/** A listener that throws is named in the log; the others still get the event. */
export function createEventStream(clock: Clock, log: Log): EventStream {
  const listeners: Listeners = {};
  const numbers = new Map<string, number>();
  const waiting: (() => void)[] = [];
  let telling = false;

  const late: (() => void)[] = [];

  const hand = <Kind extends EventKind>({ hear }: Listener<Kind>, event: GatewayEvent<Kind>): void => {
    try {
      hear(event);
    } catch (error) {
      log.error({ unit_id: event.unitId, event: event.kind, error: messageOf(error) }, 'a listener for events failed');
    }
  };
  const catchUp = () => {
    for (const next of late.splice(0)) next();
  };
  const tell = <Kind extends EventKind>(kind: Kind, event: GatewayEvent<Kind>): void => {
    catchUp();
    // A copy: listeners may be added or removed meanwhile.
    for (const listener of [...(listeners[kind] ?? [])]) {
      if (listener.units && !listener.units.has(event.unitId)) continue;
      if (!listener.later) hand(listener, event);
      // Node first runs all settled promises, and then the next tick.
      else if (late.push(() => hand(listener, event)) === 1) process.nextTick(catchUpAlone);
    }
  };
  /** Late listeners may publish, too. */
  const inOrder = (work: () => void) => {
    if (telling) return void waiting.push(work);
    telling = true;
    work();
    for (let next = waiting.shift(); next; next = waiting.shift()) next();
    telling = false;
  };
  const catchUpAlone = () => inOrder(catchUp);

  return {
    publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]) {
      const seq = (numbers.get(unitId) ?? 0) + 1;
      numbers.set(unitId, seq);
      const event: GatewayEvent<Kind> = { unitId, kind, time: clock.now(), elapsed: clock.elapsed(), seq, data };
      inOrder(() => tell(kind, event));
    },
    on<Kind extends EventKind>(kind: Kind, hear: Listener<Kind>['hear'], hearing?: Hearing) {
      // A wrapper, so that the same function given twice counts as two listeners with a disposer each.
      const own: Listener<Kind> = { ...hearing, hear };
      const of: Set<Listener<Kind>> = listeners[kind] ?? new Set();
      Object.assign(listeners, { [kind]: of.add(own) });
      return () => of.delete(own);
    },
  };
}

/** Listeners to the lines that are sent to and received from the meter of a unit. Starts without listeners. */
export function createWireTaps(): WireTaps {
  const listeners = new Map<string, WireListener>();
  const followers = new Set<Parameters<WireTaps['onTrace']>[0]>();
  const tell = (unitId: string, isTraced: boolean) => {
    for (const follower of [...followers]) follower(unitId, isTraced);
  };
  return {
    of: (unitId) => listeners.get(unitId),
    listen(unitId, listener) {
      const isNew = !listeners.has(unitId);
      listeners.set(unitId, listener);
      if (isNew) tell(unitId, true);
      return () => {
        if (listeners.get(unitId) !== listener) return;
        listeners.delete(unitId);
        tell(unitId, false);
      };
    },
    onTrace(follower) {
      followers.add(follower);
      return () => {
        followers.delete(follower);
      };
    },
  };
}

/** When nobody acknowledges an event in time, its rule's further targets get a message, once. */
import type { EventLog } from '../events/event-log.ts';
import { type Rule, secondsOf } from '../rules/rule.ts';

/** `now`: ms since 1970 UTC. Does nothing for events that are acknowledged or were escalated before. */
export function escalate(events: EventLog, rule: (id: string) => Rule | undefined, now: number): void {
  for (const event of events.open) {
    const within = rule(String(event.ruleId))?.ack_within;
    if (within === undefined || event.ack || event.escalatedAt !== null) continue;
    if (now - event.openedAt >= secondsOf(within) * 1_000)
      void events.change(event.id, 'escalated', (present) => ({ ...present, escalatedAt: now }));
  }
}

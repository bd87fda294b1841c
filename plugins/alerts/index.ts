/**
 * Tells people before a limit is broken, and at once when a meter stops. It asks no meter anything.
 *
 *   rows, readings, states -> watches -> event log -> alert events (WS, other plugins)
 *                                            \-> outbox, in the same transaction -> a queue for each target -> webhook, mail
 */
import type { Plugin } from '../../lib/index.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { DELIVERIES, deliveryMigrations, TARGETS } from './delivery/delivery-tables.ts';
import { escalate } from './delivery/escalation.ts';
import { createMailer } from './delivery/mail.ts';
import { type AlertSettings, SETTINGS } from './delivery/mail-settings.ts';
import { Outbox } from './delivery/outbox.ts';
import { TargetBook } from './delivery/target-book.ts';
import { targetPages } from './delivery/target-routes.ts';
import { EventLog } from './events/event-log.ts';
import { eventPages } from './events/event-routes.ts';
import { Revision } from './events/revision.ts';
import { takenEvents } from './events/taken-events.ts';
import { concerns } from './rules/rule.ts';
import { RuleBook } from './rules/rule-book.ts';
import { rulePages } from './rules/rule-routes.ts';
import { Watches } from './rules/watches.ts';
import { shownEvent } from './shown.ts';
import { EVENTS, migrations, RULES } from './tables.ts';

const plugin: Plugin<AlertSettings> = {
  name: 'alerts',
  about: 'Limits, events, what a limit still allows, and who is told',
  settings: SETTINGS,
  async register(host) {
    const { clock, log, signal, history, settings } = host;
    const now = () => clock.now();
    const tables = await host.tables([RULES, EVENTS, TARGETS, DELIVERIES], [...migrations, ...deliveryMigrations]);
    const unitOf = (unitId: string) => host.configs.get(unitId) ?? host.configs.defaults;
    const zoneOf = (unitId: string) => unitOf(unitId).timezone;
    const targets = new TargetBook(tables, host.secrets, now);
    const deliveries = new Deliveries(host, tables, targets, createMailer(settings, { clock, history, unitOf }));
    const find = { rule: (id: string) => rules.find(id), target: (id: string) => targets.find(id) };
    const outbox = new Outbox({ clock, ...find, zone: host.configs.defaults.timezone });
    const events = new EventLog({
      ...{ tables, clock, log, signal },
      also: (rows, told) => outbox.add(rows, told),
      tell: ({ change, event }) => host.publish(event.unitId, 'alert', { change, ...shownEvent(event) }),
      wake: (targetIds) => deliveries.wake(targetIds),
    });
    const rules = new RuleBook(tables, now, () => watches.refresh());
    const onTick = () => escalate(events, find.rule, clock.now());
    const watches: Watches = new Watches(host, events, () => rules.list(), onTick);
    await Promise.all([rules.load(), events.load(), targets.load(), tables.read((rows) => outbox.load(rows))]);
    const rulesOf = (unitId: string) =>
      rules.list().flatMap((rule) => {
        const unit = host.configs.get(unitId);
        return unit && rule.enabled && rule.kind === 'level' && concerns(rule, unit) ? rule : [];
      });
    const revision = new Revision({ clock, history, tables, events, log, signal, rulesOf, zoneOf });
    host.on('rows', (event) => revision.rows(event));
    host.onStop(() => revision.close());
    // Whoever listens begins without the events that were open before the start.
    for (const event of events.open) host.publish(event.unitId, 'alert', { change: 'resumed', ...shownEvent(event) });
    watches.start();
    deliveries.start();
    host.onStop(() => events.settled());
    rulePages({ host, rules, knowsTarget: (id) => targets.find(id) !== undefined });
    eventPages({ host, tables, events, watches });
    takenEvents({ host, tables, events });
    targetPages({ host, tables, targets, rules, deliveries, outbox });
  },
};
export default plugin;

/**
 * Sends messages before a limit is exceeded, and at once when a meter stops. It sends no command to a meter.
 *
 *   rows, readings, states -> watches -> event log -> alert events (WS, other plugins)
 *                                            \-> messages, in the same transaction -> a queue for each target and phone -> webhook, mail, push
 */
import type { Plugin } from '../../lib/index.ts';
import calibration from '../calibration/index.ts';
import notes from '../notes/index.ts';
import { addAckLinkRoutes } from './delivery/mail/ack-link-routes.ts';
import { mailSender } from './delivery/mail/mail-kind.ts';
import { addActionRoute } from './delivery/push/action-route.ts';
import { addPushRoutes } from './delivery/push/push-routes.ts';
import { addDeliveryRoutes, addTargetRoutes } from './delivery/target-routes.ts';
import { addEventDays } from './events/event-days.ts';
import { addEventRoutes } from './events/event-routes.ts';
import { addOneEvent } from './events/one-event.ts';
import { addTakenEvents } from './events/taken-events.ts';
import { addKindsRoute } from './kinds-route.ts';
import { type Alerts, openAlerts } from './parts.ts';
import { addPreview, addRuleCheck } from './rules/check-route.ts';
import { recordTagged } from './rules/recording.ts';
import { addRuleBatch, addRuleRoutes } from './rules/rule-routes.ts';
import { ruleSchemas } from './rules/rule-schemas.ts';
import { addBudgetRoutes } from './rules/watches.ts';
import { ALERT_SETTINGS, type AlertSettings } from './settings.ts';
import { ALERT_MIGRATIONS, ALERT_TABLES } from './tables.ts';

const plugin: Plugin<AlertSettings> = {
  name: 'alerts',
  uses: ['assessment', 'calibration', 'notes'],
  about: 'Limits, events, remaining budgets, and messages to people',
  settings: ALERT_SETTINGS,
  async register(given) {
    const host = { ...given, notes: given.use(notes), calibrations: given.use(calibration) };
    const alerts = await openAlerts(host, await host.tables(ALERT_TABLES, ALERT_MIGRATIONS));
    const { rules, targets, phones, events, sounds, shown } = alerts;
    alerts.revision.start();
    recordTagged(host, () => rules.list());
    // Listeners that begin now get the events that were open before the start.
    for (const event of events.open) host.publish(event.unitId, 'alert', { change: 'resumed', ...shown(event) });
    alerts.watches.start();
    await alerts.deliveries.start();
    await sounds.start();
    host.onStop(async () => {
      for (const store of [rules, targets, phones]) store.close();
      await sounds.settled();
      await events.settled();
    });
    host.mails.offer(mailSender(host, targets));
    addRoutes(alerts);
  },
};
export default plugin;

function addRoutes(alerts: Alerts): void {
  const schemas = ruleSchemas();
  addKindsRoute(alerts.host);
  addRuleRoutes(alerts, schemas);
  addRuleBatch(alerts, schemas);
  addPreview(alerts, schemas);
  addRuleCheck(alerts, schemas);
  addBudgetRoutes(alerts);
  addEventRoutes(alerts);
  addOneEvent(alerts);
  addEventDays(alerts);
  addTakenEvents(alerts);
  addTargetRoutes(alerts);
  addDeliveryRoutes(alerts);
  addPushRoutes(alerts);
  addActionRoute(alerts);
  addAckLinkRoutes(alerts);
}

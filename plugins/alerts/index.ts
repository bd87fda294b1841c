/**
 * Sends messages before a limit is exceeded, and at once when a meter stops. It sends no command to a meter.
 *
 *   rows, readings, states -> watches -> event log -> alert events (WS, other plugins)
 *                                            \-> messages, in the same transaction -> a queue for each target and phone -> webhook, mail, push
 */
import type { Host, Plugin, Tables } from '../../lib/index.ts';
import calibration, { type WithCalibrations } from '../calibration/index.ts';
import notes, { type WithNotes } from '../notes/index.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { DELIVERIES, deliveryMigrations, TARGETS } from './delivery/delivery-tables.ts';
import { addAckLinkRoutes } from './delivery/mail/ack-link-routes.ts';
import { AckLinks } from './delivery/mail/ack-links.ts';
import { mailSender } from './delivery/mail/mail-kind.ts';
import { type AlertSettings, MAIL_SETTINGS } from './delivery/mail/smtp.ts';
import { escalate, Messages } from './delivery/messages.ts';
import { addActionRoute } from './delivery/push/action-route.ts';
import { ActionSignatures } from './delivery/push/action-signatures.ts';
import { PHONES, Phones } from './delivery/push/phones.ts';
import { addPushRoutes } from './delivery/push/push-routes.ts';
import { PushSender } from './delivery/push/push-sender.ts';
import { Vapid } from './delivery/push/vapid.ts';
import { TARGET_KINDS } from './delivery/target-kinds.ts';
import { addDeliveryRoutes, addTargetRoutes } from './delivery/target-routes.ts';
import { targetSchemas } from './delivery/target-schemas.ts';
import { TargetStore } from './delivery/target-store.ts';
import { addEventDays } from './events/event-days.ts';
import { EventLog } from './events/event-log.ts';
import { addEventRoutes } from './events/event-routes.ts';
import { EventSounds } from './events/event-sound.ts';
import { addOneEvent, CAUSES, type CauseSettings } from './events/one-event.ts';
import { Revision } from './events/revision.ts';
import { addTakenEvents } from './events/taken-events.ts';
import { type AlertKinds, addKindsRoute } from './kinds-route.ts';
import { addPreview, addRuleCheck } from './rules/check-route.ts';
import { RULE_KINDS } from './rules/kinds.ts';
import { recordTagged } from './rules/recording.ts';
import { concerns } from './rules/rule.ts';
import { RuleAccess } from './rules/rule-access.ts';
import { addRuleBatch, addRuleRoutes } from './rules/rule-routes.ts';
import { ruleSchemas } from './rules/rule-schemas.ts';
import { RuleStore } from './rules/rule-store.ts';
import { addBudgetRoutes, Watches } from './rules/watches.ts';
import { eventsShownBy, excludedOfEvent, isOfLevels, pagesBelow } from './shown.ts';
import { ALERT_MIGRATIONS, EVENTS, RULES } from './tables.ts';

/** The plugin with these kinds of rules and targets: another plugin may add kinds. */
export const alertsWith = (kinds: AlertKinds): Plugin<AlertsSettings> => ({
  name: 'alerts',
  uses: ['assessment', 'calibration', 'notes'],
  about: 'Limits, events, remaining budgets, and messages to people',
  settings: { type: 'object', properties: { ...MAIL_SETTINGS, causes: CAUSES } },
  async register(given) {
    const host = { ...given, notes: given.use(notes), calibrations: given.use(calibration) };
    const tables = await host.tables(
      [RULES, EVENTS, TARGETS, DELIVERIES, PHONES],
      [...ALERT_MIGRATIONS, ...deliveryMigrations],
    );
    const parts = await openParts(host, kinds, tables);
    const { events, watches, deliveries } = parts;
    followCard(host, kinds, tables, parts);
    recordTagged({ host, kinds: kinds.rules, rules: () => parts.rules.list() });
    // Listeners that begin now get the events that were open before the start.
    for (const event of events.open) host.publish(event.unitId, 'alert', { change: 'resumed', ...parts.shown(event) });
    watches.start();
    await deliveries.start();
    await parts.sounds.start();
    host.onStop(async () => {
      for (const store of [parts.rules, parts.targets, parts.push.phones]) store.close();
      await parts.sounds.settled();
      await events.settled();
    });
    host.mails.offer(mailSender(host, parts.targets));
    addRoutes(host, kinds, tables, parts);
  },
});

export default alertsWith({ rules: RULE_KINDS, targets: TARGET_KINDS });

type Parts = Awaited<ReturnType<typeof openParts>>;
type AlertsSettings = AlertSettings & CauseSettings;
type AlertsHost = Host<AlertsSettings> & WithNotes & WithCalibrations;

async function openParts(host: AlertsHost, kinds: AlertKinds, tables: Tables) {
  const { clock, log, signal } = host;
  const now = () => clock.now();
  const publicUrl = host.settings.public_url || (host.publicUrl && `${host.publicUrl}${host.basePath}`);
  const shown = eventsShownBy(kinds.rules, {
    hasRecordings: () => host.jobs.knows('mirror'),
    excludedOf: (event) => excludedOfEvent(host, event),
    pageOf: pagesBelow(publicUrl, host.basePath),
  });
  const targets = new TargetStore(tables, host.secrets, clock);
  const links = new AckLinks({ secrets: host.secrets, now, publicUrl, log });
  const push = openPush(host, tables);
  const { phones } = push;
  const sending = { kinds: kinds.targets, links, phones, push: push.sender };
  const deliveries = new Deliveries({ host, tables, targets, ...sending });
  const find = { rule: (id: string) => rules.find(id), target: (id: string) => targets.find(id) };
  const messages = new Messages({
    clock,
    ...find,
    zone: () => host.configs.defaults.timezone,
    shown,
    phonesOf: (target, unitId) => deliveries.phonesOf(target, unitId),
    quietUntil: (phone, about, now) => phones.quietUntil(phone, about, now),
  });
  const events = new EventLog({
    tables,
    clock,
    log,
    signal,
    also: (rows, changes) => messages.add(rows, changes),
    tell: (changed) => {
      const { change, event } = changed;
      host.publish(event.unitId, 'alert', { change, ...shown(event) });
      sounds.changed(changed);
    },
    wake: (targetIds) => deliveries.wake(targetIds),
  });
  const { history } = host;
  const sounds: EventSounds = new EventSounds({
    history,
    events,
    tables,
    log,
    signal,
    now,
    isOfLevels: (kind) => isOfLevels(kinds.rules, kind),
  });
  const rules = new RuleStore(tables, kinds.rules, clock, () => watches.refresh());
  const watches: Watches = new Watches({
    host,
    events,
    kinds: kinds.rules,
    rules: () => rules.list(),
    onTick: () => escalate(events, find.rule, clock.now()),
  });
  const messagesLoaded = tables.read((rows) => messages.load(rows));
  await Promise.all([rules.load(), events.load(), targets.load(), phones.load(), messagesLoaded]);
  return { shown, targets, links, push, deliveries, messages, events, sounds, rules, watches };
}

function openPush({ clock, secrets, outbound, settings, rightsOf }: Host<AlertSettings>, tables: Tables) {
  const now = () => clock.now();
  const phones = new Phones({ tables, secrets, rightsOf, clock });
  const signed = { vapid: new Vapid(secrets), signatures: new ActionSignatures(secrets, now) };
  const sender = new PushSender({ phones, ...signed, rightsOf, outbound, clock, settings });
  return { phones, ...signed, sender };
}

/** Levels of a card and of an import come late. Levels of the stream are late if a watch could not process them in time. */
function followCard(
  host: AlertsHost,
  { rules: kinds }: AlertKinds,
  tables: Tables,
  { events, rules, watches }: Parts,
): void {
  const { clock, log, signal, history, notes, configs } = host;
  const revision = new Revision({
    clock,
    history,
    notes,
    tables,
    events,
    log,
    signal,
    kinds,
    readAgain: (unitId) => watches.readAgain(unitId),
    zoneOf: (unitId) => (configs.get(unitId) ?? configs.defaults).timezone,
    rulesOf(unitId) {
      const unit = configs.get(unitId);
      return unit ? rules.list().filter((rule) => rule.enabled && concerns(rule, unit)) : [];
    },
  });
  host.on('late', (event) => {
    const { source } = event.data;
    if (source === 'card' || source === 'import') revision.late(event);
  });
  watches.onLate((unitId, data) => revision.late({ unitId, data }));
  host.onStop(() => revision.close());
}

function addRoutes(host: AlertsHost, kinds: AlertKinds, tables: Tables, parts: Parts): void {
  const { shown, targets, links, push, deliveries, messages, events, sounds, rules, watches } = parts;
  const schemas = ruleSchemas(kinds.rules);
  const knowsTarget = (id: string) => targets.find(id) !== undefined;
  const known = (unitId: string) => watches.known(unitId);
  const access = new RuleAccess({ host, kinds: kinds.rules, rules, knowsTarget, known });
  addKindsRoute(host, kinds);
  addRuleRoutes({ host, rules, access, schemas });
  addRuleBatch({ host, rules, access, schemas });
  addPreview({ host, kinds: kinds.rules, access, schemas });
  addRuleCheck({ host, kinds: kinds.rules, access, schemas });
  addBudgetRoutes(host, watches);
  addEventRoutes({ host, tables, events, shown });
  addOneEvent({ host, tables, events, targets, shown });
  addEventDays(host, tables);
  addTakenEvents({ host, tables, events, sounds, kinds: kinds.rules });
  const sending = { kinds: kinds.targets, schemas: targetSchemas(kinds.targets) };
  addTargetRoutes({ host, ...sending, targets, rules, deliveries, messages });
  addDeliveryRoutes(host, tables);
  addPushRoutes({ host, phones: push.phones, vapid: push.vapid });
  addActionRoute({ host, events, phones: push.phones, signatures: push.signatures });
  addAckLinkRoutes({ host, events, targets, links, shown, kinds: kinds.targets });
}

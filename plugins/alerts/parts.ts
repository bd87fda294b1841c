/** The parts of the plugin: its stores, its watches and its queues. */
import type { Host, Tables } from '../../lib/index.ts';
import type { WithCalibrations } from '../calibration/index.ts';
import type { WithNotes } from '../notes/index.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { Messages } from './delivery/messages.ts';
import { Phones } from './delivery/push/phones.ts';
import { PushSender } from './delivery/push/push-sender.ts';
import { Vapid } from './delivery/push/vapid.ts';
import { AckLinks, ActionSignatures } from './delivery/signed-links.ts';
import { EventLog, publisherOf } from './events/event-log.ts';
import { EventSounds } from './events/event-sound.ts';
import { Revision } from './events/revision.ts';
import { RuleAccess } from './rules/rule-access.ts';
import { Watches } from './rules/watches.ts';
import type { AlertSettings } from './settings.ts';
import { eventsShownBy } from './shown.ts';
import { RuleStore, TargetStore } from './stores.ts';

export type AlertsHost = Host<AlertSettings> & WithNotes & WithCalibrations;

export type Alerts = Awaited<ReturnType<typeof openAlerts>>;

/** Reads the stored rules, targets, phones and events. Nothing is watched or sent yet. */
export async function openAlerts(host: AlertsHost, tables: Tables) {
  const { clock, secrets, configs } = host;
  const publicUrl = host.settings.public_url || (host.publicUrl && `${host.publicUrl}${host.basePath}`);
  const shown = eventsShownBy(host, publicUrl);
  const rules = new RuleStore(tables, clock);
  const targets = new TargetStore(tables, clock, secrets);
  const phones = new Phones({ ...host, tables });
  const links = new AckLinks(host, publicUrl);
  const signatures = new ActionSignatures(host);
  const vapid = new Vapid(secrets);
  const push = new PushSender({ ...host, phones, vapid, signatures });
  const deliveries = new Deliveries({ host, tables, targets, links, phones, push });
  const messages = new Messages({ clock, configs, rules, targets, phones, deliveries, shown });
  const events: EventLog = new EventLog({
    ...host,
    tables,
    messages,
    deliveries,
    tell: publisherOf(host, shown, (changed) => sounds.changed(changed)),
  });
  const sounds = new EventSounds({ ...host, events, tables });
  const watches = new Watches({ host, events, rules });
  rules.onChange(() => watches.refresh());
  const revision = new Revision({ host, tables, events, rules, watches });
  const access = new RuleAccess({ host, rules, targets, watches });
  await Promise.all([rules.load(), events.load(), targets.load(), phones.load(), messages.load(tables)]);
  return {
    host,
    tables,
    shown,
    rules,
    targets,
    phones,
    links,
    signatures,
    vapid,
    deliveries,
    messages,
    events,
    sounds,
    watches,
    revision,
    access,
  };
}

/** Tells people before a limit is broken, and at once when a meter stops: rules, events, budgets. It asks no meter anything. */
import type { Plugin } from '../../lib/index.ts';
import { EventLog } from './event-log.ts';
import { eventPages } from './event-routes.ts';
import { RuleBook } from './rule-book.ts';
import { rulePages } from './rule-routes.ts';
import { shownEvent } from './shown.ts';
import { EVENTS, migrations, RULES } from './tables.ts';
import { Watches } from './watches.ts';

const plugin: Plugin = {
  name: 'alerts',
  async register(host) {
    const { clock, log, signal } = host;
    const tables = await host.tables([RULES, EVENTS], migrations);
    const events = new EventLog({
      tables,
      clock,
      log,
      signal,
      also: async () => {},
      tell: ({ change, event }) => host.publish(event.unitId, 'alert', { change, ...shownEvent(event) }),
    });
    const rules = new RuleBook(
      tables,
      () => clock.now(),
      () => watches.refresh(),
    );
    const watches: Watches = new Watches(host, events, () => rules.list());
    await rules.load();
    await events.load();
    watches.start();
    host.onStop(() => events.settled());
    rulePages({ host, rules, knowsTarget: () => false });
    eventPages({ host, tables, events, watches });
  },
};
export default plugin;

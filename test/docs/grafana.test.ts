/** The dashboard and the rules for Prometheus name metrics and labels that there are. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import type { MemberState } from '../../lib/cluster/contract.ts';
import { freshRecord } from '../../lib/domain/fields/field.ts';
import { SNAPSHOT_FIELDS } from '../../lib/domain/fields/snapshot.ts';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import { createMetrics, type MetricSources } from '../../plugins/metrics/exposition.ts';
import { configOf } from '../plugin/doubles.ts';
import { standIn } from '../support/stand-in.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const PAIRED: MemberState = {
  id: 'n',
  name: 'north',
  address: 'http://192.0.2.10:8100',
  version: '1',
  state: 'active',
  lastSeen: 1_000,
  isSelf: true,
};

/** Metrics for Prometheus of one meter with all values. */
async function exposed(t: { teardown(undo: () => void): void }): Promise<string> {
  let tell: (event: GatewayEvent<'alert'>) => void = () => {};
  const values = { lp: '61.2', leq: '60.0', lmax: '70.1', lmin: '50.0', lpeak: '83.4', batteryLevel: '80' };
  const more = { sdFreeRatio: '95.0', measurementState: 'Measure' as const, levelsAt: 1_000 };
  const sources = standIn<MetricSources>({
    configs: { list: () => [configOf({ unitId: 'roof' })] },
    status: {
      of: () => ({
        values: { ...freshRecord(SNAPSHOT_FIELDS), ...values, ...more },
        levelSettings: { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [] },
        age: () => 1_000,
      }),
    },
    reachability: () => ({ reachable: true, state: 'online' }),
    report: () => ({ waiting: [], watchers: 1, connectedSince: 5 }),
    counters: () => ({}),
    card: () => ({ traffic: { sessions: 1, bytesSent: 1, bytesReceived: 1 } }),
    clock: { elapsed: () => 10_000, after: () => () => {} },
    on: (_kind: 'alert', listener: typeof tell) => {
      tell = listener;
    },
    parts: () => [],
    instances: () => ({ members: [PAIRED], takeovers: 1, gap: undefined }),
    guesses: () => ({ wrongKeys: 0, wrongTickets: 0 }),
  });
  const metrics = createMetrics(sources);
  t.teardown(() => metrics.close());
  const alert = (data: object) => tell(standIn<GatewayEvent<'alert'>>({ unitId: 'roof', elapsed: 10_000, data }));
  alert({ change: 'opened', id: '1', severity: 'critical', closed_at: null });
  const budget = { rule: '7', remaining_may_average_db: 76.5, state: 'warning', elapsed_s: 600, measured_s: 540 };
  alert({ change: 'budget', budget });
  // The delay of the event loop is measured from the first question on.
  await metrics.text(() => true);
  return metrics.text(() => true);
}

t.test('every metric that they name is one, with the labels that they use', async (t) => {
  const text = await exposed(t);
  const shown = read('docs/grafana/dashboard.json') + read('docs/grafana/alert-rules.yaml');
  const names = new Set(shown.match(/\bslm_[a-z_]+\b/g));
  t.ok(names.size > 8);
  for (const name of names) t.match(text, new RegExp(`^${name}(\\{| )`, 'm'), name);
  const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label));
  for (const [, label = ''] of shown.matchAll(/\$labels\.([a-z_]+)|\{\{ ?([a-z_]+) ?\}\}/g))
    if (label !== '') t.ok(labels.has(label) || ['job', 'instance'].includes(label), label);
  t.match(JSON.parse(read('docs/grafana/dashboard.json')), { title: String, panels: Array });
});

t.test('open alerts, the rest of a limit, and the share of its window with data are gauges', async (t) => {
  const lines = (await exposed(t)).split('\n');
  for (const line of [
    'slm_alerts_open{unit_id="roof",severity="critical"} 1',
    'slm_budget_remaining_db{unit_id="roof",rule="7"} 76.5',
    'slm_budget_state{unit_id="roof",rule="7"} 1',
    'slm_window_coverage_ratio{unit_id="roof",rule="7"} 0.9',
    'slm_level_db{unit_id="roof",quantity="leq",frequency_weighting="A"} 60',
    'slm_battery_percent{unit_id="roof"} 80',
    'slm_card_free_percent{unit_id="roof"} 95',
  ])
    t.ok(lines.includes(line), line);
});

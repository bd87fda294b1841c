/** The dashboard and the rules for Prometheus name metrics that there are. */
import { readFileSync } from 'node:fs';
import t from 'tap';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const known = ['exposition', 'values', 'alerts'].map((name) => read(`lib/metrics/${name}.ts`)).join('\n');

t.test('every metric that they name is one', async (t) => {
  const text = read('docs/grafana/dashboard.json') + read('docs/grafana/alert-rules.yaml');
  const names = new Set(text.match(/\bslm_[a-z_]+\b/g));
  t.ok(names.size > 8);
  for (const name of names) t.ok(known.includes(`'${name}'`) || known.includes(`${name}:`), name);
  t.match(JSON.parse(read('docs/grafana/dashboard.json')), { title: String, panels: Array });
});

/** The default demo from its first moment on: whoever asks is not kept waiting by what the gateway reads for itself. */
import t from 'tap';
import { askEach, openDemo, quantileOf } from '../support/demo.ts';

t.test('a person who asks for live values each second has them at once, and all of them within a minute', async (t) => {
  const world = await openDemo(t);
  const answers = await askEach(world, 1_000, 120_000, ['/sim-1/live']);
  const waits = answers.map(({ ms }) => ms);
  t.ok(answers.every(({ status }) => status === 200));
  t.ok(quantileOf(waits, 0.5) <= 20, `p50 ${quantileOf(waits, 0.5)} ms`);
  t.ok(quantileOf(waits, 0.95) <= 1_200, `p95 ${quantileOf(waits, 0.95)} ms`);
  t.ok(Math.max(...waits) <= 3_000, `longest ${Math.max(...waits)} ms`);
  const { data } = answers[60]?.body ?? {};
  t.same(Object.keys(data.ln), ['5', '10', '50', '90', '95']);
  t.match(data, { sd_free_ratio: /^\d+\.\d$/, frequency_weighting: 'A', battery_level: '100' });
  const ages = answers.map(({ body }) => body.data.levels_age_s);
  // These meters are stopped: their results do not change.
  t.ok(Math.max(...ages) <= 20, `levels are ${Math.max(...ages)} s old at most`);
});

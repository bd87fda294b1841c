/** Each preset has a worked check, and the gateway gets what was worked out on paper. */
import t from 'tap';
import { STANDARD_PRESETS } from './profile.ts';
import { WORKED_CHECKS } from './worked-checks.ts';

t.test('the results of the gateway are those computed without its code', async (t) => {
  for (const { preset, check, worked, got } of WORKED_CHECKS) {
    // A percentile is known to the width of its class, 0.1 dB.
    const most = /^L5/.test(check) ? 0.05 : 0.005;
    t.ok(Math.abs((got ?? Number.NaN) - worked) <= most, `${preset} ${check}: ${worked.toFixed(2)}, got ${got}`);
  }
});

t.test('no preset is without one', async (t) => {
  const checked = new Set(WORKED_CHECKS.map(({ preset }) => preset));
  t.strictSame(
    [...STANDARD_PRESETS.keys()].filter((name) => !checked.has(name)),
    [],
  );
});

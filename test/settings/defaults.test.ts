/** A limit is in the settings for people and in its layer for programs: both must be the same number. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { meterSettings } from '../../lib/app/wiring.ts';
import { METER_DEFAULTS } from '../../lib/meter/settings.ts';
import { settingsFrom } from '../../lib/settings/index.ts';
import { PROPERTIES } from '../../lib/settings/schema.ts';

t.test('the defaults of the settings are those of the meter layer', async (t) => {
  const defaults = settingsFrom({}, { env: {}, home: '/home/nobody' });
  const { closeTimeoutMs, ...given } = meterSettings(defaults);
  for (const [name, value] of Object.entries(given))
    t.equal(METER_DEFAULTS[name as keyof typeof METER_DEFAULTS], value, name);
  t.ok(closeTimeoutMs && closeTimeoutMs < defaults.shutdown_timeout_ms, 'a share of the time for a clean stop');
});

t.test('the schema of the settings is a JSON Schema', async (t) => {
  const ajv = new Ajv2020();
  t.ok(ajv.validateSchema({ type: 'object', properties: PROPERTIES }), ajv.errorsText(ajv.errors));
  t.notOk(ajv.validateSchema({ type: 'object', properties: { port: { type: 'port' } } }));
});

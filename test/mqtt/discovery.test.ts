/** What Home Assistant gets, against the shape that its MQTT discovery of devices asks for. */
import t from 'tap';
import type { DeviceConfig } from '../../lib/store/contract.ts';
import { type DiscoveryParts, deviceId, discoveryOf, discoveryTopic } from '../../plugins/mqtt/discovery.ts';
import { topicsBelow } from '../../plugins/mqtt/topics.ts';
import { deviceConfig } from '../support/config.ts';
import { isDiscovery } from './discovery-schema.ts';

const UNKNOWN = { frequencyWeighting: null, timeWeighting: null, percentiles: [] };
const told = (config: DeviceConfig, more: Partial<DiscoveryParts> = {}): DiscoveryParts => ({
  config,
  settings: UNKNOWN,
  serialNumber: null,
  isJudged: false,
  buttons: false,
  ...more,
});
const documentOf = (about: DiscoveryParts) =>
  JSON.parse(JSON.stringify(discoveryOf('site/slm', topicsBelow('site/slm'), about)));

t.test('one device for each meter, with its parts in the configured shape', async (t) => {
  for (const config of [
    deviceConfig({ unitId: 'roof' }),
    deviceConfig({ unitId: 'Roof.2_a-b', name: 'Dach {{ states }} "quoted"', place: 'Nord', history: 'off' }),
  ]) {
    const document = documentOf(told(config));
    t.ok(isDiscovery(document), JSON.stringify(isDiscovery.errors));
    const ofDevice = ['battery', 'card', 'state', 'problem', 'alert'];
    t.strictSame(Object.keys(document.cmps), ['lp', 'leq', ...ofDevice]);
    t.match(document.cmps.lp, { device_class: 'sound_pressure', unit_of_measurement: 'dB' });
    t.notOk('state_class' in document.cmps.leq, 'no arithmetic means of decibels');
    t.match(
      discoveryTopic('homeassistant', 'site/slm', config.unitId),
      /^homeassistant\/device\/[A-Za-z0-9_-]+\/config$/,
    );
  }
  t.notOk(isDiscovery({ dev: { ids: ['a'], name: 'a' }, o: { name: 'b' }, cmps: { a: { p: 'sensor' } } }));
});

t.test('a unit that records has its means, one with commands its buttons, and names say the weighting', async (t) => {
  const settings = { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [] };
  const config = deviceConfig({ unitId: 'roof', history: 'stream' });
  const document = documentOf(told(config, { settings, serialNumber: '00144703', buttons: true }));
  t.ok(isDiscovery(document), JSON.stringify(isDiscovery.errors));
  const { lp, leq, leq_15m, leq_1h, alert, button_start, button_store } = document.cmps;
  t.strictSame([lp.name, leq.name, leq_15m.name, leq_1h.name], ['LAF', 'LAeq', 'LAeq 15 min', 'LAeq 1 h']);
  t.match(leq_1h, { state_topic: 'site/slm/roof/leq_1h', value_template: '{{ value_json.leq }}' });
  t.match(alert, { p: 'binary_sensor', state_topic: 'site/slm/roof/alerts' });
  t.match(button_start, { p: 'button', command_topic: 'site/slm/roof/command', payload_press: 'start' });
  t.equal(button_store.payload_press, 'store');
  t.equal(document.dev.sn, '00144703');
});

t.test('two units never share an id, however they are spelled', async (t) => {
  const units = ['a.b', 'a_b', 'a_db', 'a__b', 'a-b', 'a_d_b', 'a', 'a.', 'a_', 'a..', 'a._'];
  const ids = ['slm', 'slm/a', 'slm_a', 'slm_sa'].flatMap((base) => units.map((unitId) => deviceId(base, unitId)));
  t.equal(new Set(ids).size, ids.length);
});

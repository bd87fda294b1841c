/** What Home Assistant gets, against the shape that its MQTT discovery of devices asks for. */
import t from 'tap';
import { deviceId, discoveryOf, discoveryTopic } from '../../plugins/mqtt/discovery.ts';
import { topicsBelow } from '../../plugins/mqtt/topics.ts';
import { deviceConfig } from '../support/config.ts';
import { isDiscovery } from './discovery-schema.ts';

t.test('one device a meter, with six parts, in the shape that is asked for', async (t) => {
  for (const config of [
    deviceConfig({ unitId: 'roof' }),
    deviceConfig({ unitId: 'Roof.2_a-b', name: 'Dach {{ states }} "quoted"', place: 'Nord' }),
  ]) {
    const document = JSON.parse(JSON.stringify(discoveryOf('site/slm', topicsBelow('site/slm'), config)));
    t.ok(isDiscovery(document), JSON.stringify(isDiscovery.errors));
    t.strictSame(Object.keys(document.cmps), ['lp', 'leq', 'battery', 'card', 'state', 'problem']);
    t.match(document.cmps.lp, { device_class: 'sound_pressure', unit_of_measurement: 'dB' });
    t.match(
      discoveryTopic('homeassistant', 'site/slm', config.unitId),
      /^homeassistant\/device\/[A-Za-z0-9_-]+\/config$/,
    );
  }
  t.notOk(isDiscovery({ dev: { ids: ['a'], name: 'a' }, o: { name: 'b' }, cmps: { a: { p: 'sensor' } } }));
});

t.test('two units never share an id, however they are spelled', async (t) => {
  const units = ['a.b', 'a_b', 'a_db', 'a__b', 'a-b', 'a_d_b', 'a', 'a.', 'a_', 'a..', 'a._'];
  const ids = ['slm', 'slm/a', 'slm_a', 'slm_sa'].flatMap((base) => units.map((unitId) => deviceId(base, unitId)));
  t.equal(new Set(ids).size, ids.length);
});

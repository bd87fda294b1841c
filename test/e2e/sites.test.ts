/** Units of another gateway, read over its API every 10 s and shown beside the own ones. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('units of another gateway are shown with their age, also when it does not answer any more', async (t) => {
  const north = await openWorld(t, { meters: 2 });
  const address = new URL(north.base).origin;
  const south = await openWorld(t, {
    meters: 1,
    settings: {
      sites: [
        { name: 'North', address, key: '' },
        { name: 'Nowhere', address: 'http://127.0.0.1:1', key: 'canary-0417' },
      ],
      outbound_allow_networks: ['127.0.0.0/8'],
    },
  });
  const sites = async () => (await south.get('/_sites')).body.data;
  for (let tries = 0; tries < 100 && (await sites())[1].state !== 'silent'; tries += 1) await south.clock.pass(500);
  const [first, second] = await sites();
  t.match(first, { name: 'North', address, state: 'ok', error: null });
  t.equal(first.units.length, 2);
  t.match(second, { name: 'Nowhere', state: 'silent', units: [], read_at: null, age_s: null });
  t.notMatch(JSON.stringify((await south.get('/_settings')).body), 'canary-0417', 'its key is masked');
});

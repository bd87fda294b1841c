/** The result of the last finished measurement. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('before the first measurement there are no values', async (t) => {
  const world = await openWorld(t, { quirks: { result_before_first: 'missing' } });
  t.same((await world.get('/sim-1/results')).body, {
    status: 'ok',
    data: { leq: null, lmax: null, lmin: null, lpeak: null },
  });
});

t.test('a meter that has no result yet may refuse: 409 with this reason', async (t) => {
  const world = await openWorld(t, { quirks: { result_before_first: 'refused' } });
  t.match(await world.get('/sim-1/results'), { status: 409, body: { code: 'DEVICE_WRONG_STATE', detail: /DLC/ } });
});

t.test('after a measurement the result has the values on the meter, as text', async (t) => {
  const world = await openWorld(t, { quirks: { additional_values: 'on' } });
  await world.post('/sim-1/start');
  await world.pass(10_000);
  await world.post('/sim-1/stop');
  const { data } = (await world.get('/sim-1/results')).body;
  const [, leq, , lmax, lmin, , , , , , lpeak, lieq] = world.meter
    .read('DLC')
    .split(',')
    .map((field) => field.trim());
  t.same(data, { leq, lmax, lmin, lpeak, lieq });
  t.match(data.leq, /^\d+\.\d$/);
});

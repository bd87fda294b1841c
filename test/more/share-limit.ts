/** As many shared pages as the gateway takes. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('all shares up to the limit work; a further share is refused in words', { timeout: 120_000 }, async (t) => {
  const world = await openWorld(t);
  const expires_at = new Date(world.clock.now() + 30 * 86_400_000).toISOString();
  const wanted = { units: ['sim-1'], show: ['live'], name: 'One more', expires_at };
  const most = { ...wanted, text: 'x'.repeat(2_000), title: 'x'.repeat(120), name: 'x'.repeat(100) };
  let last = '';
  for (let made = 0; made < 500; made += 1) {
    const { status, body } = await world.post('/_shares', most);
    if (status !== 201) throw new Error(JSON.stringify(body));
    last = body.data.link;
  }
  const more = await world.post('/_shares', wanted);
  t.equal(more.status, 422);
  t.match(more.body.errors[0].message, /there are 500 shares already/);
  t.equal((await world.get(`/../..${last}`, { headers: { Accept: 'text/html' } })).status, 200);
  t.equal((await world.get('/_shares?limit=1000')).body.data.length, 500);
  await world.delete('/_shares/7');
  t.equal((await world.post('/_shares', wanted)).status, 201);
});

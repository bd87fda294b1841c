/** What a recorded meter has said already is the answer, with its age; `max_age` says how old it may be. */
import t from 'tap';
import { openWorld } from '../support/world.ts';

t.test('beside a stream what frames say is the answer with its age, and max_age=0 asks the meter', async (t) => {
  const world = await openWorld(t);
  const client = await world.watch('/sim-1/live');
  await world.until('frames', () => client.frames.length >= 5);
  const sent = () => world.meter.log.commands.filter((text) => text === 'Battery Level?').length;
  const { body } = await world.get('/sim-1/battery');
  t.match(body, { battery_level: '100', age_s: Number, read_at: String });
  t.equal(sent(), 0);
  const asked = await world.get('/sim-1/battery?max_age=0');
  t.match(asked.body, { battery_level: '100', age_s: undefined });
  t.equal(sent(), 1);
  client.socket.terminate();
});

t.test('a max_age that is no number of seconds from 0 to 3600 is refused', async (t) => {
  const world = await openWorld(t);
  for (const wrong of ['-1', 'NaN', '1e9', '9999999', '', '3601']) {
    const { status, body } = await world.get(`/sim-1/battery?max_age=${wrong}`);
    t.equal(`${status} ${body.errors?.[0]?.path}`, '422 /max_age', wrong);
  }
});

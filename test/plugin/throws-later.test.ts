/** A plugin that throws in whatever it hung somewhere, in a whole gateway: the log says so, and all others go on. */
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openWorld } from '../support/world.ts';

const FAULTY = fileURLToPath(new URL('plugins/throws-later.ts', import.meta.url));

t.test('handlers of a plugin on callers, clients, configs, feeds and jobs may throw, and reject', async (t) => {
  const world = await openWorld(t, { settings: { plugins: [FAULTY, 'config', 'live', 'jobs'] } });
  const logged = (text: string) => world.log.some((line) => line.includes(`thrown ${text}`));
  /** Both are in the log; what nobody had caught would end this process. */
  const bothTold = async (where: string) => {
    await world.until(where, () => logged(`${where}"`) && logged(`${where}, later`));
    t.ok(logged(`${where}"`) && logged(`${where}, later`), `thrown ${where}`);
  };
  await bothTold('by a listener for configs');

  const viewer = await world.watch('/sim-1/live');
  const faulty = await world.watch('/sim-1/throws');
  await bothTold('by a watcher');
  faulty.socket.send('{}');
  await world.until('an answer to the message', () => faulty.messages.length > 0);
  t.match(faulty.messages, [{ code: 'INTERNAL' }]);
  t.ok(logged('by a listener for messages, later'));
  faulty.socket.close(1000);
  await bothTold('when a client had gone');

  const late = await world.watch('/sim-1/opens-late');
  await world.until('its end', () => late.closed !== undefined);
  t.equal(late.closed?.code, 1011);

  const leaving = new AbortController();
  const left = fetch(`${world.base}/sim-1/throws`, { signal: leaving.signal }).catch(({ name }) => name);
  await world.until('a caller that waits', () => world.log.some((line) => line.includes('somebody waits')));
  leaving.abort();
  t.equal(await left, 'AbortError');
  await bothTold('when a caller had gone');

  t.match(await world.get('/sim-1/words'), { status: 500, body: { code: 'INTERNAL' } });
  t.ok(logged('by its own words for an error') && logged('by a handler'));

  const { body } = await world.post('/sim-1/throws');
  await world.delete(`/_jobs/${body.job}`);
  await bothTold('when a job was cancelled');

  const before = viewer.frames.length;
  await world.until('more frames for the others', () => viewer.frames.length > before + 10);
  await world.put('/sim-1/config', { tcp_enabled: false });
  await bothTold('at the end of a feed');
  await world.until('the end for the others', () => viewer.closed !== undefined);
  t.equal((await world.get('/sim-1/config')).status, 200);
});

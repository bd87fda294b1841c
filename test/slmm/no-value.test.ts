/** A level without a value is `-.-` for clients of SLMM, and null where nothing was read; what diagnostics say of a meter in trouble. */
import t from 'tap';
import { openWorld } from '../support/world.ts';
import { BASE, openSlmmWorld } from './world.ts';

t.test('a meter that was never started since it was switched on has an Lp and -.- for the others', async (t) => {
  const slmm = await openSlmmWorld(t);
  const { data } = (await slmm.ask('GET', '/sim-1/live')).body;
  t.match(data.lp, /^\d+\.\d$/);
  const levels = [data.leq, data.lmax, data.lmin, data.lpeak, data.ln1, data.ln2];
  t.strictSame(levels, Array(6).fill('-.-'));
  const own = (await slmm.world.get('/sim-1/live')).body.data;
  t.equal(own.leq, null, 'the own API has null');
  const status = (await slmm.ask('GET', '/sim-1/status')).body.data;
  t.strictSame([status.leq, status.ln2], ['-.-', '-.-']);
  t.match(status.lp, /^\d+\.\d$/);
  const watched = await slmm.watch('/sim-1/monitor');
  await slmm.world.until('a message', () => watched.messages.length > 0);
  t.match(watched.messages[0], { feed_status: 'ok', leq: '-.-', ln1: '-.-' });
});

t.test('levels that were never read are null', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: { slmm: true, allow_loopback_meters: true } });
  await world.put('/gone/config', { host: '127.0.0.1', tcp_port: 1, poll_interval_seconds: 10 });
  const url = `${new URL(world.base).origin}${BASE}/gone/status`;
  let last: { status: number; body?: { data: Record<string, unknown> } } = { status: 404 };
  while (last.status !== 200) {
    const answer = await world.passing(fetch(url));
    last = { status: answer.status, body: (await answer.json()) as { data: Record<string, unknown> } };
    if (last.status !== 200) await world.pass(1_000);
  }
  t.match(last, { status: 200, body: { data: { lp: null, leq: null, ln1: null } } });
});

t.test(
  'diagnostics: FTP that is off in the config is skipped; a meter that answers wrongly is degraded, without a dump',
  async (t) => {
    const slmm = await openSlmmWorld(t);
    await slmm.ask('PUT', '/sim-1/config', { ftp_enabled: false });
    const { body } = await slmm.ask('GET', '/sim-1/diagnostics');
    t.match(body, { overall_status: 'pass', tests: { ftp_status: { status: 'skip' } }, database_dump: {} });
    slmm.world.meter.faults.on('refusing', { result: 'R+0003' });
    const wrong = await slmm.ask('GET', '/sim-1/diagnostics');
    t.match(wrong.body, {
      overall_status: 'degraded',
      tests: { tcp_connection: { status: 'pass' }, command_response: { status: 'fail' } },
    });
    t.notOk('database_dump' in wrong.body);
  },
);

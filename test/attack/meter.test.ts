/** Attacks from a meter on its control line. Every case is bounded, refused and logged; the process lives, its memory is flat. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { makeKey } from '../support/keys.ts';
import { openWorld, type World } from '../support/world.ts';
import { type Hostile, holds, hostileMeter, memoryMb, pour } from './support/hostile.ts';

const HOUR_MS = 3_600_000;

/** A gateway with one unit, `bad`, that was still well when it was configured. */
async function badWorld(t: Test): Promise<{ world: World; peer: Hostile; mb: number }> {
  const peer = await hostileMeter(t);
  const world = await openWorld(t, { meters: 0 });
  await world.put('/bad/config', peer.config);
  return { world, peer, mb: memoryMb() };
}

/** Without moving the clock: what pours in must not be spread over time. The limit of the test is the deadline. */
async function gone(peer: Hostile): Promise<void> {
  while (peer.open() > 0) await new Promise((resolve) => setImmediate(resolve));
}

t.test('an endless line is cut off at its limit', async (t) => {
  const { world, peer, mb } = await badWorld(t);
  peer.act = (socket) => pour(socket, 'x'.repeat(65_536));
  t.match(await world.get('/bad/battery'), { status: 502, body: { code: 'DEVICE_GARBLED' } });
  await gone(peer);
  await holds(t, world, mb);
});

t.test('an endless flood of well-formed lines is cut off at its limit', async (t) => {
  const { world, peer, mb } = await badWorld(t);
  for (const line of ['\r\n', '$ ', '$\r\n', 'R', 'Battery Level?\r\n'.repeat(4_000)]) {
    peer.act = (socket) => pour(socket, line.repeat(Math.ceil(65_536 / line.length)));
    const answer = await world.get('/bad/battery');
    t.match(answer, { status: /50[24]/, body: { code: /^DEVICE_/ } }, JSON.stringify(line.slice(0, 20)));
    await gone(peer);
    await world.pass(5_000);
  }
  await holds(t, world, mb);
});

t.test('a flood that nobody asked for ends the connection, between commands too', async (t) => {
  const { world, peer, mb } = await badWorld(t);
  peer.act = (socket) => {
    socket.write('R+0000\r\nFull\r\n$');
    pour(socket, 'R+0000\r\n'.repeat(8_192));
  };
  await world.get('/bad/battery');
  await gone(peer);
  t.match(world.log.join(''), /connection dropped/);
  await holds(t, world, mb);
});

t.test('one byte an hour: the deadlines count from the command, not from the last byte', async (t) => {
  const { world, peer, mb } = await badWorld(t);
  const began = world.clock.elapsed();
  peer.act = (socket) => {
    const drip = () => {
      if (socket.destroyed) return;
      socket.write('R');
      world.clock.after(HOUR_MS, drip);
    };
    drip();
  };
  t.match(await world.get('/bad/battery'), {
    status: 504,
    body: { code: 'DEVICE_TIMEOUT', detail: /within \d+(\.\d+)? s/ },
  });
  t.ok(world.clock.elapsed() - began < 30_000);
  await gone(peer);
  await holds(t, world, mb);
});

t.test('one byte every second does not keep the meter longer than a reply may take', async (t) => {
  const { world, peer } = await badWorld(t);
  const began = world.clock.elapsed();
  peer.act = (socket) => {
    const drip = () => {
      if (socket.destroyed) return;
      socket.write('R');
      world.clock.after(1_000, drip);
    };
    drip();
  };
  t.equal((await world.get('/bad/battery')).status, 504);
  t.ok(world.clock.elapsed() - began < 30_000);
});

const CHANNEL = 16;
const NUMBERS = ['1e999', '-1e999', 'NaN', 'Infinity', '0x1F', '1e5', '١٢.٣', '99999999999999999999.9', '--.-', '5,5'];

t.test('64 fields of numbers that are none are refused, and never a value', async (t) => {
  const { world, peer } = await badWorld(t);
  for (const number of NUMBERS) {
    const line = Array.from({ length: 4 * CHANNEL }, () => number).join();
    peer.act = (socket) => void socket.write(`R+0000\r\n${line}\r\n$`);
    const answer = await world.get('/bad/live');
    t.match(answer, { status: 502, body: { code: 'DEVICE_GARBLED' } }, number);
    await world.pass(2_000);
  }
  t.match((await world.get('/bad/status')).body.data, { lp: null, leq: null }, 'none of them was kept');
});

t.test('hostile texts in replies come out escaped, short and without control characters in the log', async (t) => {
  const { world, peer } = await badWorld(t);
  for (const text of [
    '<script>alert(1)</script>',
    '\u001b[2J\u001b]0;x\u0007',
    'a"b\\c',
    '\u0000\u0001',
    '%s%n%d',
    'é'.repeat(3_000),
  ]) {
    peer.act = (socket) => void socket.write(`R+0000\r\n${text}\r\n$`, 'latin1');
    const answer = await world.get('/bad/clock');
    t.equal(answer.status, 502, JSON.stringify(text.slice(0, 20)));
    t.match(answer.headers.get('content-type'), 'application/json');
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.ok(answer.body.detail.length < 500);
    await world.pass(2_000);
  }
  const raw = world.log.join('').replaceAll('\n', '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test shows that the text has no such characters
  t.notMatch(raw, /[\u0000-\u001f\u007f]/);
});

t.test('the greeting of another service at this address is quoted to admins alone', async (t) => {
  const { world, peer } = await badWorld(t);
  const key = async (role: 'viewer' | 'operator' | 'admin') =>
    (await makeKey(join(world.dataDir, 'data'), { name: role, role }, world.clock)).headers;
  const [viewer, operator, admin] = [await key('viewer'), await key('operator'), await key('admin')];
  await world.pass(2_000);
  peer.act = (socket) => void socket.write('SSH-2.0-OpenSSH_9.9 build 7\r\nInvalid SSH identification string.\r\n');
  t.match(await world.get('/bad/battery', { headers: operator }), { status: 502, body: { code: 'DEVICE_GARBLED' } });
  await world.get('/bad/clock', { headers: viewer });
  const paths = ['/bad/session', '/bad/config', '/bad/status', '/bad/log', '/_status', '/bad/battery', '/_about'];
  for (const path of paths)
    for (const headers of [viewer, operator]) {
      const { body } = await world.get(path, { headers });
      t.notMatch(JSON.stringify(body), /SSH|Invalid SSH/, path);
    }
  const { strange_line } = (await world.get('/bad/session', { headers: admin })).body.data;
  t.match(strange_line, { raw: /SSH/, at: String });
  t.match(world.log.join(''), /OpenSSH/, 'whoever runs the gateway reads it in the log');
});

t.test('a peer that connects and hangs up, for ever, is not dialled for ever', async (t) => {
  const { world, peer } = await badWorld(t);
  peer.act = (socket) => socket.resetAndDestroy();
  const before = peer.connects();
  for (let i = 0; i < 5; i += 1) t.equal((await world.get('/bad/battery')).status, 502);
  t.ok(peer.connects() - before <= 11, `${peer.connects() - before} connections for 5 requests`);
});

t.test('a stream of lines that are no frames, or frames as fast as the line goes, is bounded', async (t) => {
  for (const flood of ['NaN,1e999\r\n', '1, 50.0\r\n', `${'9'.repeat(4_000)}\r\n`]) {
    const { world, peer, mb } = await badWorld(t);
    peer.act = (socket, line) => {
      if (!line.startsWith('DRD')) return void socket.write('R+0000\r\n$');
      socket.write('R+0000\r\n');
      pour(socket, flood.repeat(Math.ceil(65_536 / flood.length)));
    };
    const viewer = await world.watch('/bad/live');
    await world.until('the stream is asked for', () => peer.heard().includes('DRD'));
    await gone(peer);
    t.same(viewer.frames, []);
    viewer.socket.terminate();
    await holds(t, world, mb);
  }
});

t.test('one hostile meter costs the others nothing', async (t) => {
  const peer = await hostileMeter(t);
  const world = await openWorld(t, { meters: 1 });
  await world.put('/bad/config', peer.config);
  peer.act = (socket) => pour(socket, 'R+0000\r\n$ '.repeat(6_000));
  const [good] = await world.passing(
    Promise.all([world.asked('GET', '/sim-1/clock'), world.asked('GET', '/bad/clock')]),
  );
  t.equal(good.status, 200);
});

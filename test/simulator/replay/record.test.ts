import { createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import t, { type Test } from 'tap';
import { startMeter, VirtualClock } from '../../../simulator/index.ts';
import { readScript, startReplay } from '../../../simulator/replay/player.ts';
import { createRecorder, startProxy } from '../../../simulator/replay/proxy.ts';
import { parseTranscript } from '../../../simulator/replay/transcript.ts';
import { type Bare, eventually } from '../bare.ts';
import { connected, Memory } from './rig.ts';

const SUB = '\x1a';

/** A proxy before somebody; the clock stands still unless moved. */
async function recording(t: Test, port: number, file: Writable = new Memory()) {
  const clock = new VirtualClock();
  const gaps: string[] = [];
  const recorder = createRecorder(file, clock, 'A test.', (reason) => gaps.push(reason.message));
  const proxy = await startProxy({ to: { host: '127.0.0.1', port }, port: 0, recorder });
  t.teardown(() => proxy.close());
  return { clock, gaps, recorder, proxy };
}

async function peer(t: Test) {
  const arrived: Socket[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    arrived.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of arrived) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { arrived, port: typeof address === 'object' && address ? address.port : 0 };
}

t.test('a session of a meter, recorded and replayed, is the same bytes', async (t) => {
  const clock = new VirtualClock();
  const meter = await startMeter({ clock, profile: 'instant', soundStepMs: 100 });
  t.teardown(() => meter.stop());
  const file = new Memory();
  const { proxy, recorder, clock: tape } = await recording(t, meter.tcpPort, file);

  const session = async (client: Bare, move: (ms: number) => Promise<void>) => {
    const heard = [];
    for (const line of ['Type?', 'Measure,Start', 'DOD?', '$Measure,Start', 'DOD?', 'Clock?']) {
      client.type(`${line}\r\n`);
      heard.push(await client.take('$'));
      await move(1_000);
    }
    client.type('DRD?\r\n');
    heard.push(await client.take('\r\n'));
    for (let frame = 0; frame < 5; frame++) {
      await move(100);
      heard.push(await client.take('\r\n'));
    }
    client.type(SUB);
    heard.push(await client.take('$'));
    return heard;
  };

  const direct = await connected(t, proxy.port);
  const first = await session(direct, async (ms) => {
    await Promise.all([clock.advance(ms), tape.advance(ms)]);
  });
  direct.socket.destroy();
  await proxy.close();
  await recorder.close();
  t.equal(recorder.lost, 0);
  t.match(file.text, /^# A transcript: /);

  const script = readScript(parseTranscript(file.text));
  const replayed = new VirtualClock();
  const replay = await startReplay({ script, clock: replayed, port: 0 });
  t.teardown(() => replay.close());
  const again = await session(await connected(t, replay.port), (ms) => replayed.advance(ms));
  t.same(again, first);
  t.ok(first.length === 13 && first.every((text) => text.length > 0));
});

t.test('any bytes pass untouched both ways', async (t) => {
  const { arrived, port } = await peer(t);
  const file = new Memory();
  const { proxy, recorder } = await recording(t, port, file);
  const client = await connected(t, proxy.port);
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
  let there = '';
  client.type(all);
  await eventually(() => arrived.length === 1);
  arrived[0]?.on('data', (bytes: Buffer) => {
    there += bytes.toString('latin1');
  });
  await eventually(() => there.length === 256);
  arrived[0]?.write(all, 'latin1');
  t.equal(await client.take('\xff'), all);
  t.equal(there, all);
  await proxy.close();
  await recorder.close();
  const said = parseTranscript(file.text).flatMap((entry) => (entry.kind === 'bytes' ? [entry] : []));
  for (const side of ['client', 'meter']) {
    const bytes = Buffer.concat(said.filter((entry) => entry.side === side).map((entry) => entry.bytes));
    t.equal(bytes.toString('latin1'), all, side);
  }
});

t.test('ends and resets pass in both directions, and are written down', async (t) => {
  const { arrived, port } = await peer(t);
  const file = new Memory();
  const { proxy, recorder } = await recording(t, port, file);
  const events = () => file.text.match(/(client|meter) (connects|ends|resets)/g) ?? [];

  const first = await connected(t, proxy.port);
  await eventually(() => arrived.length === 1);
  arrived[0]?.end();
  await eventually(() => first.ended === 'half');
  first.type('still here');
  await new Promise((resolve) => arrived[0]?.once('data', resolve));
  first.socket.end();
  await eventually(() => first.ended === 'closed');

  const second = await connected(t, proxy.port);
  await eventually(() => arrived.length === 2);
  arrived[1]?.resetAndDestroy();
  await eventually(() => second.ended === 'reset');

  const third = await connected(t, proxy.port);
  await eventually(() => arrived.length === 3);
  const gone = new Promise((resolve) => arrived[2]?.once('error', resolve));
  third.socket.resetAndDestroy();
  t.match(await gone, { code: 'ECONNRESET' });
  await recorder.close();
  t.same(events(), [
    'client connects',
    'meter ends',
    'client ends',
    'client connects',
    'meter resets',
    'client connects',
    'client resets',
  ]);
});

t.test('one client at a time; the place comes free with the end of its session', async (t) => {
  const { arrived, port } = await peer(t);
  const { proxy } = await recording(t, port);
  const first = await connected(t, proxy.port);
  await eventually(() => arrived.length === 1);
  const second = await connected(t, proxy.port);
  await eventually(() => second.ended === 'reset');
  t.equal(first.ended, 'open');
  arrived[0]?.resetAndDestroy();
  await eventually(() => first.ended === 'reset');
  await connected(t, proxy.port);
  await eventually(() => arrived.length === 2);
});

t.test('a meter that refuses is a reset for the client, and a comment', async (t) => {
  const { port } = await peer(t);
  const file = new Memory();
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const address = gone.address();
  const free = typeof address === 'object' && address ? address.port : port;
  await new Promise((resolve) => gone.close(resolve));
  const { proxy } = await recording(t, free, file);
  const client = await connected(t, proxy.port);
  await eventually(() => client.ended === 'reset');
  await eventually(() => file.text.includes('# the meter was not reached: ECONNREFUSED'));
});

t.test('a file that cannot be written disturbs nothing, and is reported once', async (t) => {
  const { arrived, port } = await peer(t);
  const file = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) });
  const { gaps, proxy, recorder } = await recording(t, port, file);
  const client = await connected(t, proxy.port);
  await eventually(() => arrived.length === 1);
  for (let round = 0; round < 3; round++) {
    client.type('Type?\r\n');
    await new Promise((resolve) => arrived[0]?.once('data', resolve));
    arrived[0]?.write('R+0000\r\n$');
    t.equal(await client.take('$'), 'R+0000\r\n$');
  }
  t.same(gaps, ['no space left']);
  t.ok(recorder.lost >= 6);
  await recorder.close();
});

t.test('a file that is too slow gets a gap that says so, and the traffic goes on', async (t) => {
  const { arrived, port } = await peer(t);
  let go = () => {};
  let stuck = true;
  let text = '';
  const file = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      if (stuck && text.length > 1_000) go = done;
      else done();
    },
  });
  const { gaps, proxy, recorder } = await recording(t, port, file);
  const client = await connected(t, proxy.port);
  await eventually(() => arrived.length === 1);
  const block = 'x'.repeat(1_048_576);
  let bytes = 0;
  arrived[0]?.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  for (let round = 1; round <= 20; round++) {
    client.type(block);
    await eventually(() => bytes === round * block.length);
  }
  t.same(gaps, ['the file does not keep up']);
  t.ok(recorder.lost > 0);
  stuck = false;
  go();
  await recorder.close();
  t.match(text.slice(-60), /# here \d+ entries are missing\n$/);
});

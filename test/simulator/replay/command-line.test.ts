import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WrongCommandLine } from '../../../simulator/command-line.ts';
import { startMeter, VirtualClock } from '../../../simulator/index.ts';
import { record, replay } from '../../../simulator/replay/command-line.ts';
import { connected } from './rig.ts';

async function folder(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'slm-tape-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Runs until `stop` is called; `port` is that of the line on standard output. */
async function running(run: typeof record, words: readonly string[]) {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const errors: string[] = [];
  const { promise: ready, resolve: said } = Promise.withResolvers<string>();
  const over = run(words, { out: said, err: (line) => void errors.push(line) }, asked);
  const line = await Promise.race([ready, over.then(() => '')]);
  const stop = () => {
    ask();
    return over;
  };
  return { port: Number(/127\.0\.0\.1:(\d+)$/.exec(line)?.[1]), errors, stop };
}

t.test('record a meter, replay the file, hear the same', async (t) => {
  const file = join(await folder(t), 'session.txt');
  const meter = await startMeter({ clock: new VirtualClock(), profile: 'instant' });
  t.teardown(() => meter.stop());
  const session = async (port: number) => {
    const client = await connected(t, port);
    const heard = [];
    for (const line of ['Type?', 'Clock?', 'Nonsense', 'DOD?']) {
      client.type(`${line}\r\n`);
      heard.push(await client.take('$'));
    }
    client.socket.destroy();
    return heard;
  };
  const tools = await running(record, ['--to', `127.0.0.1:${meter.tcpPort}`, '--out', file]);
  const first = await session(tools.port);
  await tools.stop();
  t.match(await readFile(file, 'utf8'), /# Recorded \d{4}-.* from 127\.0\.0\.1:\d+\.\n# @[\d.]+ client connects\n/);
  const player = await running(replay, [file, '--speed', '1000']);
  t.same(await session(player.port), first);
  await player.stop();
});

t.test('the person sees lines that are not in the transcript, in its notation', async (t) => {
  const file = join(await folder(t), 'one.txt');
  await writeFile(file, '> A<LF>\n< 1<LF>\n');
  const player = await running(replay, [file]);
  const client = await connected(t, player.port);
  client.type('B\r\nA\n');
  await client.take('\n');
  await player.stop();
  t.same(player.errors, ['not in the transcript: B<CR><LF>']);
});

t.test('a recording that cannot begin leaves no file behind: the next try is not in its way', async (t) => {
  const place = await folder(t);
  const file = join(place, 'new.txt');
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const words = ['--to', '127.0.0.1:9', '--out', file, '--port'];
  await t.rejects(running(record, [...words, '99999']), { message: /takes a port/ });
  await t.rejects(running(record, [...words, String(port)]), { code: 'EADDRINUSE' });
  t.same(await readdir(place), []);
});

t.test('an old recording is not written over', async (t) => {
  const file = join(await folder(t), 'old.txt');
  await writeFile(file, 'precious');
  await t.rejects(running(record, ['--to', '127.0.0.1:9', '--out', file]), { code: 'EEXIST' });
  t.equal(await readFile(file, 'utf8'), 'precious');
});

t.test('wrong words are named', async (t) => {
  const wrong = async (run: typeof record, words: readonly string[], message: RegExp) => {
    const error = await running(run, words).then(
      () => null,
      (reason: unknown) => reason,
    );
    t.ok(error instanceof WrongCommandLine, words.join(' '));
    t.match(error, { message });
  };
  await wrong(record, [], /record takes --to HOST:PORT and --out FILE/);
  await wrong(record, ['--to', 'nowhere', '--out', 'x'], /--to takes HOST:PORT, not "nowhere"/);
  await wrong(record, ['--to', 'a:70000', '--out', 'x'], /--to takes a port from 0 to 65535/);
  await wrong(record, ['--to', 'a:1', '--out', 'x', 'y'], /y/);
  await wrong(replay, [], /replay takes the FILE/);
  await wrong(replay, ['a', 'b'], /too many words: a b/);
  await wrong(replay, ['--to', 'a:1', 'x'], /'--to'/);
});

import { connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { inLargeChunks, release } from '../../lib/files/chunks.ts';

const CHUNK = 262_144;
const BYTES = 5 * CHUNK + 1_000;
const sent = Buffer.from(Array.from({ length: BYTES }, (_, index) => index % 251));

/** A connection that was accepted, in large chunks, and the other end of it. */
async function accepted(t: Test): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer({ pauseOnConnect: true });
  const arrived = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const theirs = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const ours = inLargeChunks(await arrived);
  server.close();
  t.teardown(() => {
    ours.destroy();
    theirs.destroy();
  });
  return { ours, theirs };
}

const ended = (socket: Socket) => new Promise((resolve) => socket.once('end', resolve));

t.test('all bytes come in order where each chunk is given back', async (t) => {
  const { ours, theirs } = await accepted(t);
  const got: Buffer[] = [];
  ours.on('data', (chunk: Buffer) => {
    got.push(Buffer.from(chunk));
    release(chunk);
  });
  theirs.end(sent);
  ours.resume();
  await ended(ours);
  t.ok(Buffer.concat(got).equals(sent));
});

t.test('a paused connection brings nothing, and what was not given back stays as it is', async (t) => {
  const { ours, theirs } = await accepted(t);
  const got: Buffer[] = [];
  ours.on('data', (chunk: Buffer) => {
    got.push(chunk);
    ours.pause();
    setImmediate(() => {
      t.equal(got.at(-1), chunk);
      ours.resume();
    });
  });
  theirs.end(sent);
  ours.resume();
  await ended(ours);
  t.ok(Buffer.concat(got).equals(sent));
});

t.test('a few bytes hold no large memory', async (t) => {
  const { ours, theirs } = await accepted(t);
  const first = new Promise<Buffer>((resolve) => ours.once('data', resolve));
  theirs.write('a few');
  ours.resume();
  const chunk = await first;
  t.equal(chunk.toString(), 'a few');
  t.ok(chunk.buffer.byteLength < CHUNK);
});

t.test('a connection that breaks says so', async (t) => {
  const { ours, theirs } = await accepted(t);
  const broken = new Promise<Error>((resolve) => ours.once('error', resolve));
  ours.resume();
  theirs.resetAndDestroy();
  t.match(await broken, { code: 'ECONNRESET' });
});

t.test('memory of a chunk is given back at once, unless it is shared', async (t) => {
  for (const bytes of [65_536, CHUNK]) {
    const own = Buffer.from(new ArrayBuffer(bytes));
    release(own);
    t.equal(own.length, 0, 'who still has it sees nothing of another file');
    release(own);
  }
  const shared = Buffer.from(new ArrayBuffer(65_536)).subarray(0, 10);
  release(shared);
  t.equal(shared.length, 10);
});

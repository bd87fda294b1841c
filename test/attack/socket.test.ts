/** WebSocket frames that mean harm: each ends its own connection with the right code, and nothing else happens. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';
import { holds, hostileMeter, memoryMb } from './support/hostile.ts';
import { request, sendRaw } from './support/raw.ts';

const KEY = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
const handshake = (headers: readonly string[] = []) =>
  request('GET /api/nl43/bad/live', [...KEY, `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, ...headers]);

interface FrameForm {
  readonly opcode: number;
  readonly payload?: Uint8Array;
  readonly fin?: boolean;
  readonly masked?: boolean;
  /** Reserved bits. */
  readonly rsv?: number;
  /** Announced in place of the true length. */
  readonly claims?: bigint;
}

/** One frame as bytes (RFC 6455, 5.2), right or wrong. */
function frame({ opcode, payload = new Uint8Array(), fin = true, masked = true, rsv = 0, claims }: FrameForm): Buffer {
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const length = claims ?? BigInt(payload.length);
  const mask = masked ? 0x80 : 0;
  const head =
    length < 126n
      ? Buffer.from([first, mask | Number(length)])
      : Buffer.concat([Buffer.from([first, mask | 127]), bigEndian(length)]);
  const key = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = Buffer.from(payload.map((byte, index) => byte ^ (key[index % 4] ?? 0)));
  return Buffer.concat([head, key, body]);
}

function bigEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

const text = (content: string | Uint8Array) => frame({ opcode: 1, payload: Buffer.from(content) });

/** A client that has been let in; `code` is that of the gateway's close frame, 0 when it hung up without one. */
async function letIn(world: World): Promise<{ socket: Socket; code: Promise<number> }> {
  const socket = connect({ host: '127.0.0.1', port: world.gateway.port });
  socket.on('error', () => {});
  socket.write(handshake());
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
  let seen = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    seen = Buffer.concat([seen, chunk]);
    if (closeCode(seen)) socket.end();
  });
  // A reset is an end like any other.
  const code = new Promise<number>((resolve) => socket.once('close', () => resolve(closeCode(seen))));
  return { socket, code };
}

/** Frames of a server are short here and never masked. */
function closeCode(bytes: Buffer): number {
  for (let at = 0; at + 1 < bytes.length; ) {
    const opcode = (bytes[at] ?? 0) & 0x0f;
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const [head, length] = short === 126 ? [4, bytes.length >= at + 4 ? bytes.readUInt16BE(at + 2) : 0] : [2, short];
    if (opcode === 8) return length >= 2 && bytes.length >= at + head + 2 ? bytes.readUInt16BE(at + head) : 1005;
    at += head + length;
  }
  return 0;
}

const ATTACKS: Readonly<Record<string, readonly [Buffer, readonly number[]]>> = {
  'a giant frame': [text('x'.repeat(100_000)), [1009]],
  'a frame that claims 2^62 bytes': [frame({ opcode: 1, claims: 1n << 62n }), [1009]],
  'a frame that claims a negative length': [frame({ opcode: 1, claims: (1n << 64n) - 1n }), [1009]],
  'fragments that add up': [
    Buffer.concat([
      frame({ opcode: 1, payload: Buffer.alloc(3_000, 120), fin: false }),
      ...Array.from({ length: 40 }, () => frame({ opcode: 0, payload: Buffer.alloc(3_000, 120), fin: false })),
    ]),
    [1009],
  ],
  'a message in endless pieces': [
    Buffer.concat([
      frame({ opcode: 1, payload: Buffer.from('a'), fin: false }),
      ...Array.from({ length: 20 }, () => frame({ opcode: 0, fin: false })),
    ]),
    [1008],
  ],
  'text that is no UTF-8': [text(Buffer.from([0xc3, 0x28, 0xff])), [1007]],
  'an overlong form': [text(Buffer.from([0xc0, 0xaf])), [1007]],
  'half a surrogate pair': [text(Buffer.from([0xed, 0xa0, 0x80])), [1007]],
  'a frame without a mask': [frame({ opcode: 1, payload: Buffer.from('x'), masked: false }), [1002]],
  'a reserved bit': [frame({ opcode: 1, payload: Buffer.from('x'), rsv: 4 }), [1002]],
  'a reserved opcode': [frame({ opcode: 3 }), [1002]],
  'a continuation of nothing': [frame({ opcode: 0, payload: Buffer.from('x') }), [1002]],
  'a ping in fragments': [frame({ opcode: 9, fin: false }), [1002]],
  'a ping of 200 bytes': [frame({ opcode: 9, payload: Buffer.alloc(200) }), [1002]],
  'a close with a code that may not be sent': [frame({ opcode: 8, payload: Buffer.from([0x03, 0xed]) }), [1002]],
  'a close of one byte': [frame({ opcode: 8, payload: Buffer.from([3]) }), [1002]],
  'a close that is no UTF-8': [frame({ opcode: 8, payload: Buffer.from([0x03, 0xe8, 0xff]) }), [1007]],
  'an HTTP request': [Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), [1002]],
};

async function badWorld(t: Test) {
  const peer = await hostileMeter(t);
  const world = await openWorld(t, { meters: 0 });
  await world.put('/bad/config', peer.config);
  return { world, peer };
}

t.test('a frame against the protocol ends its own connection with the right code', async (t) => {
  const { world, peer } = await badWorld(t);
  const before = peer.heard();
  const mb = memoryMb();
  for (const [name, [bytes, codes]] of Object.entries(ATTACKS)) {
    const { socket, code } = await letIn(world);
    socket.write(bytes);
    const got = await code;
    t.ok(codes.includes(got), `${name}: closed with ${got}`);
  }
  await holds(t, world, mb);
  t.equal(peer.heard(), before, 'no byte reached the meter');
});

t.test('messages that look like commands are read and dropped', async (t) => {
  const { world, peer } = await badWorld(t);
  const before = peer.heard();
  const { socket, code } = await letIn(world);
  for (const message of ['Measure,Start\r\n', '{"__proto__":{"polluted":1}}', '\u0000', '[['.repeat(500), ''])
    socket.write(text(message));
  socket.write(frame({ opcode: 2, payload: Buffer.from('Power,Off\r\n') }));
  socket.write(frame({ opcode: 8, payload: Buffer.from([0x03, 0xe8]) }));
  t.equal(await code, 1000);
  t.equal(peer.heard(), before);
  t.notOk('polluted' in {});
});

t.test('a flood of small messages or pings does not hold up anybody else', async (t) => {
  const { world } = await badWorld(t);
  const mb = memoryMb();
  for (const one of [text('x'), frame({ opcode: 9, payload: Buffer.from('x') })]) {
    const { socket, code } = await letIn(world);
    for (let i = 0; i < 20; i += 1) socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => one)));
    await holds(t, world, mb);
    socket.destroy();
    await code;
  }
});

t.test('half a frame, half a handshake and half a request keep nobody waiting', async (t) => {
  const { world } = await badWorld(t);
  const mb = memoryMb();
  const { socket } = await letIn(world);
  socket.write(frame({ opcode: 1, payload: Buffer.from('half a text') }).subarray(0, 6));
  const halves = [
    handshake().slice(0, 60),
    'POST /api/nl43/bad/start HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{',
  ];
  const open = halves.map(() => connect({ host: '127.0.0.1', port: world.gateway.port }).on('error', () => {}));
  for (const [index, half] of halves.entries()) open[index]?.write(half);
  await holds(t, world, mb);
  for (const each of [socket, ...open]) each.destroy();
});

t.test('pages of other origins get no stream, however they write their origin', async (t) => {
  const { world, peer } = await badWorld(t);
  const before = peer.heard();
  for (const origin of [
    'http://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.1:1',
    'https://127.0.0.1',
  ]) {
    const { statuses } = await sendRaw(world.gateway.port, handshake([`Origin: ${origin}`]));
    t.same(statuses, [403], origin);
  }
  t.equal(peer.heard(), before);
});

/**
 * Promises of every transport (`lib/transport/contract.ts`), run on each implementation. Where possible, the far end is not a
 * `ByteStream` of the implementation under test, so that a mistake cannot be made twice.
 */
import type { Test } from 'tap';
import { type Address, type ByteStream, DialError, type Transport } from '../../lib/transport/contract.ts';

/** The other side, as the suite needs it. */
export interface FarEnd {
  /** The next `count` bytes that arrive, as text. */
  read(count: number): Promise<string>;
  write(text: string): void;
  close(): void;
  reset(): void;
  /** How the near side ended the connection, seen from here. */
  readonly gone: Promise<'closed' | 'reset'>;
}

export interface Stage {
  readonly transport: Transport;
  /** Somebody listens here. */
  readonly address: Address;
  /** Nobody listens here. */
  readonly nobody: Address;
  /** The next connection that arrived at `address`. */
  accept(): Promise<FarEnd>;
}

const patient = (): AbortSignal => new AbortController().signal;
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** Everything that arrives; `whole(n)` settles when `n` bytes are there. */
function collect(connection: ByteStream) {
  let text = '';
  const waiting: { count: number; resolve: (text: string) => void }[] = [];
  connection.receive((chunk) => {
    text += Buffer.from(chunk).toString('latin1');
    for (const each of waiting) if (text.length >= each.count) each.resolve(text);
  });
  return {
    whole(count: number): Promise<string> {
      if (text.length >= count) return Promise.resolve(text);
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
  };
}

async function meet({ transport, address, accept }: Stage): Promise<{ near: ByteStream; far: FarEnd }> {
  const [near, far] = await Promise.all([transport.dial(address, patient()), accept()]);
  return { near, far };
}

export function transportContract(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  dialling(t, setUp);
  moving(t, setUp);
  ending(t, setUp);
}

function dialling(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('an address where nobody listens refuses, in words that name it', async (t) => {
    const { transport, nobody } = await setUp(t);
    const error = await transport.dial(nobody, patient()).catch((error: unknown) => error);
    t.ok(error instanceof DialError);
    t.match(error, { fault: 'refused', message: `${nobody.host}:${nobody.port} refused the connection` });
  });

  t.test('a signal that has aborted already: its reason, and nobody is called', async (t) => {
    const { transport, address, accept } = await setUp(t);
    const reason = new Error('the caller left');
    await t.rejects(transport.dial(address, AbortSignal.abort(reason)), reason);
    const next = await Promise.all([transport.dial(address, patient()), accept()]);
    next[1].write('first');
    t.equal(await collect(next[0]).whole(5), 'first', 'the first caller to arrive is the second, who did not leave');
  });

  t.test('a signal that aborts while dialling: its reason, and the next dial is not disturbed', async (t) => {
    const stage = await setUp(t);
    const controller = new AbortController();
    const reason = new Error('too late');
    const dialled = stage.transport.dial(stage.address, controller.signal);
    controller.abort(reason);
    await t.rejects(dialled, reason);
    t.ok(await stage.transport.dial(stage.address, patient()));
  });

  t.test('a signal that aborts after the connection is there changes nothing', async (t) => {
    const { transport, address, accept } = await setUp(t);
    const controller = new AbortController();
    const [near, far] = await Promise.all([transport.dial(address, controller.signal), accept()]);
    controller.abort();
    far.write('still here');
    t.equal(await collect(near).whole(10), 'still here');
    t.equal(near.ending, undefined);
  });

  t.test('the peer has a name for messages', async (t) => {
    const stage = await setUp(t);
    const { near } = await meet(stage);
    t.equal(near.peer, `${stage.address.host}:${stage.address.port}`);
  });
}

function moving(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('bytes go both ways, complete and in order', async (t) => {
    const { near, far } = await meet(await setUp(t));
    const text = Array.from({ length: 500 }, (_, index) => `${index},`).join('');
    for (const part of text.match(/.{1,7}/g) ?? []) near.send(bytes(part));
    t.equal(await far.read(text.length), text);
    for (const part of text.match(/.{1,3}/g) ?? []) far.write(part);
    t.equal(await collect(near).whole(text.length), text);
  });

  t.test('every byte value survives', async (t) => {
    const { near, far } = await meet(await setUp(t));
    const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index)).toString('latin1');
    near.send(bytes(all));
    t.equal(await far.read(256), all);
    far.write(all);
    t.equal(await collect(near).whole(256), all);
  });

  t.test('bytes that come before the first listener are kept for it', async (t) => {
    const { near, far } = await meet(await setUp(t));
    far.write('early ');
    far.close();
    await near.ended;
    t.equal(await collect(near).whole(6), 'early ');
  });

  t.test('a new listener replaces the old listener', async (t) => {
    const { near, far } = await meet(await setUp(t));
    let first = '';
    const heard = new Promise<void>((resolve) => {
      near.receive((chunk) => {
        first += Buffer.from(chunk).toString('latin1');
        resolve();
      });
    });
    far.write('one');
    await heard;
    const second = collect(near);
    far.write('two');
    t.equal(await second.whole(3), 'two');
    t.equal(first, 'one');
  });

  t.test('the sender may use its buffer again at once', async (t) => {
    const { near, far } = await meet(await setUp(t));
    const buffer = Buffer.from('kept');
    near.send(buffer);
    buffer.fill('x');
    t.equal(await far.read(4), 'kept');
  });

  t.test('traffic is counted in both directions', async (t) => {
    const { near, far } = await meet(await setUp(t));
    near.send(bytes('DOD?\r\n'));
    await far.read(6);
    far.write('R+0000\r\n');
    await collect(near).whole(8);
    t.same({ ...near.traffic }, { sent: 6, received: 8 });
  });
}

function ending(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test('we end it: known at once, and the first reason wins', async (t) => {
    const { near } = await meet(await setUp(t));
    near.close('done');
    near.close('done again');
    near.destroy('really');
    t.same(near.ending, { by: 'us', reason: 'done' });
    t.same(await near.ended, { by: 'us', reason: 'done' });
  });

  t.test('after a close the peer gets every byte and a proper end', async (t) => {
    const { near, far } = await meet(await setUp(t));
    near.send(bytes('last words'));
    near.close('done');
    t.equal(await far.read(10), 'last words');
    t.equal(await far.gone, 'closed');
  });

  t.test('destroy drops the connection at once, and may be called twice', async (t) => {
    const { near, far } = await meet(await setUp(t));
    near.destroy('dirty line');
    near.destroy('again');
    near.close('too late');
    t.same(await near.ended, { by: 'us', reason: 'dirty line' });
    t.equal(await far.gone, 'reset');
  });

  t.test('a peer that closes ends the connection, after its bytes', async (t) => {
    const { near, far } = await meet(await setUp(t));
    const heard = collect(near);
    far.write('bye');
    far.close();
    t.match(await near.ended, { by: 'peer', reason: /\w/ });
    t.equal(await heard.whole(3), 'bye');
  });

  t.test('a peer that resets is a fault', async (t) => {
    const { near, far } = await meet(await setUp(t));
    t.equal(near.ending, undefined, 'open until then');
    far.reset();
    t.match(await near.ended, { by: 'fault', reason: /ECONNRESET/ });
    t.same(near.ending, await near.ended);
  });

  t.test('sending after the end does nothing', async (t) => {
    const { near, far } = await meet(await setUp(t));
    far.close();
    await near.ended;
    near.send(bytes('anybody?'));
    near.close('late');
    near.destroy('later');
    t.equal(near.traffic.sent, 0);
    t.equal(near.ending?.by, 'peer');
  });

  t.test('a listener that throws ends its own connection and nothing else', async (t) => {
    const stage = await setUp(t);
    const broken = await meet(stage);
    const healthy = await meet(stage);
    broken.near.receive(() => {
      throw new Error('listener broke');
    });
    broken.far.write('!');
    t.match(await broken.near.ended, { by: 'fault', reason: /listener broke/ });
    t.equal(await broken.far.gone, 'reset');
    healthy.far.write('fine');
    t.equal(await collect(healthy.near).whole(4), 'fine');
  });
}

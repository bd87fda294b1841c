import t from 'tap';
import { Outlet } from '../../lib/files/transfer.ts';

const collect = (outlet: Outlet) => {
  const got = { bytes: 0, ended: false, error: '' };
  outlet.on('data', (chunk: Buffer) => {
    got.bytes += chunk.length;
  });
  outlet.on('end', () => {
    got.ended = true;
  });
  outlet.on('error', (error) => {
    got.error = error.message;
  });
  return got;
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('the last chunk of a file of known size waits until the transfer is judged', async (t) => {
  const outlet = new Outlet(30);
  const got = collect(outlet);
  for (let part = 0; part < 3; part++) outlet.write(Buffer.alloc(10));
  await turn();
  t.same(got, { bytes: 20, ended: false, error: '' }, 'who counts does not take it for whole');
  outlet.finish();
  await turn();
  t.same(got, { bytes: 30, ended: true, error: '' });
});

t.test('a transfer that is judged bad after its last byte is short for who counts, and breaks', async (t) => {
  const outlet = new Outlet(30);
  const got = collect(outlet);
  outlet.write(Buffer.alloc(20));
  outlet.write(Buffer.alloc(10));
  outlet.destroy(new Error('426 aborted'));
  await turn();
  t.same(got, { bytes: 20, ended: false, error: '426 aborted' });
});

t.test('bytes beyond the size are counted and not handed on; without a size nothing waits', async (t) => {
  const known = new Outlet(10);
  const first = collect(known);
  known.write(Buffer.alloc(25));
  known.finish();
  const unknown = new Outlet(undefined);
  const second = collect(unknown);
  unknown.write(Buffer.alloc(25));
  await turn();
  t.same([first.bytes, known.surplus, second.bytes], [10, 15, 25]);
});

t.test('a file that grew gives its listed bytes and a good end, before the transfer is over', async (t) => {
  for (const [size, chunk] of [
    [5, 65_536],
    [100_000, 65_536],
    [65_536, 65_536],
  ] as const) {
    const outlet = new Outlet(size);
    const got = collect(outlet);
    const grow = () => {
      for (let part = 0; part < 40; part += 1) outlet.write(Buffer.alloc(chunk));
    };
    t.throws(grow, { message: 'the file goes on growing' }, 'more than a megabyte too much is not waited for');
    await turn();
    t.same(got, { bytes: size, ended: true, error: '' }, `${size} bytes`);
    t.ok(outlet.complete);
  }
});

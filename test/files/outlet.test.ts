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

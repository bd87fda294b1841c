import t from 'tap';
import { releaseChunk } from '../../lib/files/visit.ts';

t.test('memory of a chunk is given back at once, unless it is shared', async (t) => {
  for (const bytes of [1_000, 65_536]) {
    const own = Buffer.from(new ArrayBuffer(bytes));
    releaseChunk(own);
    t.equal(own.length, 0, 'who still has it sees nothing of another file');
    releaseChunk(own);
  }
  const shared = Buffer.from(new ArrayBuffer(65_536)).subarray(0, 10);
  releaseChunk(shared);
  t.equal(shared.length, 10);
});

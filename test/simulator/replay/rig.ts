/** A bare client that is gone when the test is over, and a file in memory. */
import { Writable } from 'node:stream';
import type { Test } from 'tap';
import { Bare } from '../bare.ts';

export async function connected(t: Test, port: number): Promise<Bare> {
  const bare = await Bare.open(port);
  t.teardown(() => bare.socket.destroy());
  return bare;
}

export class Memory extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

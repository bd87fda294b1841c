/** How much memory is held, after everything that is garbage has gone. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes: objects and the buffers of numbers behind them. */
export async function held(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    collect();
    // Handles that are closing let go in a turn of their own.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

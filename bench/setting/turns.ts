/**
 * Loaded into a measured program with `--import`: prints `turn 23.4` for each turn of its event loop that took more than a few
 * milliseconds of processor time of the main thread. Unlike a wait seen from outside, that says the same however busy the computer is.
 * Needs Node 23.9.
 */
import { isMainThread } from 'node:worker_threads';

const LEAST_MS = 5;

function watch(): void {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = usedMs();
  const look = () => {
    const ms = usedMs() - before;
    if (ms > LEAST_MS) process.stdout.write(`turn ${ms.toFixed(1)}\n`);
    before = usedMs();
    setTimeout(() => setImmediate(look), 1).unref();
  };
  setImmediate(look);
}

if (isMainThread) watch();

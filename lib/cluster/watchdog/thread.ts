/** The thread of the watchdog. When a computer stood still, this thread stood still, too: afterwards it first checks the clock. */
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';

/** Between two looks, ms. */
const LOOK_MS = 250;
/** Time limit for the last message, ms: a blocked terminal must not keep the process alive. */
const WORDS_MS = 50;
const NS_A_MS = 1_000_000;
const WORDS =
  'slm-gateway: the process stood still for longer than it may have the meters; it ends, so that another instance can take over\n';
const ends = new Float64Array(workerData as SharedArrayBuffer);

function look(): void {
  const [end = 0] = ends;
  const left = end - Number(process.hrtime.bigint()) / NS_A_MS;
  if (end === 0 || left > 0) systemClock.after(end === 0 ? LOOK_MS : Math.min(left, LOOK_MS), look);
  else finish();
}

function finish(): void {
  // No clean stop: only the main thread could do it. The system closes the connections.
  const end = () => process.kill(process.pid, 'SIGKILL');
  systemClock.after(WORDS_MS, end);
  write(2, WORDS, end);
}

look();

/**
 * Loaded before the gateway (`node --import`), in each of its threads: its wall clock is off by the milliseconds in the file of
 * `PROOF_CLOCK`, which may change while it runs. The monotonic clock and the timers stay: so it is where somebody sets the clock of a computer.
 */
import { readFileSync } from 'node:fs';

const LOOK_MS = 100;
const file = process.env.PROOF_CLOCK ?? '';
const trueNow = Date.now;
let off = 0;

function look(): void {
  try {
    off = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // It is just being written, or the clock is right.
  }
}

look();
setInterval(look, LOOK_MS).unref();
Date.now = () => trueNow() + off;

/** Where meters are shared out: whether each instance has its share. */
import { setTimeout as pause } from 'node:timers/promises';
import { ask } from './load.ts';
import type { Host } from './network.ts';

const LOOK_MS = 2_000;
/** A meter that has work waits for its end before it moves: twenty seconds can pass between two of them. */
const QUIET_MS = 25_000;
/** Sixty meters move within a minute. What is not over by then goes on beside what comes next. */
const PATIENCE_MS = 300_000;

/** Resolves when all meters are served and no number of meters has changed for some time, or after this patience. */
export async function shareIsEven(hosts: readonly Host[], meters: number): Promise<void> {
  let [last, since] = ['', Date.now()];
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(LOOK_MS)) {
    const shares = await sharesOf(hosts);
    const now = JSON.stringify(shares);
    if (now !== last) [last, since] = [now, Date.now()];
    const sum = shares.reduce((total, units) => total + units, 0);
    if (sum === meters && Date.now() - since >= QUIET_MS) return;
  }
}

/** Meters of each instance, as the first one that answers knows it. */
async function sharesOf(hosts: readonly Host[]): Promise<readonly number[]> {
  for (const host of hosts) {
    const { status, json } = await ask(host, 'GET', '/_cluster');
    const members: { units: number | null }[] = json.data ?? [];
    if (status === 200) return members.map(({ units }) => units ?? 0);
  }
  return [];
}

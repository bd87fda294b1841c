/**
 * Pages that stay open for a week, in a real browser whose clock is moved: each minute brings readings, each hour alerts, jobs and
 * states. What a page holds after seven days is what it held after one. `npx tap test/more/virtual-week.ts`
 */
import type { CDPSession, WebSocketRoute } from 'playwright-core';
import t, { type Test } from 'tap';
import { NO_BROWSER, openStage, type Stage } from '../browser/support/stage.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const METERS = 4;
/** What a day may bring besides what it takes away: rounding of the heap, and text of the newest values. */
const BOUND = { bytes: 400_000, nodes: 60, listeners: 5 };

t.test('the list of meters holds after a week what it held after a day', { skip: NO_BROWSER }, (t) => week(t, ''));
t.test('and so do the wall screen', { skip: NO_BROWSER }, (t) => week(t, 'wall'));
t.test('and the overview', { skip: NO_BROWSER }, (t) => week(t, 'overview'));

async function week(t: Test, path: string): Promise<void> {
  const stage = await openStage(t, { request_rate: 0 });
  for (let number = 1; number <= METERS; number++)
    await stage.addMeter(`unit-${number}`, { host: '192.0.2.40', pollEnabled: false, tags: [`site-${number % 2}`] });
  const { page, feed } = await openFed(stage, path);
  const tab = await page.context().newCDPSession(page);
  let at = Date.now();
  const held: Held[] = [];
  for (let minute = 1; minute <= 7 * DAY_MINUTES; minute++) {
    at += MINUTE_MS;
    for (const message of eventsOf(minute, at)) feed().send(JSON.stringify(message));
    await page.clock.fastForward(MINUTE_MS);
    if (minute % DAY_MINUTES === 0) held.push(await heldBy(tab));
  }
  const level = levelOf(7 * DAY_MINUTES, 1).toFixed(1);
  await page.clock.fastForward(1_000);
  if (path !== 'overview') await page.getByText(level).first().waitFor();
  t.comment(`/${path}: ${held.map(({ bytes, nodes }) => `${(bytes / 1e6).toFixed(2)} MB, ${nodes} nodes`).join('; ')}`);
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last) throw new Error('nothing was measured');
  t.ok(last.bytes - first.bytes < BOUND.bytes, `${last.bytes - first.bytes} bytes more than after a day`);
  t.ok(last.nodes - first.nodes < BOUND.nodes, `${last.nodes - first.nodes} nodes more`);
  t.ok(last.listeners - first.listeners < BOUND.listeners, `${last.listeners - first.listeners} listeners more`);
}

/** A page with a clock of its own, and the socket on which it hears of meters. */
async function openFed(stage: Stage, path: string) {
  const page = await stage.browse('about:blank');
  let socket: WebSocketRoute | undefined;
  await page.routeWebSocket(/_live/, (route) => {
    route.connectToServer();
    socket = route;
  });
  await page.clock.install({ time: Date.now() });
  await page.goto(`${stage.url}${path}`);
  await page.clock.fastForward(1_000);
  await page.getByText('unit-1').first().waitFor();
  const feed = () => {
    if (!socket) throw new Error('the page has opened no socket');
    return socket;
  };
  return { page, feed };
}

const levelOf = (minute: number, number: number): number => 50 + ((minute * 7 + number * 3) % 200) / 10;

/** What a gateway tells in this minute of the week. */
function eventsOf(minute: number, at: number): readonly object[] {
  const time = new Date(at).toISOString();
  const events: object[] = [];
  for (let number = 1; number <= METERS; number++) {
    const unit_id = `unit-${number}`;
    const tell = (event: string, data: object) => events.push({ event, unit_id, time, data });
    const [lp, leq] = [levelOf(minute, number), levelOf(minute + 1, number)];
    tell('reading', {
      ...{ lp, leq, lmax: leq + 9, lmin: leq - 9, lpeak: leq + 20, lp_at: time, levels_at: time, state_at: time },
      measurement_state: 'Measure',
    });
    if ((minute + number) % 60 === 0) tell('alert', alertOf(minute, unit_id, time, null));
    if ((minute + number) % 60 === 20) tell('alert', alertOf(minute - 20, unit_id, time, time));
    if ((minute + number) % 60 === 40) tell('state', { state: minute % 120 < 60 ? 'measuring' : 'stopped' });
    if ((minute + number) % 60 === 50)
      tell('setting', { name: 'frequency_weighting', value: minute % 120 < 60 ? 'A' : 'C' });
  }
  return events;
}

const alertOf = (minute: number, unit_id: string, time: string, closed_at: string | null) => ({
  ...{ change: closed_at ? 'closed' : 'opened', id: `${minute}-${unit_id}`, rule: '1', rule_name: 'Limit', unit_id },
  ...{
    kind: 'level',
    what: 'leq',
    severity: 'warning',
    limit: 55,
    worst: 61.5,
    detail: 'Loud.',
    acknowledged_at: null,
  },
  ...{ opened_at: time, closed_at, windows: 1, unit: 'dB' },
});

interface Held {
  readonly bytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** After a garbage collection. */
async function heldBy(tab: CDPSession): Promise<Held> {
  await tab.send('HeapProfiler.collectGarbage');
  const { usedSize } = await tab.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await tab.send('Memory.getDOMCounters');
  return { bytes: usedSize, nodes, listeners: jsEventListeners };
}

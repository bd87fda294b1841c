/** The dashboard lives from events: it asks for no list of meters while its socket holds, and what others change shows at once. */

import type { Page, WebSocketRoute } from 'playwright-core';
import t from 'tap';
import { inBrowser, openStage, type Stage } from './support/stage.ts';

/** From a change until the page shows it, ms. */
const PROMPT_MS = 2_000;

/** The page of all meters, the paths of its requests, its sockets, and whether there is a way for one. */
async function listening({ browse, url }: Stage) {
  const page = await browse('about:blank');
  const asked: string[] = [];
  const sockets: WebSocketRoute[] = [];
  const way = { isOpen: true };
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.routeWebSocket(/_live/, (socket) => {
    if (!way.isOpen) return void socket.close();
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.clock.install();
  await page.goto(url);
  return { page, asked, sockets, way };
}

/** The time from a change to the moment when the page shows it, the least of some tries: a busy computer may be late once. */
async function soonest(page: Page, change: (attempt: number) => Promise<unknown>, text: (attempt: number) => RegExp) {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && best >= PROMPT_MS; attempt++) {
    const began = performance.now();
    await change(attempt);
    await page.locator('.unit-row', { hasText: text(attempt) }).waitFor();
    best = Math.min(best, performance.now() - began);
  }
  return Math.round(best);
}

inBrowser(t, 'values, states and configs of other clients show without a request', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof', history: 'stream', pollIntervalSeconds: 60 });
  await stage.client.live('roof');
  const { page, asked, sockets } = await listening(stage);
  const row = page.locator('.unit-row', { hasText: 'Roof' });
  await row.waitFor();

  const level = row.locator('.level .value').first();
  const seen = new Set<string>();
  for (; seen.size < 4; await page.waitForTimeout(50)) seen.add(await level.innerText());
  t.match([...seen], [/^\d+\.\d$/], 'levels of the stream follow each other');

  const states = [/Measuring/, /Stopped/];
  const stateMs = await soonest(
    page,
    (attempt) => stage.client.control('roof', attempt % 2 === 0 ? 'start' : 'stop'),
    (attempt) => states[attempt % 2] ?? /Measuring/,
  );
  const configMs = await soonest(
    page,
    (attempt) => stage.client.configure('roof', { name: `Roof ${attempt}` }),
    (attempt) => new RegExp(`Roof ${attempt}`),
  );
  t.ok(stateMs < PROMPT_MS, `a state after ${stateMs} ms, the command included`);
  t.ok(configMs < PROMPT_MS, `a config after ${configMs} ms`);

  // The gateway answers in real time: without it, a question of the page would be late by its clock.
  for (let passed = 0; passed < 180_000; passed += 4_000) {
    await page.clock.runFor(4_000);
    await page.evaluate(async () => (await fetch('/health')).status);
  }
  t.strictSame(
    [asked.filter((path) => path.endsWith('/_status')), sockets.length],
    [[], 1],
    'three minutes of its clock',
  );
});

inBrowser(t, 'a meter that is only read now and then, and what happened while the socket was lost', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const { page, asked, sockets, way } = await listening(stage);
  const row = page.locator('.unit-row', { hasText: 'Roof' });
  const age = row.locator('time');
  await age.waitFor();
  const first = await age.getAttribute('datetime');
  while ((await age.getAttribute('datetime')) === first) await page.waitForTimeout(50);
  t.equal(await row.locator('.level.old').count(), 0, 'each reading shows');

  way.isOpen = false;
  await sockets[0]?.close();
  await row.locator('.level.old').first().waitFor();
  await stage.client.control('roof', 'start');
  await stage.client.configure('roof', { name: 'Roof of the school' });
  await stage.client.configure('yard', { host: '192.0.2.9', tcp_enabled: false, name: 'Yard' });
  way.isOpen = true;
  await row.filter({ hasText: 'Roof of the school' }).filter({ hasText: 'Measuring' }).waitFor();
  await page.locator('.unit-row', { hasText: 'Yard' }).waitFor();
  await row.locator('.level:not(.old)').first().waitFor();
  t.strictSame([asked.filter((path) => path.endsWith('/_status')), sockets.length], [[], 2]);
});

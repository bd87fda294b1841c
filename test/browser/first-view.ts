/** What the first view of many meters takes: requests, bytes, and the time to the rows. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { NO_BROWSER, openStage } from './support/stage.ts';

const METERS = 300;

t.test(`the first view of ${METERS} meters`, { skip: NO_BROWSER }, async (t) => {
  const stage = await openStage(t);
  for (let number = 1; number <= METERS; number++) {
    const own = { host: '192.0.2.40', tcpPort: 2_000 + number, pollEnabled: false, history: 'poll' } as const;
    await stage.addMeter(`unit-${number}`, own);
  }
  const now = Math.floor(Date.now() / 1_000);
  const levels = { steps: 10, leq: 54.3, lmax: 61, lmin: 49, lpeak: 75, lp: Array(10).fill(54) };
  for (let number = 1; number <= METERS; number++) {
    const seconds = Array.from({ length: 120 }, (_, index) => ({ at: now - 180 + index, ...levels }));
    const weighting = { frequency: 'A', time: 'F' } as const;
    stage.gateway.history.append({ unitId: `unit-${number}`, source: 'import', weighting, seconds });
  }
  await stage.gateway.history.flush();
  const page = await stage.browse('about:blank');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  page.on('websocket', (socket) => asked.push(new URL(socket.url()).pathname));
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(stage.url);
  await page.getByText(`${METERS} meters`).waitFor();
  await page.locator('.spark').first().waitFor();
  // The browser does not tell what its WebSocket took on the line.
  const hello = await bytesOfHello(stage.gateway.baseUrl);
  t.ok(bytes + hello <= 150_000, `${bytes} bytes by HTTP and ${hello} of the first message`);
  // Which parts of the gateway work is asked two seconds later, on a slow computer before this line.
  const first = asked.filter((path) => !path.endsWith('.svg') && path !== '/health');
  t.ok(first.length <= 8, `${first.length} requests: ${first.join(' ')}`);
  t.equal(asked.filter((path) => path.endsWith('/history')).length, 0, 'none for each meter');
  const lines = await fetch(`${stage.gateway.baseUrl}/_history/lines`);
  const { data } = (await lines.json()) as { data: { units: readonly { levels: readonly (number | null)[] }[] } };
  t.equal(data.units.length, METERS);
  t.ok(data.units.every(({ levels }) => levels.length === 60 && levels.filter((level) => level === 54.3).length >= 10));
});

/** On the line, until the first message of a browser's socket of all meters is there. */
async function bytesOfHello(baseUrl: string): Promise<number> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/_live`);
  const line = new Promise<Socket>((resolve) => socket.once('upgrade', (answer) => resolve(answer.socket)));
  await once(socket, 'message');
  const { bytesRead } = await line;
  socket.terminate();
  return bytesRead;
}

/** A page that is left open: it notices that the gateway is gone or hangs, comes back by itself, and starts again after sleep. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { inBrowser, openStage } from './support/stage.ts';

inBrowser(t, 'a page that is left open is right again by itself', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', { name: 'Roof' });
  const page = await stage.browse('about:blank');
  let sockets = 0;
  page.on('websocket', () => {
    sockets += 1;
  });
  await page.goto(stage.url);
  await page.getByText('1 meter').waitFor();
  t.equal(sockets, 1, 'one WebSocket for all meters');

  // The event of a browser when the computer is awake and has a network again.
  const again = page.waitForEvent('websocket');
  await page.evaluate("dispatchEvent(new Event('online'))");
  await again;
  await page.getByText('1 meter').waitFor();
  t.ok(await page.getByText('1 meter').isVisible(), 'after sleep it does not trust the old connection');

  await page.locator('.level:not(.old) .value', { hasText: /\d/ }).first().waitFor();
  await page.context().setOffline(true);
  await stage.gateway.stop();
  await page.getByText(/The gateway has not answered for/).waitFor();
  await page.locator('.level.old').first().waitFor();
  t.ok(
    await page.locator('.level.old').first().isVisible(),
    'a gateway that is gone is said, and no value looks fresh',
  );
});

inBrowser(t, 'when the gateway hangs and closes no connection, the page says so within 10 s', async (t) => {
  const stage = await openStage(t);
  // Nothing is read: no event of a meter shows that the gateway is well.
  await stage.addMeter('roof', { name: 'Roof', pollEnabled: false });
  const line = await lineTo(t, stage.url);
  const page = await stage.browse('about:blank');
  await page.clock.install();
  await page.goto(line.url);
  await page.getByText('1 meter').waitFor();
  const banner = page.getByText(/The gateway has not answered for/);
  for (let times = 0; times < 3; times += 1) {
    const answer = page.waitForResponse(/\/health$/);
    await page.clock.runFor(5_000);
    await answer;
  }
  t.equal(await banner.count(), 0, 'a gateway without events is not silent');
  line.hang();
  await page.clock.runFor(10_000);
  await banner.waitFor();
  const again = page.waitForEvent('websocket');
  line.goOn();
  await page.clock.runFor(5_000);
  await again;
  await banner.waitFor({ state: 'detached' });
});

/** A line to a server that can stop to carry bytes, with all its connections open. */
async function lineTo(t: Test, target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let hangs = false;
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from);
    if (hangs) from.pause();
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    carry(near, far);
    carry(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const set = (wanted: boolean) => {
    hangs = wanted;
    for (const socket of sockets) wanted ? socket.pause() : socket.resume();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, hang: () => set(true), goOn: () => set(false) };
}

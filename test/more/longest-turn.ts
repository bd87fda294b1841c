/**
 * No request holds up the others, whatever is stored: every GET route is asked on a gateway with a year of everything and on an empty one. The
 * longest turn of the event loop is measured in processor time of the main thread, which depends little on what else the computer does.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { type ApiDocument, everyQuestion, MeasuredGateway } from '../support/longest-turns.ts';
import { yearOfEverything } from '../support/year-of-everything.ts';

const DAY_MS = 86_400_000;
/** An answer may take so many times the longest turn of the same answer of the empty gateway. */
const RATIO = 3;
/** Turns that are as short as this are no matter, ms. */
const SHORT_MS = 50;
const UNIT = 'roof';
const NOW = Date.now();

async function both(t: Test): Promise<{ readonly full: MeasuredGateway; readonly empty: MeasuredGateway }> {
  const folder = t.testdir({ full: {}, empty: {} });
  await yearOfEverything(`${folder}/full`, UNIT, NOW);
  const [full, empty] = await Promise.all([
    MeasuredGateway.start(`${folder}/full`),
    MeasuredGateway.start(`${folder}/empty`),
  ]);
  t.teardown(() => Promise.all([full.stop(), empty.stop()]));
  return { full, empty };
}

/** The paths that are outside of the base path. */
const urlOf = ({ base }: MeasuredGateway, path: string): string =>
  /^\/(health|livez|readyz|metrics)\?/.test(path) ? new URL(path, base).href : `${base}${path}`;

t.test(
  'with a year of everything stored no GET route holds the main thread much longer than on an empty gateway',
  { skip: !('threadCpuUsage' in process) && 'this Node does not count the processor time of a thread' },
  async (t) => {
    const { full, empty } = await both(t);
    const document = (await (await fetch(`${full.base}/openapi.json`)).json()) as ApiDocument;
    for (const path of everyQuestion(document, UNIT, NOW)) {
      const turn = await full.turnOf([urlOf(full, path)], SHORT_MS);
      const most = turn <= SHORT_MS ? SHORT_MS : RATIO * (await empty.turnOf([urlOf(empty, path)]));
      t.ok(turn <= most, `${path}: ${turn} ms`);
    }
    await t.test('nor do many who ask at once, or 200 who do not read', async (t) => {
      const span = `from=${new Date(NOW - 99 * DAY_MS).toISOString()}&to=${new Date(NOW).toISOString()}`;
      const year = `from=${new Date(NOW - 365 * DAY_MS).toISOString()}&to=${new Date(NOW).toISOString()}`;
      const at20 = (path: string) => Array.from({ length: 20 }, () => `${full.base}${path}`);
      for (const path of [
        `/_alerts/days?${span}`,
        '/_alerts/events?limit=1000',
        `/_stations/roof/observations?step=1d&${year}`,
      ]) {
        const turn = await full.turnOf(at20(path), SHORT_MS);
        t.ok(turn <= SHORT_MS, `20 x ${path}: ${turn} ms`);
      }
      const { host, hostname, port, pathname } = new URL(full.base);
      const sockets = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const socket = connect(Number(port), hostname);
          await once(socket, 'connect');
          socket.pause();
          return socket.on('error', () => {});
        }),
      );
      t.teardown(() => {
        for (const socket of sockets) socket.destroy();
      });
      const ask = `GET ${pathname}/_alerts/events?format=csv HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      for (const socket of sockets) socket.write(ask);
      const turn = await full.turnOf([new URL('/health', full.base).href]);
      t.ok(turn <= SHORT_MS, `200 x /_alerts/events?format=csv: ${turn} ms`);
    });
  },
);

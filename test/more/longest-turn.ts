/**
 * No request holds up the others, whatever is stored: every GET route is asked on a gateway with a year of everything and on an empty one. The
 * longest turn of the event loop is measured in processor time of the main thread. Other programs change this time little.
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

/** The longest turn while 200 ask for it and read nothing. */
async function turnOfUnread(gateway: MeasuredGateway, path: string): Promise<number> {
  const { host, hostname, port, pathname } = new URL(gateway.base);
  const sockets = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket.on('error', () => {}).pause();
    }),
  );
  const turn = await gateway.turnWhile(async () => {
    for (const socket of sockets) socket.write(`GET ${pathname}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await (await fetch(new URL('/health', gateway.base))).arrayBuffer();
  });
  for (const socket of sockets) socket.destroy();
  return turn;
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
    /** Whether it is short, or not much longer than that of the empty gateway. */
    const isShort = async (name: string, ask: (gateway: MeasuredGateway, most: number) => Promise<number>) => {
      const turn = await ask(full, SHORT_MS);
      const most = turn <= SHORT_MS ? SHORT_MS : RATIO * (await ask(empty, Number.POSITIVE_INFINITY));
      t.ok(turn <= most, `${name}: ${turn} ms`);
    };
    for (const path of everyQuestion(document, UNIT, NOW))
      await isShort(path, (one, most) => one.turnOf([urlOf(one, path)], most));
    const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const span = (days: number) =>
      `from=${new Date(NOW - days * DAY_MS).toISOString()}&to=${new Date(NOW).toISOString()}`;
    for (const [count, path] of [
      [20, `/_alerts/days?${span(99)}`],
      [20, '/_alerts/events?limit=1000'],
      [5, '/_verdicts?days=31'],
      [5, `/_permits/x/verdict?from=${dateOf(NOW - 365 * DAY_MS)}&to=${dateOf(NOW)}`],
      [5, `/_stations/roof/observations?step=1d&${span(365)}`],
    ] as const)
      await isShort(`${count} x ${path}`, (one, most) => one.turnOf(Array(count).fill(urlOf(one, path)), most));
    await isShort('200 who do not read the events', (one) => turnOfUnread(one, '/_alerts/events?format=csv'));
  },
);

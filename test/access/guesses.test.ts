/** The effect of wrong keys, and how an address is let in again. */
import t from 'tap';
import { unlock } from '../../lib/access/commands.ts';
import { Guesses } from '../../lib/access/tries.ts';
import { createLog } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { withKeys } from '../support/keys.ts';
import { FakeBrowser, makePeople, PASSWORD } from '../support/people.ts';

const GUESS = { kind: 'key', tried: 'an unknown API key' } as const;

function rig(lockedMs = 0) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const guesses = new Guesses(clock, log, () => lockedMs);
  return { clock, guesses, lines: () => lines.splice(0).map((line) => JSON.parse(line)) };
}

t.test('an address gets one line a minute, with what was tried and until when it is locked out', async (t) => {
  const { clock, guesses, lines } = rig(4_000);
  for (let count = 0; count < 7; count++) guesses.add('192.0.2.7', GUESS);
  guesses.add('192.0.2.7', { kind: 'ticket', tried: 'a ticket' });
  guesses.add('192.0.2.8', GUESS);
  t.strictSame(lines(), []);
  await clock.advance(60_000);
  const until = new Date(clock.now() + 4_000).toISOString();
  t.match(lines(), [
    {
      level: 'warn',
      address: '192.0.2.7',
      count: 8,
      tried: { [GUESS.tried]: 7, 'a ticket': 1 },
      locked_out_until: until,
    },
    { level: 'warn', address: '192.0.2.8', count: 1 },
  ]);
  t.strictSame(guesses.counts, { wrongKeys: 8, wrongTickets: 1 });
  await clock.advance(600_000);
  t.strictSame(lines(), [], 'and none when nothing is tried');
  guesses.add('192.0.2.7', GUESS);
  guesses.flush();
  t.match(lines(), [{ address: '192.0.2.7', count: 1 }], 'the end of the gateway leaves nothing out');
});

t.test('a flood from many addresses does not fill the log', async (t) => {
  const { clock, guesses, lines } = rig();
  for (let address = 0; address < 5_000; address++) guesses.add(`2001:db8:0:${address}::/64`, GUESS);
  await clock.advance(60_000);
  const written = lines();
  t.equal(written.length, 101);
  t.match(written.at(-1), { count: 4_900 });
});

t.test('a wrong key is named in the log without the key, and a valid key of the same address passes', async (t) => {
  const keyed = await openKeyedGateway(t);
  const { headers, text, id } = await keyed.key({ name: 'dash' });
  const wrong = `${text.slice(0, -3)}xyz`;
  const ask = (key: string) => keyed.ask('GET', '/roof/status', { headers: { Authorization: `Bearer ${key}` } });
  t.equal((await ask('letmein')).status, 401);
  for (let count = 0; count < 9; count++) t.equal((await ask(wrong)).status, 401);
  t.equal((await keyed.ask('GET', '/roof/status', { headers })).status, 200);
  t.equal((await keyed.upgrade('/_live?ticket=x')).status, 401);
  await keyed.clock.advance(60_000);
  const line = keyed.log.find((one) => one.includes('wrong API keys')) ?? '';
  t.match(JSON.parse(line), {
    address: '127.0.0.1',
    tried: { 'something that is not an API key': 1 },
    locked_out_until: null,
  });
  t.match(line, new RegExp(`the id of the key ${id} with a wrong secret`));
  t.notOk(keyed.log.some((one) => one.includes(wrong) || one.includes('letmein')));
});

t.test('more wrong keys than a caller may send requests: they get 429, valid keys and sign-ins go on', async (t) => {
  const keyed = await openKeyedGateway(t, { request_rate: 1, request_burst: 5 });
  const { headers } = await keyed.key({ name: 'dash' });
  const statuses = [];
  for (let count = 0; count < 8; count++)
    statuses.push((await keyed.ask('GET', '/roof/status', { headers: { Authorization: 'Bearer x' } })).status);
  t.strictSame(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  t.equal((await keyed.ask('GET', '/roof/status', { headers })).status, 200);
  t.equal((await keyed.ask('GET', '/_session/ways')).status, 200);
});

t.test('unlock lets an address in again that was locked out for wrong passwords', async (t) => {
  const keyed = await openKeyedGateway(t, {}, (dataDir, clock) =>
    makePeople(dataDir, clock, [{ name: 'Anna', role: 'viewer' }]),
  );
  const page = new FakeBrowser(keyed);
  for (let count = 0; count < 5; count++) await page.signIn({ name: 'Anna', password: 'wrong' });
  t.equal((await page.signIn({ name: 'Anna', password: PASSWORD })).status, 429);
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const run = (address: string) =>
    withKeys(keyed.dataDir, (admin) => unlock({ rest: [address] }, { admin, clock: keyed.clock, say: note, note }));
  await t.rejects(run('nobody'), { name: 'WrongWords' });
  await run('127.0.0.1');
  t.match(notes, [/127\.0\.0\.1 can call again/]);
  t.equal((await page.signIn({ name: 'Anna', password: PASSWORD })).status, 201);
});

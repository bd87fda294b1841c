/** How attempts to sign in by name and password take turns, and what slows them down. */
import { randomBytes, scryptSync } from 'node:crypto';
import t from 'tap';
import { newId, newStamp } from '../../lib/access/people/live-people.ts';
import { Passwords } from '../../lib/access/people/sign-in.ts';
import type { Person } from '../../lib/access/tables.ts';
import { VirtualClock } from '../../simulator/clock.ts';

const RIGHT = 'nine quiet owls';

function personOf(name: string): Person {
  const salt = randomBytes(16);
  const hash = scryptSync(RIGHT, salt, 32, { N: 1_024, r: 8, p: 1 });
  const password = `scrypt$1024$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  const times = { stamp: newStamp(), created_at: '2026-01-01T00:00:00.000Z' };
  return { id: newId(), name, role: 'viewer', units: null, tags: null, until: null, password, ...times };
}

function rig(home: readonly string[] = []) {
  const clock = new VirtualClock();
  const anybody = personOf('somebody');
  const people = new Map(['anna', 'max'].map((name) => [name, personOf(name)]));
  // A name that nobody has takes the full work of scrypt, which this test has no time for.
  const named = (name: string) => people.get(name.toLowerCase()) ?? anybody;
  const isHome = (_person: Person, prefix: string) => home.includes(prefix);
  const passwords = new Passwords({ clock, named, isHome, wrong: () => {} });
  const order: string[] = [];
  const check = async (name: string, password: string, address: string, signal = new AbortController().signal) => {
    try {
      const found = await passwords.check(name, password, address, signal);
      order.push(`${address} ${found ? 'in' : 'wrong'}`);
      return found ? 201 : 401;
    } catch (error) {
      order.push(`${address} refused`);
      return (error as { status?: number }).status ?? 0;
    }
  };
  return { clock, passwords, check, order };
}

t.test('when forty addresses guess, a right password from another address is next', async (t) => {
  const { check, order, clock } = rig();
  const guess = (number: number) => check(`somebody ${number}`, 'wrong', `198.51.100.${number}`);
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  await Promise.all(numbers.map(guess));
  await clock.advance(1_000);
  order.length = 0;
  const flood = numbers.map(guess);
  const right = check('anna', RIGHT, '192.0.2.1');
  t.equal(await right, 201);
  t.ok(order.length <= 2, `${order.length - 1} guesses were before it`);
  await Promise.all(flood);
});

for (const order of ['before', 'after'] as const)
  t.test(`forty fresh networks guess ${order} a right password: at most two are answered before it`, async (t) => {
    const rigged = rig();
    const { check } = rigged;
    const flood = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => check('x', 'wrong', `203.0.${from + index}.7`));
    const before = flood(0, order === 'before' ? 40 : 1);
    const right = check('anna', RIGHT, '192.0.2.1');
    const after = flood(before.length, 40);
    t.equal(await right, 201);
    t.ok(rigged.order.length <= 3, `${rigged.order.length - 1} guesses were before it`);
    await Promise.all([...before, ...after]);
  });

t.test(
  'while more and more addresses of a /24 guess, a right password from elsewhere waits for at most two',
  async (t) => {
    const { check, order } = rig();
    await check('x', 'wrong', '198.51.100.1');
    order.length = 0;
    const guess = (number: number) => check(`somebody ${number}`, 'wrong', `198.51.100.${number}`);
    const first = guess(2);
    const right = check('anna', RIGHT, '192.0.2.1');
    const flood = Array.from({ length: 40 }, (_, index) => guess(index + 3));
    t.equal(await right, 201);
    t.ok(order.length <= 3, `${order.length - 1} guesses were before it`);
    t.equal(await check('max', RIGHT, '198.51.100.99'), 201, 'and nobody of the /24 is locked out');
    await Promise.all([first, ...flood]);
  },
);

t.test('when guesses have all places, a caller without wrong tries gets a place', async (t) => {
  const { check } = rig();
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  const flood = numbers.flatMap((number) => [1, 2].map(() => check('x', 'wrong', `198.51.100.${number}`)));
  t.equal(await check('anna', RIGHT, '192.0.2.1'), 201);
  t.ok((await Promise.all(flood)).includes(429));
});

t.test('one IPv6 customer with many networks is slowed down as one', async (t) => {
  const { check, clock } = rig();
  const statuses = [];
  for (let network = 0; network < 22; network++) {
    statuses.push(await check(`somebody ${network}`, 'wrong', `2001:db8:1:${network.toString(16)}::1`));
  }
  t.strictSame(statuses, [...Array.from({ length: 21 }, () => 401), 429]);
  t.equal(await check('anna', RIGHT, '2001:db8:1:ffff::1'), 429);
  t.equal(await check('anna', RIGHT, '2001:db8:2::1'), 201, 'the next /48 is another one');
  await clock.advance(1_000);
  t.equal(await check('anna', RIGHT, '2001:db8:1:ffff::1'), 201);
});

t.test('a name that many addresses guess waits, but not for an address where its person was signed in', async (t) => {
  const { check, clock } = rig(['192.0.2.9']);
  for (let address = 1; address <= 21; address++) t.equal(await check('Anna', 'wrong', `198.51.100.${address}`), 401);
  t.equal(await check('anna', RIGHT, '192.0.2.1'), 429);
  t.equal(await check('anna', RIGHT, '192.0.2.9'), 201);
  t.equal(await check('max', RIGHT, '192.0.2.1'), 201, 'another name does not wait');
  await clock.advance(10_000);
  t.equal(await check('anna', RIGHT, '192.0.2.1'), 201);
});

t.test('a caller that leaves before its turn costs no work and no wrong try', async (t) => {
  const { check, order, passwords } = rig();
  const first = check('x', 'wrong', '198.51.100.1');
  const gone = new AbortController();
  const left = Array.from({ length: 4 }, () => check('x', 'wrong', '192.0.2.7', gone.signal));
  gone.abort(new Error('left'));
  await Promise.all(left);
  t.strictSame(
    order,
    Array.from({ length: 4 }, () => '192.0.2.7 refused'),
    'none waits for the first',
  );
  await first;
  t.equal(passwords.waitOf('192.0.2.7'), 0);
  t.equal(await check('anna', RIGHT, '192.0.2.7'), 201);
});

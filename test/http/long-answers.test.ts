/** Long answers take turns: a queue for each caller and in all, by weight, and a refusal beyond it. */
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { LongAnswers } from '../../lib/http/long-answers.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { BASE, route, serve } from './serve.ts';

const forEver = new AbortController().signal;
const turns = async () => {
  for (let count = 0; count < 10; count++) await new Promise((resolve) => setImmediate(resolve));
};

function asking() {
  const clock = new VirtualClock();
  const answers = new LongAnswers(clock);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = async (name: string, caller: string, weight: number) => {
    ends.set(name, await answers.turn(caller, weight, 30_000, forEver));
    begun.push(name);
  };
  return { clock, begun, ends, ask };
}

t.test('for one caller one year is made at a time, in order; others do not wait', async (t) => {
  const { clock, begun, ends, ask } = asking();
  ask('a1', 'a', 365);
  ask('a2', 'a', 365);
  ask('a3', 'a', 36_525);
  ask('b1', 'b', 365);
  ask('c1', 'c', 365);
  ask('c2', 'c', 1);
  await turns();
  t.strictSame(begun, ['a1', 'b1'], 'c1 finds no room, and nothing overtakes it');
  ends.get('a1')?.();
  ends.get('a1')?.();
  await turns();
  t.strictSame(begun, ['a1', 'b1', 'a2'], 'in the order in which they came');
  ends.get('b1')?.();
  await turns();
  t.strictSame(begun, ['a1', 'b1', 'a2', 'c1', 'c2']);
  for (const name of ['a2', 'c1', 'c2']) ends.get(name)?.();
  await turns();
  t.equal(begun.at(-1), 'a3', 'one that is heavier than all goes, too');
  ends.get('a3')?.();
  await turns();
  t.equal(clock.pending, 0);
});

t.test(
  'a caller that waits too long, or finds no place, gets Retry-After; a caller that leaves has no place',
  async (t) => {
    const clock = new VirtualClock();
    const answers = new LongAnswers(clock);
    const first = await answers.turn('a', 365, 30_000, forEver);
    const late = t.rejects(answers.turn('a', 365, 1_000, forEver), { code: 'BUSY', headers: { 'Retry-After': '5' } });
    await clock.advance(1_000);
    await late;
    const gone = new AbortController();
    const left = t.rejects(answers.turn('a', 365, 30_000, gone.signal), { message: 'gone' });
    gone.abort(new Error('gone'));
    await left;
    const waiting = Array.from({ length: 20 }, () => answers.turn('a', 365, 30_000, forEver));
    await t.rejects(answers.turn('a', 1, 30_000, forEver), { code: 'BUSY' });
    const other = await answers.turn('b', 1, 30_000, forEver);
    other();
    first();
    for (const turn of waiting) (await turn)();
    t.equal(clock.pending, 0);
  },
);

t.test(
  'callers that wait have their turns one after the other, however many requests each of them has sent',
  async (t) => {
    const { begun, ends, ask } = asking();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1']) ask(name, name[0] ?? '', 370);
    for (let n = 0; n < 6; n++) {
      await turns();
      ends.get(begun[n] ?? '')?.();
    }
    t.strictSame(begun.slice(0, 6), ['a1', 'b1', 'a2', 'b2', 'c1', 'a3'], 'c waits for one of each of the others');
  },
);

t.test('while a hundred requests wait, a caller without a waiting request still has a place', async (t) => {
  const answers = new LongAnswers(new VirtualClock());
  const given = new AbortController();
  const wait = (caller: string) => answers.turn(caller, 370, 30_000, given.signal);
  await Promise.all(['x', 'y'].map(wait));
  const waiting = Array.from({ length: 100 }, (_, n) => wait(`caller ${n % 5}`));
  const ended = Promise.allSettled([...waiting, wait('late')]);
  await t.rejects(wait('late'), { code: 'BUSY' }, 'but not two');
  given.abort(new Error('the end'));
  for (const { status, ...how } of await ended) t.match({ status, ...how }, { reason: { message: 'the end' } });
});

t.test('a place is held a minute at the most, however slowly the answer is read', async (t) => {
  const clock = new VirtualClock();
  const answers = new LongAnswers(clock);
  await answers.turn('a', 365, 30_000, forEver);
  const next = answers.turn('a', 365, 120_000, forEver);
  await clock.advance(60_000);
  (await next)();
  t.equal(clock.pending, 0);
});

t.test('50 requests at once are all answered or refused, and never two are worked on together', async (t) => {
  let running = 0;
  let most = 0;
  const heavy = route({
    cost: () => 365,
    answer: { n: { type: 'integer' } },
    async handle() {
      running += 1;
      most = Math.max(most, running);
      await turns();
      running -= 1;
      return { n: 1 };
    },
  });
  const { ask } = await serve(t, { routes: [heavy] });
  const path = `${BASE}/roof/thing`;
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('GET', path)));
  const refused = answers.filter(({ status }) => status === 503);
  t.equal(most, 1);
  t.equal(answers.filter(({ status }) => status === 200).length + refused.length, 50);
  t.ok(refused.length > 0);
  t.ok(refused.every(({ body, headers }) => body.code === 'BUSY' && headers.get('retry-after') === '5'));
  t.equal((await ask('GET', path)).status, 200, 'and then there is room again');
});

t.test(
  'requests for long answers that arrive in one segment are begun one by one, with room for others in between',
  async (t) => {
    const MANY = 8;
    let turn = 0;
    let isCounting = true;
    const counting = (async () => {
      for (; isCounting; turn++) await nextTurn();
    })();
    const begunAt: number[] = [];
    const heavy = route({
      cost: () => 1,
      answer: { n: { type: 'integer' } },
      handle() {
        begunAt.push(turn);
        return { n: 1 };
      },
    });
    const { http } = await serve(t, { routes: [heavy] });
    const socket = connect(http.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    let answered = 0;
    const all = new Promise<void>((resolve) => {
      socket.setEncoding('latin1').on('data', (text: string) => {
        answered += text.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
        if (answered === MANY) resolve();
      });
    });
    socket.write(`GET ${BASE}/roof/thing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(MANY));
    await all;
    isCounting = false;
    await counting;
    t.equal(begunAt.length, MANY);
    t.equal(new Set(begunAt).size, MANY, 'each in a turn of the event loop of its own');
  },
);

import t from 'tap';
import { createCounters } from '../../lib/domain/fields/counters.ts';
import { GatewayError } from '../../lib/errors.ts';
import { type CallerLimits, type Priority, Queue, type QueuedWork } from '../../lib/meter/queue.ts';
import { METER_DEFAULTS } from '../../lib/meter/settings.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { outcome } from './support/bench.ts';

function createQueue({ limit = 32 } = {}) {
  const clock = new VirtualClock();
  const unit = { counters: createCounters() };
  const settings = { ...METER_DEFAULTS, queueLimit: limit, spacingMs: 1_000 };
  const queue = new Queue({ unitId: 'roof', clock, settings, unit });
  return { clock, queue, counters: unit.counters };
}

const work = async () => {};
const read = (label: string): QueuedWork => ({ label, join: label, work });
const change = (label: string): QueuedWork => ({ label, join: undefined, work });
const waiter = (priority: Priority = 'operator', more: Partial<CallerLimits> = {}): CallerLimits => ({
  signal: new AbortController().signal,
  deadlineMs: 30_000,
  priority,
  ...more,
});
/** Labels in the order in which they are served. */
function serveAll(queue: Queue): string[] {
  const order: string[] = [];
  for (let turn = queue.take(); turn; turn = queue.take()) {
    order.push(turn.job.label);
    turn.resolve(turn.job.label);
  }
  return order;
}

t.test('a read that allows it is joined while it runs, until it is answered or a setting changes', async (t) => {
  const { queue } = createQueue();
  let young = true;
  const reading: QueuedWork = { ...read('live'), joinWhile: () => young };
  const first = queue.add(reading, waiter('background'));
  const turn = queue.take();
  const second = queue.add(reading, waiter());
  t.equal(queue.length, 0, 'it needs no turn of its own');
  t.equal(turn?.callers, 2);
  turn?.resolve('43.7');
  t.same(await Promise.all([first, second]), ['43.7', '43.7']);
  queue.add(reading, waiter());
  t.equal(queue.length, 1, 'what is over is not joined');
  queue.take();
  young = false;
  queue.add(reading, waiter());
  t.equal(queue.length, 1, 'nor what is too old');
  young = true;
  queue.take();
  queue.add(change('Measure,Start'), waiter());
  queue.add(reading, waiter());
  t.equal(queue.length, 2, 'nor what was begun before a change was asked for');
});

t.test('a read queued after a setting does not join a read queued before it', async (t) => {
  const { queue } = createQueue();
  queue.add(read('Clock?'), waiter());
  queue.add(change('Clock,2025/12/24 02:00:00'), waiter());
  queue.add(read('Clock?'), waiter());
  queue.add(read('Clock?'), waiter());
  t.same(serveAll(queue), ['Clock?', 'Clock,2025/12/24 02:00:00', 'Clock?']);
});

t.test('a background read that an operator joins gets the place of the operator', async (t) => {
  const { queue } = createQueue();
  queue.add(read('other'), waiter('background'));
  queue.add(read('DOD?'), waiter('background'));
  queue.add(read('first'), waiter());
  queue.add(read('DOD?'), waiter());
  t.same(serveAll(queue), ['first', 'DOD?', 'other']);
});

t.test('a full queue answers DEVICE_BUSY with Retry-After, and still lets equal reads join', async (t) => {
  const { queue } = createQueue({ limit: 2 });
  queue.add(read('a'), waiter());
  queue.add(change('b'), waiter());
  const busy = queue.add(read('c'), waiter());
  await t.rejects(busy, { code: 'DEVICE_BUSY', status: 503, headers: { 'Retry-After': '2' } });
  t.equal(queue.length, 2);

  const { queue: joinable } = createQueue({ limit: 1 });
  joinable.add(read('a'), waiter());
  const joined = joinable.add(read('a'), waiter());
  joinable.take()?.resolve('value');
  t.equal(await joined, 'value');
});

t.test('a deadline holds while the job runs too: its caller is answered, the job goes on for the others', async (t) => {
  const { clock, queue } = createQueue();
  const hasty = outcome(queue.add(read('DOD?'), waiter('operator', { deadlineMs: 100 })));
  const patient = queue.add(read('DOD?'), waiter('operator', { deadlineMs: 20_000 }));
  const turn = queue.take();
  await clock.advance(10_000);
  t.equal(await hasty, 'DEVICE_TIMEOUT');
  t.equal(turn?.callers, 1);
  t.notOk(turn?.abandoned);
  turn?.resolve('value');
  t.equal(await patient, 'value');
  t.equal(clock.pending, 0);
});

t.test(
  'when the caller of a change runs out of time, the error says that its effect is not known, and the job is abandoned',
  async (t) => {
    const { clock, queue } = createQueue();
    const work = queue.add(change('Measure,Start'), waiter('operator', { deadlineMs: 100 }));
    work.catch(() => {});
    const turn = queue.take();
    await clock.advance(100);
    await t.rejects(work, {
      code: 'DEVICE_TIMEOUT',
      message: /within 0.1 s.*whether it took effect is not known/,
    });
    t.ok(turn?.abandoned);
    turn?.resolve(undefined);
    t.equal(clock.pending, 0);
  },
);

t.test('a caller that hangs up while the job runs still gets its outcome written', async (t) => {
  const { queue } = createQueue();
  const leaver = new AbortController();
  const work = queue.add(read('DOD?'), waiter('operator', { signal: leaver.signal }));
  const turn = queue.take();
  leaver.abort(new Error('hung up'));
  t.ok(turn?.abandoned);
  turn?.resolve('value');
  t.equal(await work, 'value');
});

t.test('when its caller leaves, a waiting job is dropped, unless another caller wants it too', async (t) => {
  const { clock, queue } = createQueue();
  const leaver = new AbortController();
  const left = queue.add(read('DOD?'), waiter('operator', { signal: leaver.signal }));
  const stayed = queue.add(read('DOD?'), waiter());
  const alone = queue.add(change('b'), waiter('operator', { signal: leaver.signal }));
  leaver.abort(new Error('gone'));
  await t.rejects(left, { message: 'gone' });
  await t.rejects(alone, { message: 'gone' });
  t.equal(queue.length, 1);
  queue.take()?.resolve('value');
  t.equal(await stayed, 'value');
  t.equal(clock.pending, 0);
});

t.test('a caller that has gone already does not get in', async (t) => {
  const { clock, queue } = createQueue();
  await t.rejects(queue.add(read('DOD?'), waiter('operator', { signal: AbortSignal.abort(new Error('gone')) })), {
    message: 'gone',
  });
  t.equal(queue.length, 0);
  t.equal(clock.pending, 0);
});

t.test('a line that does not answer fails all callers that wait for it, and no job that needs no line', async (t) => {
  const { queue } = createQueue();
  const waiting = [queue.add(read('a'), waiter()), queue.add(read('b'), waiter('background'))].map(outcome);
  queue.add({ ...change('FTP'), offline: true }, waiter());
  queue.fail(new GatewayError('DEVICE_TIMEOUT', 'no connection'));
  t.same(await Promise.all(waiting), ['DEVICE_TIMEOUT', 'DEVICE_TIMEOUT']);
  t.same(serveAll(queue), ['FTP']);
});

t.test('a request that the stream holds back after it came waits longer than its deadline', async (t) => {
  const { clock, queue } = createQueue();
  const ended = outcome(queue.add(read('Sleep Mode?'), waiter()));
  await clock.advance(1_000);
  t.equal(
    queue.next(() => false),
    undefined,
    'the stream holds it back now',
  );
  await clock.advance(40_000);
  t.equal(queue.take()?.job.label, 'Sleep Mode?', 'it still waits');
  await clock.advance(60_000);
  t.equal(await ended, 'DEVICE_TIMEOUT', 'its deadline counts from its turn');
});

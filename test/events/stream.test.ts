/** One stream for everybody: numbered for each unit, in one order for all, and nobody's fault is another's. */
import t from 'tap';
import type { GatewayEvent } from '../../lib/events/contract.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import type { Log } from '../../lib/log.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { standIn } from '../support/stand-in.ts';

function setup() {
  const errors: object[] = [];
  const log = standIn<Log>({ error: (entry: object | string) => void errors.push(Object(entry)) });
  const clock = new VirtualClock();
  return { errors, clock, events: createEventStream(clock, log) };
}
const created = { change: 'created' } as const;
const removed = { change: 'removed' } as const;

t.test('the events of a unit are numbered without a hole, each with both times', async (t) => {
  const { events, clock } = setup();
  const seen: GatewayEvent[] = [];
  events.on('config', (event) => seen.push(event));
  events.publish('roof', 'config', created);
  events.publish('yard', 'config', created);
  events.publish('roof', 'config', removed);
  t.strictSame(
    seen.map(({ unitId, seq }) => `${unitId} ${seq}`),
    ['roof 1', 'yard 1', 'roof 2'],
  );
  t.equal(seen[0]?.time, clock.now());
  t.equal(seen[0]?.elapsed, clock.elapsed());
});

t.test('an event that a listener publishes comes after the present event, for everybody', async (t) => {
  const { events } = setup();
  const seen: string[] = [];
  events.on('config', ({ data }) => {
    if (data.change === 'created') events.publish('roof', 'config', removed);
  });
  events.on('config', ({ data }) => seen.push(data.change));
  events.publish('roof', 'config', created);
  t.strictSame(seen, ['created', 'removed']);
});

t.test('a listener that throws is logged, and the others get the event', async (t) => {
  const { events, errors } = setup();
  let heard = 0;
  events.on('config', () => {
    throw new Error('mine');
  });
  events.on('config', () => heard++);
  t.doesNotThrow(() => events.publish('roof', 'config', created));
  t.equal(heard, 1);
  t.match(errors, [{ unit_id: 'roof', event: 'config', error: 'mine' }]);
});

t.test(
  'the same function given twice is two listeners with a disposer each; each gets only events of its kind',
  async (t) => {
    const { events } = setup();
    let heard = 0;
    const listener = () => heard++;
    const first = events.on('config', listener);
    events.on('config', listener);
    events.on('job', () => t.fail('another kind'));
    first();
    first();
    events.publish('roof', 'config', created);
    t.equal(heard, 1);
  },
);

t.test('a listener gets only events of units that are in its set when the event comes', async (t) => {
  const { events } = setup();
  const units = new Set(['roof']);
  const seen: string[] = [];
  events.on('config', ({ unitId }) => seen.push(unitId), { units });
  events.publish('roof', 'config', created);
  events.publish('yard', 'config', created);
  units.add('yard').delete('roof');
  events.publish('roof', 'config', removed);
  events.publish('yard', 'config', removed);
  t.strictSame(seen, ['roof', 'yard']);
});

t.test(
  'a listener that hears later comes after all promises that are settled, and at the latest before the next event',
  async (t) => {
    const { events, errors } = setup();
    const seen: string[] = [];
    const late = (at: string) => {
      seen.push(`late ${at}`);
      if (at === 'yard') events.publish('shed', 'removal', {});
      if (at === 'barn') throw new Error('late and wrong');
    };
    events.on('config', ({ unitId }) => late(unitId), { later: true });
    events.on('config', ({ unitId }) => seen.push(unitId));
    events.on('removal', ({ unitId }) => seen.push(`gone ${unitId}`));
    events.publish('roof', 'config', created);
    for (let times = 0; times < 100; times++) await undefined;
    t.strictSame(seen, ['roof']);
    events.publish('yard', 'config', created);
    t.strictSame(seen, ['roof', 'late roof', 'yard'], 'in the order of the events');
    await new Promise((resolve) => setImmediate(resolve));
    t.strictSame(seen.slice(3), ['late yard', 'gone shed'], 'its own event comes, too');
    events.publish('barn', 'config', created);
    await new Promise((resolve) => setImmediate(resolve));
    t.match(errors, [{ unit_id: 'barn', error: 'late and wrong' }]);
  },
);

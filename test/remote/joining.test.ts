/** Equal reservations of the gateway share one run, as in one process. */
import t from 'tap';
import type { Reservation } from '../../lib/meter/contract.ts';
import { data, OK, outcome, patient } from '../meter/support/bench.ts';
import { twoInstances } from './support/two-instances.ts';

const CLOCK = data('2026/11/21 06:00:07');

t.test(
  'equal work that has begun is shared while its joinWhile holds, and what it brings is the same object',
  async (t) => {
    const { clock, device, gateway } = twoInstances(t);
    const { meter } = gateway();
    device.expect('Type?', data('NL-43')).expect('Clock?', 1_000, CLOCK);
    let isYoung = true;
    let runs = 0;
    const work = async (on: Reservation) => {
      runs += 1;
      return { model: await on.perform('model'), clock: await on.perform('clock') };
    };
    const read = () => meter.reserve('live', work, patient(), { join: 'live', joinWhile: () => isYoung, isRead: true });
    const first = read();
    await clock.advance(1_500);
    t.same(device.commands, ['Type?', 'Clock?']);
    const joined = read();
    await clock.advance(10);
    isYoung = false;
    device.expect('Type?', data('NL-43')).expect('Clock?', CLOCK);
    const later = read();
    t.equal(await clock.until(joined), await first);
    t.not(await clock.until(later), await first);
    t.equal(runs, 2);
    t.equal(meter.report().counters.joined, 1);
    device.verify(t);
  },
);

t.test('work that may change something ends the joining', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Clock?', 1_000, CLOCK).expect('Pause,On', OK).expect('Clock?', CLOCK);
  let runs = 0;
  const work = async (on: Reservation) => {
    runs += 1;
    return on.perform('clock');
  };
  const read = () => meter.reserve('live', work, patient(), { join: 'live', joinWhile: () => true, isRead: true });
  const first = read();
  await clock.advance(500);
  const pause = meter.perform('pause', patient());
  const second = read();
  await clock.until(Promise.all([first, pause, second]));
  t.equal(runs, 2);
});

t.test('the work of a caller that has no time left is done for those who joined it', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Type?', 3_000, data('NL-43')).expect('Clock?', CLOCK);
  const busy = meter.perform('model', patient());
  const read = (deadlineMs: number) =>
    meter.reserve('live', (on) => on.perform('clock'), patient({ deadlineMs }), { join: 'live', isRead: true });
  const hasty = outcome(read(1_000));
  const calm = read(20_000);
  t.equal(await clock.until(hasty), 'QUEUE_TIMEOUT');
  t.equal(await clock.until(calm), '2026/11/21 06:00:07');
  await busy;
  device.verify(t);
});

t.test('work that fails fails for all who share it, with the same error', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Clock?', CLOCK);
  const fault = new Error('mine');
  const work = async (on: Reservation) => {
    await on.perform('clock');
    throw fault;
  };
  const read = () => outcome(meter.reserve('live', work, patient(), { join: 'live', isRead: true }));
  t.same(await clock.until(Promise.all([read(), read(), read()])), [fault, fault, fault]);
});

t.test('a background reading learns that an operator waits', async (t) => {
  const { clock, device, gateway } = twoInstances(t);
  const { meter } = gateway();
  device.expect('Clock?', 1_000, CLOCK).expect('Type?', data('NL-43'));
  const seen: boolean[] = [];
  const work = async (on: Reservation) => {
    seen.push(on.shouldYield);
    await on.perform('clock');
    seen.push(on.shouldYield);
  };
  const read = meter.reserve('poll', work, patient({ priority: 'background' }), { isRead: true });
  await clock.advance(500);
  const asked = meter.perform('model', patient());
  await clock.until(Promise.all([read, asked]));
  t.same(seen, [false, true]);
});

/** The poller of one meter beside viewers and operators. The meter is a list of its requests. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { FeedStatus } from '../../lib/meter/contract.ts';
import { Poller } from '../../plugins/polling/poller.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const MINUTE = 60_000;

function setup() {
  const clock = new VirtualClock();
  const readings: number[] = [];
  const feed: { state: FeedStatus } = { state: 'ok' };
  const seen = { watchers: 0, levelsAt: Number.NEGATIVE_INFINITY, fault: undefined as Error | undefined };
  const meter = {
    feed,
    unitId: 'roof',
    assertCan() {},
    can: () => false,
    isWorthAsking: () => false,
    async reserve(_label: string, _work: unknown, _caller: unknown, options?: { readonly join?: string }) {
      if (options?.join !== 'live') return;
      readings.push(clock.elapsed());
      if (seen.fault) throw seen.fault;
      seen.levelsAt = clock.elapsed();
    },
  };
  const host = standIn<ConstructorParameters<typeof Poller>[1]>({
    clock,
    families: createFamilies(),
    settings: { slowest_seconds: 300 },
    log: { error: () => {} },
    publish: () => {},
    meter: () => meter,
    report: () => ({ watchers: seen.watchers }),
    reachability: () => ({ reachable: true }),
    status: { of: () => ({ age: () => clock.elapsed() - seen.levelsAt }) },
  });
  const poller = new Poller(deviceConfig({ pollEnabled: true, pollIntervalSeconds: 60 }), host);
  t.teardown(() => poller.stop());
  return { clock, readings, feed, seen, poller };
}

t.test('beside a stream that is watched the display is read every five minutes and no more often', async (t) => {
  const { clock, readings, seen, poller } = setup();
  await clock.advance(2 * MINUTE);
  const before = readings.length;
  seen.watchers = 1;
  await clock.advance(30 * MINUTE);
  const gaps = readings.slice(before).map((at, index) => at - (readings[before + index - 1] ?? 0));
  t.ok(gaps.length >= 4 && gaps.length <= 6, `${gaps.length} readings in half an hour`);
  t.ok(
    gaps.every((ms) => ms >= 5 * MINUTE && ms <= 6.2 * MINUTE),
    gaps.join(),
  );
  t.equal(poller.report.state, 'streaming');
});

t.test('a display that cannot be read does not interrupt the stream more often', async (t) => {
  const { clock, readings, seen } = setup();
  seen.watchers = 1;
  seen.fault = new GatewayError('DEVICE_GARBLED', 'x');
  await clock.advance(30 * MINUTE);
  t.ok(readings.length <= 6, `${readings.length}`);
});

t.test('while the stream is lost, readings go on at their own pace', async (t) => {
  const { clock, readings, seen, feed } = setup();
  seen.watchers = 1;
  feed.state = 'lost';
  await clock.advance(10 * MINUTE);
  t.ok(readings.length >= 9, `${readings.length}`);
});

t.test('a reading that only waited behind operators is no error; a finished reading has its time', async (t) => {
  const { clock, seen, poller } = setup();
  for (const code of ['QUEUE_TIMEOUT', 'DEVICE_BUSY'] as const) {
    seen.fault = new GatewayError(code, 'operators were first');
    await clock.advance(2 * MINUTE);
    t.equal(poller.report.lastError, null, code);
  }
  seen.fault = new GatewayError('DEVICE_TIMEOUT', 'no answer');
  await clock.advance(2 * MINUTE);
  t.match(poller.report.lastError, { code: 'DEVICE_TIMEOUT', resolvedAt: null });
  seen.fault = undefined;
  await clock.advance(2 * MINUTE);
  t.match(poller.report.lastError, { code: 'DEVICE_TIMEOUT', resolvedAt: Number });
});

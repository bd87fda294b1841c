/** A meter that answers every command but brings no stream, while somebody watches: a whole session and its poller. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { createLog } from '../../lib/log.ts';
import { createStatus } from '../../lib/status/projection.ts';
import type { Snapshot } from '../../lib/store/contract.ts';
import { Poller } from '../../plugins/polling/poller.ts';
import { createBench, data } from '../meter/support/bench.ts';
import { Viewer } from '../meter/support/viewer.ts';
import { deviceConfig } from '../support/config.ts';
import { standIn } from '../support/stand-in.ts';

const MISSING = Array(13).fill('  -.-').join();
const DISPLAY = [` 45.8,${MISSING},0,0`, ...Array(3).fill(`  -.-,${MISSING},-,-`)].join();

t.test('levels, battery and card stay fresh, and the stream is tried less and less', async (t) => {
  const { clock, device, meter, events } = createBench(t);
  const log = createLog('silent');
  let values = { levelsAt: null, batteryAt: null, cardAt: null, powerAt: null, unchangedSince: null } as Snapshot;
  const record = (_unit: string, given: Partial<Snapshot>) => {
    values = { ...values, ...given };
  };
  const status = createStatus({ events, snapshots: { get: () => values, record }, clock, log });
  device.always('DOD?', data(DISPLAY)).always('Measure?', data('Stop')).always('Battery Level?', data('Full'));
  device.always('SD Card Free Size?', data('100')).always('SD Card Total Size?', data('200'));
  device.always('DRD?status', 'R+0003\r\n$').always('Serial Number?', data('00144703'));
  device.always('DRD?');
  const host = standIn<ConstructorParameters<typeof Poller>[1]>({
    clock,
    log,
    status,
    publish: events.publish.bind(events),
    settings: { slowest_seconds: 300 },
    families: createFamilies(),
    meter: () => meter,
    report: () => meter.report(),
    reachability: () => meter.reachability,
  });
  const poller = new Poller(deviceConfig({ pollEnabled: true, pollIntervalSeconds: 60 }), host);
  t.teardown(() => poller.stop());
  t.teardown(meter.feed.watch(new Viewer()));
  await clock.advance(1_800_000);
  const times = (text: string) => device.commands.filter((each) => each === text).length;
  t.ok(times('DOD?') >= 25, `${times('DOD?')} readings`);
  for (const slow of ['Battery Level?', 'SD Card Free Size?']) t.ok(times(slow) >= 8, `${slow} ${times(slow)} times`);
  const tries = times('DRD?');
  t.ok(tries >= 20 && tries <= 60, `${tries} tries of the stream in half an hour`);
  t.ok(device.connects <= tries + 1, `${device.connects} connections`);
});

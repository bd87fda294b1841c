/** Requests of one reading to the meter. The meter is a list of commands; the test has its answers. */
import t from 'tap';
import type { OperationName } from '../../lib/drivers/contract.ts';
import { GatewayError } from '../../lib/errors.ts';
import { createEventStream } from '../../lib/events/stream.ts';
import { createLog } from '../../lib/log.ts';
import type { Caller, Meter, Reservation } from '../../lib/meter/contract.ts';
import { readLive } from '../../lib/status/live.ts';
import { createStatus } from '../../lib/status/projection.ts';
import type { Snapshot } from '../../lib/store/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { performing } from '../support/families/usual.ts';
import { standIn } from '../support/stand-in.ts';

const ROW = ` 45.8,${Array(13).fill('  -.-').join()},0,0`;
const OFF = `  -.-,${Array(13).fill('  -.-').join()},-,-`;
const ANSWERS: Readonly<Record<string, string>> = {
  'DOD?': [ROW, OFF, OFF, OFF].join(),
  'Measure?': 'Stop',
  'Battery Level?': 'Full',
  'SD Card Free Size?': '100',
  'SD Card Total Size?': '200',
  'Serial Number?': '00144703',
};

function setup() {
  const clock = new VirtualClock();
  const log = createLog('silent');
  const events = createEventStream(clock, log);
  let values = { levelsAt: null, batteryAt: null, cardAt: null, powerAt: null, unchangedSince: null } as Snapshot;
  const snapshots = {
    get: () => values,
    record: (_unit: string, given: Partial<Snapshot>) => {
      values = { ...values, ...given };
    },
  };
  const status = createStatus({ events, snapshots, clock, log });
  const seen = {
    worth: true,
    yields: false,
    watchers: 0,
    commands: [] as string[],
    lost: '',
    serial: '00144703' as string | null,
  };
  const does = performing({
    async send({ text, decode }) {
      seen.commands.push(text);
      if (text === seen.lost) throw new GatewayError('DEVICE_UNREACHABLE', 'The connection was lost.');
      return decode(ANSWERS[text] ?? '');
    },
    async peek({ text }) {
      seen.commands.push(text);
      return { supply: { powerSource: 'Battery' } };
    },
  });
  const reservation = {
    ...does.reservation,
    get shouldYield() {
      return seen.yields;
    },
  };
  const meter = standIn<Meter>({
    ...does.meter,
    unitId: 'roof',
    deviceState: { frequencyWeighting: 'A', timeWeighting: 'F', percentiles: [5, 10, 50, 90, 95] },
    get feed() {
      return standIn<Meter['feed']>({ watchers: seen.watchers });
    },
    get identity() {
      return { serialNumber: seen.serial, exchanged: null };
    },
    isWorthAsking: (name: OperationName) => seen.worth || name !== 'live',
    reserve: (_label: string, work: (reservation: Reservation) => Promise<unknown>) => work(reservation),
  });
  const read = (priority: Caller['priority']) =>
    readLive(
      {
        clock,
        log,
        status,
        configs: { get: () => undefined },
        publish: (unitId, kind, data) => events.publish(unitId, kind, data),
      },
      meter,
      { signal: new AbortController().signal, ...(priority && { priority }) },
    );
  const frame = (sdRemainingMb: number) =>
    events.publish('roof', 'reading', { values: { sdRemainingMb: String(sdRemainingMb), cardAt: clock.now() } });
  return { clock, seen, read, frame };
}

t.test('a reading asks for all old values, and not for new ones', async (t) => {
  const { seen, read, clock } = setup();
  const status = await read('operator');
  t.match(status.values, { lp: '45.8', batteryLevel: '100', sdFreeRatio: '50.0', powerSource: 'Battery' });
  t.equal(seen.commands.length, 6);
  await clock.advance(30_000);
  await read('background');
  t.same(seen.commands.slice(6), ['DOD?', 'Measure?']);
});

t.test('a background reading leaves the slow values to the next one when somebody more urgent waits', async (t) => {
  const { seen, read } = setup();
  seen.yields = true;
  await read('background');
  t.same(seen.commands, ['DOD?', 'Measure?']);
});

t.test(
  'a background reading beside a watched stream reads all old values, a person only values that were never read',
  async (t) => {
    const { seen, read, clock } = setup();
    seen.watchers = 1;
    await read('operator');
    const first = seen.commands.length;
    await clock.advance(300_000);
    await read('operator');
    t.same(seen.commands.slice(first), ['DOD?']);
    await clock.advance(300_000);
    await read('background');
    const all = ['DOD?', 'Battery Level?', 'SD Card Free Size?', 'SD Card Total Size?', 'DRD?status', 'Measure?'];
    t.same(seen.commands.slice(first + 1), all);
  },
);

t.test(
  'a display that could not be read three times is not asked for in the background; a person may ask',
  async (t) => {
    const { seen, read } = setup();
    seen.worth = false;
    const { values } = await read('background');
    t.same(seen.commands[0], 'Measure?');
    t.equal(values.measurementState, 'Stop');
    t.notOk(seen.commands.includes('DOD?'));
    await read('operator');
    t.ok(seen.commands.includes('DOD?'));
  },
);

t.test('a background reading asks once which meter it is', async (t) => {
  const { seen, read, clock } = setup();
  seen.serial = null;
  await read('operator');
  t.notOk(seen.commands.includes('Serial Number?'), 'a person is not kept waiting for it');
  await read('background');
  await clock.advance(300_000);
  await read('background');
  t.equal(seen.commands.filter((text) => text === 'Serial Number?').length, 1);
});

t.test(
  'when the meter ends the connection at the question for its serial number, the readings of the next hour do without it',
  async (t) => {
    const { seen, read, clock } = setup();
    seen.serial = null;
    seen.lost = 'Serial Number?';
    await t.rejects(read('background'), { code: 'DEVICE_UNREACHABLE' });
    await clock.advance(60_000);
    await read('background');
    await clock.advance(3_600_000);
    await t.rejects(read('background'), { code: 'DEVICE_UNREACHABLE' });
    t.equal(seen.commands.filter((text) => text === 'Serial Number?').length, 2);
  },
);

/** Conditions of a meter, and the time when they become an event. */
import t from 'tap';
import type { HistoryStatus } from '../../lib/history/contract.ts';
import { type ConditionName, conditionOf } from '../../plugins/alerts/rules/device/conditions.ts';
import { type DeviceRule, DeviceWatch } from '../../plugins/alerts/rules/device/device-kind.ts';
import type { Facts } from '../../plugins/alerts/rules/kind.ts';
import { english } from '../../plugins/alerts/rules/sentences.ts';
import { standIn } from '../support/stand-in.ts';

const rule = (condition: ConditionName, more: Partial<DeviceRule> = {}): DeviceRule => ({
  name: 'meter',
  enabled: true,
  severity: 'critical',
  targets: [],
  kind: 'device',
  condition,
  for: '1m',
  ...more,
});
const facts = (more: {
  reachability?: object;
  values?: object;
  ages?: Record<string, number>;
  state?: object;
  ftp?: boolean;
  recording?: HistoryStatus['state'];
  calibration?: object;
  drift?: object;
  stations?: object;
}) =>
  standIn<Facts>({
    reachability: more.reachability && { reason: 'why', ...more.reachability },
    state: more.state,
    status: {
      values: {
        measurementState: null,
        overRange: null,
        batteryLevel: null,
        sdFreeRatio: null,
        leq: null,
        le: null,
        ...more.values,
      },
      age: (moment: string) => more.ages?.[moment] ?? null,
    },
    pollIntervalSeconds: 60,
    ftpFailing: more.ftp,
    calibration: { checkedAt: null, validUntil: null, drift: null, ...more.calibration },
    drift: more.drift,
    stations: more.stations,
    now: Date.UTC(2026, 0, 31),
    today: () => '2026-01-31',
    recording: { state: more.recording ?? 'closed', reason: null },
  });
const bad = (wanted: DeviceRule, more: Parameters<typeof facts>[0], isOpen = false) =>
  conditionOf(wanted.condition).judge(facts(more), wanted, isOpen).isBad;

t.test('each condition is true, false, or not known', async (t) => {
  for (const [condition, isBad, isGood, more = {}] of [
    ['unreachable', { reachability: { state: 'offline' } }, { reachability: { state: 'online' } }],
    ['wedged', { reachability: { state: 'wedged' } }, { reachability: { state: 'offline' } }],
    ['asleep', { reachability: { state: 'asleep?' } }, { reachability: { state: 'online' } }],
    ['stale', { ages: { levelsAt: 181_000 } }, { ages: { levelsAt: 181_000, lpAt: 1_000 } }],
    ['not_measuring', { values: { measurementState: 'Stop' } }, { values: { measurementState: 'Measure' } }],
    ['over_range', { values: { overRange: true } }, { values: { overRange: false } }],
    ['battery_below', { values: { batteryLevel: '19' } }, { values: { batteryLevel: '20' } }, { threshold: 20 }],
    ['card_below', { values: { sdFreeRatio: '4.9' } }, { values: { sdFreeRatio: '5.0' } }, { threshold: 5 }],
    [
      'clock_off',
      { reachability: { state: 'online', clock: { offsetMs: -61_000 } } },
      { reachability: { state: 'online', clock: { offsetMs: 59_000 } } },
      { threshold: 60 },
    ],
    [
      'calibrator_expired',
      { calibration: { validUntil: '2026-01-30' } },
      { calibration: { validUntil: '2026-01-31' } },
    ],
    ['calibration_drift', { calibration: { drift: -0.51 } }, { calibration: { drift: 0.5 } }, { threshold: 0.5 }],
    ['ftp_failing', { ftp: true }, { ftp: false }],
    ['not_recorded', { recording: 'full' }, { recording: 'recording' }],
    [
      'settings_changed',
      {
        drift: {
          profile: 'night',
          state: 'differs',
          differences: [{ setting: 'lp_interval', wanted: '1s', found: '100ms' }],
        },
      },
      { drift: { profile: 'night', state: 'same', differences: [] } },
    ],
    [
      'station_silent',
      { stations: { count: 2, silent: [{ station: 'mast', lastAt: null }], isKnown: false } },
      { stations: { count: 0, silent: [], isKnown: true } },
    ],
    [
      'weighting_changed',
      { state: { frequencyWeighting: 'C', timeWeighting: 'F' } },
      { state: { frequencyWeighting: 'A', timeWeighting: 'F' } },
      { weighting: 'AF' },
    ],
  ] as const) {
    t.equal(bad(rule(condition, more), isBad), true, condition);
    t.equal(bad(rule(condition, more), isGood), false, condition);
    t.equal(bad(rule(condition, more), {}), undefined, `${condition}, not known`);
  }
  t.equal(bad(rule('station_silent'), { stations: { count: 1, silent: [], isKnown: false } }), undefined);
  const due = rule('calibration_due', { threshold: 30 });
  t.equal(bad(due, { calibration: { checkedAt: Date.UTC(2026, 0, 1) } }), false, 'exactly 30 days');
  t.equal(bad(due, { calibration: { checkedAt: Date.UTC(2026, 0, 1) - 1 } }), true);
  t.equal(bad(due, {}), true, 'no calibration is logged: that is due');
  t.equal(bad(rule('unreachable'), { reachability: { state: 'unknown' } }), undefined);
  const frozen = { measurementState: 'Measure', leq: '50.0', le: '60.0' };
  t.equal(bad(rule('frozen'), { values: frozen, ages: { unchangedSince: 90_000, levelsAt: 0 } }), true);
  t.equal(bad(rule('frozen'), { values: frozen, ages: { unchangedSince: 30_000, levelsAt: 0 } }), false);
});

t.test(
  'when the clock of the meter is wrong, the event says ahead or behind, with a figure without a sign',
  async (t) => {
    const detail = (offsetMs: number) => {
      const known = facts({ reachability: { state: 'online', clock: { offsetMs } } });
      return english(conditionOf('clock_off').judge(known, rule('clock_off', { threshold: 60 }), false).said);
    };
    t.equal(detail(-24_697_600), 'The clock of the meter is 24697.6 s behind.');
    t.equal(detail(61_000), 'The clock of the meter is 61 s ahead.');
  },
);

t.test('a battery around its threshold is one event', async (t) => {
  const battery = rule('battery_below', { threshold: 20 });
  t.equal(bad(battery, { values: { batteryLevel: '21' } }, true), true, 'still bad while it is open');
  t.equal(bad(battery, { values: { batteryLevel: '22' } }, true), false);
});

t.test('a condition must hold for its time; an unknown value neither opens nor ends an event', async (t) => {
  const watch = new DeviceWatch(rule('unreachable', { for: '1m' }), 'UTC', false);
  const at = (elapsed: number, state: string) =>
    watch.look(facts({ reachability: { state } }), { time: elapsed, elapsed })?.kind;
  t.equal(at(0, 'offline'), undefined);
  t.equal(at(50_000, 'online'), undefined, 'it was short');
  t.equal(at(60_000, 'offline'), undefined);
  t.equal(at(119_000, 'unknown'), undefined);
  t.equal(at(120_000, 'offline'), 'open');
  t.equal(at(130_000, 'offline'), undefined, 'once');
  t.equal(at(140_000, 'unknown'), undefined);
  t.equal(at(150_000, 'online'), 'close');
});

t.test('outside its schedule it is silent, and an event that was open before the restart ends', async (t) => {
  const schedule = [{ days: ['thu' as const], from: '01:00', to: '02:00' }];
  const watch = new DeviceWatch(rule('unreachable', { for: '0s', schedule }), 'UTC', true);
  const at = (time: number) => watch.look(facts({ reachability: { state: 'offline' } }), { time, elapsed: time })?.kind;
  t.equal(at(0), 'close', '1 January 1970, 00:00, a Thursday');
  t.equal(at(3_600_000), 'open');
  t.equal(at(7_200_000), 'close');
});

/** Alarms of a meter that is too loud, in words. */
import t from 'tap';
import type { AlertEvent, Budget } from '../../client/index.ts';
import { alarmsOf as alarmsAt, isOfLevels } from '../../web/state/alarms.ts';
import { standIn } from '../support/stand-in.ts';

const event = (more: Partial<AlertEvent> = {}) =>
  standIn<AlertEvent>({
    rule: '1',
    rule_name: 'Day limit',
    severity: 'warning',
    kind: 'level',
    what: 'leq',
    unit: 'dB',
    limit: 70,
    window_from: null,
    windows: null,
    window_to: null,
    opened_at: '2026-11-21T10:15:00.000Z',
    closed_at: null,
    worst: 78.3,
    detail: 'The Leq of 15 min is above 70 dB.',
    ack: null,
    sentences: {},
    ...more,
  });
const budget = (more: Partial<Budget> = {}) =>
  standIn<Budget>({
    rule: '1',
    name: 'Day limit',
    limit_db: 70,
    leq_so_far: 71.2,
    state: 'exceeded',
    window_from: '2026-11-21T10:15:00.000Z',
    window_to: '2026-11-21T10:30:00.000Z',
    ...more,
  });

const NOW = Date.parse('2026-11-21T11:02:00.000Z');
const alarmsOf = (events: readonly AlertEvent[], budgets: readonly Budget[], zone: string | null) =>
  alarmsAt(events, budgets, zone, NOW);

t.test('an open alert needs a person until somebody has seen it', async (t) => {
  const [alarm] = alarmsOf([event()], [], 'Europe/Berlin');
  t.match(alarm, { kind: 'act', name: 'Day limit', what: '78.3 dB at worst, 70.0 dB allowed.' });
  t.match(alarm?.todo, /^Since .*11:15.*, for 47 min\.$/, 'by the clock of its place');
  const covered = { windows: 4, window_from: '2026-11-21T10:15:00.000Z', window_to: '2026-11-21T11:15:00.000Z' };
  t.match(
    alarmsOf([event(covered)], [], 'Europe/Berlin')[0]?.todo,
    /for 47 min, in 4 windows, .*11:15.* to .*12:15.*\.$/,
    'with the windows in which it goes on',
  );
  const ack = { by: 'Night shift', at: '2026-11-21T10:20:00.000Z', note: 'Rang the site.', later: [] };
  t.match(alarmsOf([event({ ack })], [], null)[0], {
    kind: 'wait',
    todo: /Acknowledged by Night shift\. Rang the site\./,
  });
  t.match(alarmsOf([event({ severity: 'info' })], [], null)[0], { kind: 'wait' }, 'information needs nobody');
  const away = event({ kind: 'device', what: 'unreachable', unit: null, detail: 'It cannot be reached.' });
  t.match(alarmsOf([away], [], null)[0], { what: 'It cannot be reached.' }, 'the words of the gateway');
});

t.test('the text of an event does not depend on the name of the kind of its rule', async (t) => {
  const loud = event({ kind: 'of-a-plugin', window_from: '2026-11-21T10:15:00.000Z' });
  t.match(alarmsOf([loud], [], null)[0], { what: '78.3 dB at worst, 70.0 dB allowed.' });
  t.equal(isOfLevels(loud), true);
  const quiet = event({ kind: 'quiet', worst: 12, limit: 20, detail: 'It is too quiet.' });
  t.match(alarmsOf([quiet], [], null)[0], { what: 'It is too quiet.' }, 'what is below a limit is not above it');
  const drift = event({ kind: 'device', what: 'calibration_drift', worst: 0.8, limit: 0.5, detail: 'It drifted.' });
  t.equal(isOfLevels(drift), false, 'decibels of a drift are no levels of the history');
  t.match(alarmsOf([drift], [], null)[0], { what: 'It drifted.' });
  t.equal(isOfLevels(event({ kind: 'coverage', what: 'coverage', unit: '%', window_from: loud.opened_at })), false);
});

t.test('the worst comes first', async (t) => {
  const ack = { by: 'Night shift', at: '2026-11-21T10:20:00.000Z', note: '', later: [] };
  const events = [
    event({ rule_name: 'a', ack, severity: 'critical' }),
    event({ rule_name: 'b' }),
    event({ rule_name: 'c', severity: 'critical' }),
  ];
  t.strictSame(
    alarmsOf(events, [], null).map(({ name }) => name),
    ['c', 'b', 'a'],
  );
});

t.test('an exceeded limit without an alert needs attention, too, and is listed once', async (t) => {
  t.match(alarmsOf([], [budget()], 'UTC'), [
    {
      kind: 'act',
      name: 'Day limit',
      what: '71.2 dB so far, 70.0 dB allowed.',
      todo: /^The limit of .*21.*10:15.* to .*21.*10:30.* is exceeded\.$/,
    },
  ]);
  t.equal(alarmsOf([event()], [budget()], null).length, 1);
  t.equal(alarmsOf([], [budget({ state: 'warning' })], null).length, 0);
});

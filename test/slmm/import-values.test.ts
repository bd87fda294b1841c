/** Values, names and tables that an import cannot take as they are: each is named, in the check too. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { slm } from '../cli/setup.ts';
import { openWorld, type World } from '../support/world.ts';
import { writeDatabase } from './database.ts';

const AT = '2026-06-10 08:00:00.123456';
const minute = (number: number) => `2026-06-10 08:${String(number).padStart(2, '0')}:02.500000`;

let world: World;
t.before(async () => {
  world = await openWorld(t, { meters: 0 });
});

const send = (file: string, ...more: string[]) => slm(world, ['import-slmm', file, ...more]);
const fileIn = (t: Test) => join(t.testdir({}), 'slmm.db');

t.test('values of the wrong type become defaults or are left out; they do not stop the import', async (t) => {
  const hostile = {
    nl43_config: [
      {
        unit_id: 'odd',
        host: '192.0.2.9',
        tcp_port: 'drop table',
        tcp_enabled: 7,
        ftp_port: -1,
        ftp_password: 'a\r\nMeasure,Start',
        poll_interval_seconds: 1e9,
      },
      { unit_id: '../../etc', host: '192.0.2.9' },
      { unit_id: '\u0000', host: '192.0.2.9' },
      { unit_id: 'long', host: 'a'.repeat(5_000) },
    ],
    nl43_status: [{ unit_id: 'odd', last_seen: 'yesterday' }],
    nl43_readings: [
      { unit_id: 'odd', timestamp: '2026-13-45 99:99:99', lp: '50.0' },
      { unit_id: 'odd', timestamp: minute(1), lp: 1e300 },
    ],
    alert_rules: [{ id: -1, unit_id: 'odd', threshold_db: 'loud' }],
    alert_events: [{ unit_id: 'odd', onset_at: null }],
  };
  const file = writeDatabase(fileIn(t), hostile);
  const { out } = await send(file, '--check', '--json');
  const { taken, mended, left } = JSON.parse(out);
  t.match(taken, { units: 2, rules: 0, events: 0, readings: 0 });
  for (const words of [
    'The unit "../../etc" is called etc here.',
    'The unit odd: its tcp_port "drop table" cannot be used; it is 2255 here.',
    'The unit odd: its tcp_enabled "7" cannot be used; it is true here.',
    'The unit odd: its ftp_port "-1" cannot be used; it is 21 here.',
    'The unit odd: its ftp_password cannot be used; it is left out.',
    'The unit odd: its poll_interval_seconds "1000000000" cannot be used; it is 60 here.',
  ])
    t.ok(mended.includes(words), words);
  const said = left.join('\n');
  for (const words of [
    'The unit long: its host "aaaaaaaaaa',
    'The last values of "odd": no unit that is taken over, or no time.',
    '2 readings without',
    'An event of "odd" at "null"',
  ])
    t.ok(said.includes(words), words);
  t.notOk(out.includes('Measure,Start'));
  t.notOk((await send(file, '--json')).out.includes('Measure,Start'));
});

t.test('a rule that the gateway would refuse is refused by the check, in the same words', async (t) => {
  const rules = [
    { id: 1, unit_id: 'a', name: 'Days', metric: 'leq', threshold_db: 60, schedule_days: '0-4' },
    { id: 2, unit_id: 'a', name: 'Clock', metric: 'leq', threshold_db: 60, schedule_start: '25:00' },
    { id: 3, unit_id: 'a', name: 'Fine', metric: 'leq', threshold_db: 60, channels: 'log,email' },
    { id: 4, unit_id: 'a', name: 'What', metric: 'loudness', threshold_db: 60, comparison: 'over' },
  ];
  const rows = { nl43_config: [{ unit_id: 'a', host: '192.0.2.60', tcp_enabled: 0 }], alert_rules: rules };
  const file = writeDatabase(fileIn(t), rows);
  const own = await openWorld(t, { meters: 0 });
  const checked = await slm(own, ['import-slmm', file, '--check']);
  const done = await slm(own, ['import-slmm', file]);
  t.equal(checked.out.replace('would be', 'were'), done.out);
  t.match(done.out, /^1 unit, 1 rule/);
  for (const words of [
    /"Days" of a: /,
    /"Clock" of a: /,
    /"What" of a: /,
    /its channels .*log,email/,
    /comparison "over"/,
  ])
    t.match(done.out, words);
});

t.test('units whose names become alike stay apart', async (t) => {
  const off = { host: '192.0.2.60', tcp_enabled: 0 };
  const rows = {
    nl43_config: [
      { unit_id: 'yard 1', ...off },
      { unit_id: 'yard-1', ...off },
      { unit_id: 'gate 1', ...off },
      { unit_id: 'gate/1', ...off },
    ],
    nl43_readings: [
      { unit_id: 'yard 1', timestamp: minute(1), lp: '50.1' },
      { unit_id: 'yard-1', timestamp: minute(1), lp: '60.1' },
    ],
  };
  const own = await openWorld(t, { meters: 0 });
  const { out } = await slm(own, ['import-slmm', writeDatabase(fileIn(t), rows)]);
  t.match(out, /^2 units, 0 rules, 0 events and 1 reading/);
  t.match(out, 'A unit whose name cannot be used: "yard 1".');
  t.match(out, 'A unit whose name cannot be used: "gate/1".');
  t.strictSame(
    own.gateway.store.configs.list().map(({ unitId }) => unitId),
    ['gate-1', 'yard-1'],
  );
});

t.test('parts that another program or a later SLMM has added are named', async (t) => {
  const tables = {
    nl43_config: 'unit_id text primary key, host text, colour text',
    nl43_status: 'unit_id text primary key, last_seen datetime, lp text, lmax text, last_error text',
    'odd "name"': 'x text',
  };
  const rows = {
    nl43_config: [{ unit_id: 'a', host: '192.0.2.60', colour: 'red' }],
    nl43_status: [{ unit_id: 'a', last_seen: AT, lp: '-.-', lmax: '71.0', last_error: 'timeout' }],
  };
  const file = writeDatabase(fileIn(t), rows, { nl43_config: tables.nl43_config, nl43_status: tables.nl43_status });
  const other = new Database(file);
  other.exec('create table "odd ""name""" (x text); insert into "odd ""name""" values (1), (2)');
  other.close();
  const { out, code } = await send(file, '--check');
  t.equal(code, 0);
  for (const words of [
    '1 value of "colour" in nl43_config: the column is not known of SLMM.',
    'The table "odd \\"name\\"" with 2 rows: it is not known of SLMM.',
    '1 line of last values with Leq, Lmax',
    '1 state of the background readings (last_poll_attempt, last_success, last_error)',
  ])
    t.ok(out.includes(words), words);
});

/** `slm import-slmm`: databases of both eras of wrong levels, of early releases, and hostile ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { slm } from '../cli/setup.ts';
import { openWorld, type World } from '../support/world.ts';
import { writeDatabase } from './database.ts';

/** A line of DOD (64 fields) and one of DRD (counter and 32): space-padded, as the meter sends them. */
const channel = (levels: string) => levels.split(' ').map((level) => level.padStart(5));
const OFF_DOD = [...Array(14).fill(' -.-'), '-', '-'];
const LEVELS = channel('54.3 52.1 81.6 61.0 44.2 58.0 55.1 50.9 46.0 45.2 73.9 -.- -.- -.-');
const DOD = [...LEVELS, '0', '0', ...OFF_DOD, ...OFF_DOD, ...OFF_DOD].join(',');
const OFF_DRD = [...Array(6).fill(' -.-'), '-', '-'];
const FRAME = channel('48.6 48.4 49.0 48.1 60.2 -.-');
const DRD = ['  7', ...FRAME, '0', '0', ...OFF_DRD, ...OFF_DRD, ...OFF_DRD].join(',');

const AT = '2026-06-10 08:00:00.123456';
const minute = (number: number) => `2026-06-10 08:${String(number).padStart(2, '0')}:02.500000`;

const FULL = {
  nl43_config: [
    {
      unit_id: 'roof',
      host: '192.0.2.40',
      tcp_port: 2255,
      ftp_enabled: 1,
      ftp_username: 'USER',
      ftp_password: 'quiet-night',
      poll_interval_seconds: 30,
      tcp_enabled: 0,
    },
    { unit_id: 'cellar 2', host: 'cellar.example', tcp_port: null, tcp_enabled: 0, ftp_password: '' },
    { unit_id: 'wrong', host: 'http://192.0.2.41/' },
  ],
  nl43_status: [
    // 2026-01-07 to 06-08: each level stands one column too far to the left.
    {
      unit_id: 'roof',
      last_seen: AT,
      counter: '54.3',
      lp: '52.1',
      leq: '81.6',
      lmax: '61.0',
      lpeak: '58.0',
      raw_payload: DOD,
    },
    // Before 2026-01-07, from DRD: the counter stands for Lp.
    { unit_id: 'cellar 2', last_seen: '2025-12-24 02:10:55', lp: '7', leq: '48.6', raw_payload: DRD },
  ],
  nl43_readings: [
    { unit_id: 'roof', timestamp: minute(1), lp: '50.1', leq: '52.0', lmax: '61.0' },
    { unit_id: 'roof', timestamp: minute(2), lp: '-.-', leq: null },
    { unit_id: 'roof', timestamp: minute(3), lp: '49.9', leq: '51.9' },
    { unit_id: 'gone', timestamp: minute(3), lp: '49.9' },
  ],
  alert_rules: [
    {
      id: 3,
      unit_id: 'roof',
      name: 'Night',
      metric: 'leq',
      comparison: 'above',
      threshold_db: 55,
      duration_s: 900,
      schedule_start: '22:00',
      schedule_end: '06:00',
      enabled: 1,
      created_at: AT,
    },
    { id: 4, unit_id: 'roof', name: 'Silent', metric: 'lp', comparison: 'below', threshold_db: 20, created_at: AT },
  ],
  alert_events: [
    {
      id: 1,
      rule_id: 3,
      unit_id: 'roof',
      rule_name: 'Night',
      metric: 'leq',
      threshold_db: 55,
      onset_at: '2026-06-09 23:10:00',
      onset_value: 55.4,
      peak_value: 58.2,
      clear_at: '2026-06-09 23:40:00',
      status: 'cleared',
      acknowledged_at: '2026-06-10 07:00:00',
      acknowledged_by: 'Ada',
    },
    {
      id: 2,
      rule_id: 0,
      unit_id: 'roof',
      rule_name: 'connectivity',
      metric: 'connectivity',
      threshold_db: 0,
      onset_at: '2026-06-10 01:00:00',
      status: 'active',
    },
  ],
  device_logs: [{ unit_id: 'roof', timestamp: AT, level: 'INFO', category: 'TCP', message: 'x' }],
};

let world: World;
/** Answer of the check. */
let planned = '';
t.before(async () => {
  world = await openWorld(t, { meters: 0, settings: { timezone: 'Europe/Berlin' } });
});

const send = (file: string, ...more: string[]) => slm(world, ['import-slmm', file, ...more]);
const fileIn = (t: Test) => join(t.testdir({}), 'slmm.db');

t.test('with --check nothing is written, and the report is the same', async (t) => {
  const { code, out } = await send(writeDatabase(fileIn(t), FULL), '--check');
  t.equal(code, 0);
  planned = out;
  t.match(out, '2 units, 1 rule, 2 events and 4 readings would be taken over.');
  t.same((await world.get('')).body.units, []);
});

t.test('units, rules, events and levels are taken; wrong ones are mended or left out, and listed', async (t) => {
  const { code, out } = await send(writeDatabase(fileIn(t), FULL));
  t.equal(code, 0);
  t.match(out, /^2 units, 1 rule, 2 events and 4 readings were taken over\.\nCorrected:\n/);
  t.equal(planned.replace('would be', 'were'), out, 'the check said exactly this');
  t.match(out, 'The unit "cellar 2" is called cellar-2 here.');
  t.match(out, 'The last level of roof is 54.3 dB, as the meter wrote it; SLMM had stored 52.1.');
  t.match(out, 'The last level of cellar-2 is 48.6 dB, as the meter wrote it; SLMM had stored 7.');
  t.match(out, /had no end: it ends at its beginning/);
  t.match(out, 'The unit wrong: its host "http://192.0.2.41/" is no address.');
  t.match(out, /"Silent" of roof: .*no rules for levels below/);
  t.match(out, '2 readings without a unit that is taken over, a time or an Lp.');
  t.match(out, '1 line of the log');

  const roof = world.gateway.store.configs.get('roof');
  t.match(roof, {
    host: '192.0.2.40',
    ftpUsername: 'USER',
    ftpPassword: 'quiet-night',
    pollIntervalSeconds: 30,
    tcpEnabled: false,
  });
  t.match(world.gateway.store.configs.get('cellar-2'), {
    tcpPort: 2_255,
    ftpPassword: null,
    name: 'cellar 2',
    timezone: 'Europe/Berlin',
  });
  t.notOk(JSON.stringify(world.answers).includes('quiet-night'));
  await world.pass(1_500);
  const disk = ['gateway.db', 'gateway.db-wal'].map((name) =>
    readFileSync(join(world.dataDir, 'data', name), 'latin1'),
  );
  t.notOk(disk.join('').includes('quiet-night'), 'the password is sealed');

  const levels = await world.get(
    '/roof/history?from=2026-06-10T08:00:00Z&to=2026-06-10T08:04:00Z&step=1m&quantities=lp,leq',
  );
  const at = levels.body.data.columns.indexOf('lp');
  t.same(
    levels.body.data.rows.map((row: unknown[]) => row[at]),
    [54.3, 50.1, null, 49.9],
  );
  t.match(levels.body.data.rows[0], { [levels.body.data.columns.indexOf('quality')]: 'sampled' });
  const [rule] = (await world.get('/_alerts/rules')).body.data;
  t.match(rule, {
    name: 'Night',
    quantity: 'leq',
    window: '15m',
    limit_db: 55,
    units: ['roof'],
    schedule: [{ from: '22:00', to: '06:00' }],
  });
  const { data } = (await world.get('/_alerts/events')).body;
  t.match(
    data.find(({ rule_name }: { rule_name: string }) => rule_name === 'Night'),
    {
      rule: rule.id,
      opened_at: '2026-06-09T23:10:00.000Z',
      closed_at: '2026-06-09T23:40:00.000Z',
      worst: 58.2,
      ack: { by: 'Ada' },
    },
  );
  t.match(
    data.find(({ what }: { what: string }) => what === 'unreachable'),
    { rule: '0', kind: 'device', closed_at: '2026-06-10T01:00:00.000Z' },
  );
});

t.test('the same file again adds nothing, and the check knows it before', async (t) => {
  const file = writeDatabase(fileIn(t), FULL);
  const checked = await send(file, '--check');
  const { out } = await send(file);
  t.equal(checked.out.replace('would be', 'were'), out);
  t.match(out, '0 units, 0 rules, 0 events and 0 readings were taken over.');
  t.match(out, 'The unit roof exists already: its config stays as it is.');
  t.equal((await world.get('/_alerts/rules')).body.data.length, 1);
  t.equal((await world.get('/_alerts/events')).body.data.length, 2);
});

t.test('an import that broke off after a rule was made finds it again; without alerts the rest is taken', async (t) => {
  const again = {
    nl43_config: FULL.nl43_config,
    alert_rules: FULL.alert_rules.map((rule) => ({ ...rule, id: rule.id + 10 })),
  };
  const { out } = await send(writeDatabase(fileIn(t), again));
  t.match(out, '"Night" of roof exists already.');
  t.equal((await world.get('/_alerts/rules')).body.data.length, 1);

  const bare = await openWorld(t, { meters: 0, settings: { plugins: ['config', 'slmm'] } });
  const answer = await slm(bare, ['import-slmm', writeDatabase(fileIn(t), FULL)]);
  t.match(answer, { code: 0, out: /2 units, 0 rules, 0 events and 4 readings were taken over.*plugin is not loaded/s });
});

t.test('monitored units record their stream, rules get what they need, and dropped parts are named', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: { timezone: 'Europe/Berlin' } });
  const off = { host: '192.0.2.50', tcp_enabled: 0 };
  await world.put('/there/config', { host: '192.0.2.52', tcp_enabled: false, history: 'poll' });
  const rows = {
    nl43_config: [
      { unit_id: 'watched', ...off, monitor_enabled: 1 },
      { unit_id: 'usual', ...off },
      { unit_id: 'quiet', ...off, monitor_enabled: 0 },
      { unit_id: 'there', ...off, monitor_enabled: 1 },
    ],
    nl43_status: [
      { unit_id: 'watched', last_seen: AT, battery_level: 'Full', measurement_state: 'Start', sd_free_ratio: '90' },
    ],
    alert_rules: [
      {
        id: 1,
        unit_id: 'quiet',
        name: 'Late',
        metric: 'leq',
        threshold_db: 60,
        duration_s: 900,
        schedule_start: '22:00',
      },
    ],
    alert_events: [
      {
        id: 1,
        rule_id: 1,
        unit_id: 'quiet',
        metric: 'leq',
        onset_at: '2026-06-09 23:10:00',
        onset_value: 61,
        notes: 'a',
      },
    ],
  };
  const file = writeDatabase(fileIn(t), rows);
  const checked = await slm(world, `import-slmm ${file} --check`);
  const done = await slm(world, `import-slmm ${file}`);
  t.equal(checked.out.replace('would be', 'were'), done.out, 'the check says what the import does');
  const history = (unitId: string) => world.gateway.store.configs.get(unitId)?.history;
  t.strictSame(['watched', 'usual', 'there'].map(history), ['stream', 'stream', 'poll']);
  t.equal(history('quiet'), 'stream', 'its rule needs it');
  t.match(done.out, 'The unit watched was monitored: its history is "stream"');
  t.match(done.out, 'The unit there was monitored; here its history is "poll"');
  const [rule] = (await world.get('/_alerts/rules')).body.data;
  t.match(rule, { name: 'Late', schedule: [{ from: '22:00', to: '24:00' }] });
  for (const words of [/"Late" of quiet: it holds until 24:00/, /1 level at the onset/, /1 note of an event/])
    t.match(done.out, words);
  for (const words of [/1 battery level or power source/, /1 size of a card/, /1 state or start of a measurement/])
    t.match(done.out, words);
});

t.test('a database of the first release has one table, and columns are missing', async (t) => {
  const tables = { nl43_config: 'unit_id text primary key, tcp_port integer' };
  const { code, out } = await send(
    writeDatabase(fileIn(t), { nl43_config: [{ unit_id: 'early', tcp_port: 80 }] }, tables),
    '--check',
  );
  t.equal(code, 0);
  t.match(out, '1 unit, 0 rules, 0 events and 0 readings would be taken over.');
});

t.test('a file that is no database of SLMM is refused in words', async (t) => {
  const folder = t.testdir({ 'text.db': 'no database', 'cut.db': 'SQLite format 3\0' });
  const other = new Database(join(folder, 'other.db'));
  other.exec('create table songs (title text)');
  // A view that never ends in place of a table.
  other.exec(
    'create view nl43_config as with recursive n(unit_id) as (select 1 union all select unit_id from n) select unit_id from n',
  );
  other.close();
  const whole = readFileSync(writeDatabase(join(folder, 'slmm.db'), FULL));
  writeFileSync(
    join(folder, 'broken.db'),
    Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 7)]),
  );
  for (const [name, words] of [
    ['text.db', /not an SQLite database/],
    ['cut.db', /cannot be read|no table nl43_config/],
    ['other.db', /no table nl43_config, but "songs"/],
    ['broken.db', /cannot be read/],
  ] as const) {
    const { code, err } = await send(join(folder, name));
    t.equal(code, 2, name);
    t.match(err, words, name);
  }
  t.match(await send(join(folder, 'nowhere.db')), { code: 2, err: /cannot be read/ });
  t.match(await send(join(folder, 'slmm.db'), '--weighting', 'XY'), { code: 2, err: /no weighting/ });
});

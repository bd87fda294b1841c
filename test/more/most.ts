/**
 * Each kind of thing at its stated most, and one beyond: the table of docs/operating.md, "The most of each kind". The tables are filled
 * directly with copies of one row that came by the API. `npm run test:more`
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { MOST_KEYS } from '../../lib/access/key-admin.ts';
import { MOST_TICKETS, Tickets } from '../../lib/access/tickets.ts';
import { startGateway } from '../../lib/app/gateway.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Identity } from '../../lib/http/contract.ts';
import { createLog } from '../../lib/log.ts';
import { MOST_UNITS } from '../../lib/store/configs.ts';
import { MOST_TARGETS } from '../../plugins/alerts/delivery/target-routes.ts';
import { KEPT_EVENTS } from '../../plugins/alerts/events/event-log.ts';
import { MOST_RULES } from '../../plugins/alerts/rules/rule-routes.ts';
import { MOST_CALIBRATIONS, MOST_CALIBRATIONS_OF_ALL, MOST_CORRECTIONS } from '../../plugins/calibration/records.ts';
import { MOST_PROFILES } from '../../plugins/campaign/profiles/profile-routes.ts';
import { MOST_PLANNED } from '../../plugins/campaign/schedules/schedule-routes.ts';
import { MOST_TRACES } from '../../plugins/log/trace.ts';
import { MOST_NOTES, MOST_OF_ALL, MOST_VERSIONS } from '../../plugins/notes/records.ts';

const NOTE = { kind: 'note', from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z', text: 'Rain' };
const CHECK = { nominal_db: 94, before_db: 94.1 };
const RULE = { name: 'Lost', units: ['roof'], kind: 'device', condition: 'unreachable', for: '1m', enabled: false };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const TARGET = { name: 'Office', kind: 'webhook', url: 'http://192.0.2.1/alarm', secret: SECRET };
const PROFILE = { settings: { lp_interval: '100ms' } };
const CONFIG = { host: '192.0.2.1', tcp_enabled: false, poll_enabled: false };
const HOUR_MS = 3_600_000;

type Ask = (method: string, path: string, json?: unknown) => Promise<{ status: number; body: Answer; ms: number }>;
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer is what the test says it is
type Answer = any;

/** A gateway on this folder, for as long as `during` takes. */
async function running(folder: string, during: (ask: Ask) => Promise<void>): Promise<void> {
  const places = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
  const gateway = await startGateway({ port: 0, ...places }, { log: createLog('silent') });
  try {
    await during(async (method, path, json) => {
      const began = performance.now();
      const body = json === undefined ? {} : { body: JSON.stringify(json) };
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
      const answer = await fetch(`${gateway.baseUrl}${path}`, {
        method,
        headers: key ? headers : { ...headers, Authorization: '' },
        ...body,
      });
      return { status: answer.status, body: await answer.json(), ms: performance.now() - began };
    });
  } finally {
    await gateway.stop();
  }
}

let key = '';

/** Copies of a row of a table, of the first unless `from` says another: `set` says what differs, with `n` from `first` to `last`. */
function fill(
  folder: string,
  table: string,
  last: number,
  set: Readonly<Record<string, string>>,
  { first = 2, from = `rowid = (select min(rowid) from ${table})` } = {},
): void {
  const database = new Database(join(folder, 'data', 'gateway.db'));
  const columns = database.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table);
  const values = columns.map((column) => set[column] ?? `"${column}"`);
  const names = columns.map((column) => `"${column}"`).join();
  database.exec(
    `with recursive counted(n) as (select ${first} union all select n + 1 from counted where n < ${last})
     insert into ${table} (${names}) select ${values} from (select * from ${table} where ${from}), counted`,
  );
  database.close();
}

/** The last possible thing is taken, and the next is refused in a sentence. `#` in the path is their number; names of keys have it, too. */
async function mostIsTaken(t: Test, ask: Ask, method: string, path: string, body: object) {
  const send = (n: number) =>
    ask(method, path.replace('#', `${n}`), 'role' in body ? { ...body, name: `more ${n}` } : body);
  const last = await send(1);
  t.ok(last.status === 200 || last.status === 201, `the last: ${last.status} ${last.body.detail}`);
  const beyond = await send(2);
  t.match(beyond, { status: 422, body: { code: 'INVALID', detail: /\d/ } }, `beyond it: ${beyond.body.detail}`);
}

async function prepared(t: Test, ...made: readonly (readonly [method: string, path: string, body: object])[]) {
  const folder = t.testdir();
  await running(folder, async (ask) => {
    for (const [method, path, body] of [['PUT', '/roof/config', CONFIG] as const, ...made]) {
      const { status, body: answer } = await ask(method, path, body);
      t.ok(status < 300, `${path}: ${status} ${answer.detail}`);
    }
  });
  return folder;
}

t.test('the last unit is taken, one more is refused, and those that are there can be changed', async (t) => {
  const folder = await prepared(t);
  fill(folder, 'device_config', MOST_UNITS - 1, { unit_id: `'unit-' || n` });
  await running(folder, async (ask) => {
    await mostIsTaken(t, ask, 'PUT', '/more-#/config', CONFIG);
    t.equal((await ask('PUT', '/roof/config', { name: 'Roof' })).status, 200, 'those that there are can be changed');
    const status = await ask('GET', '/_status?limit=100');
    t.equal(status.status, 200);
    t.equal((await ask('DELETE', '/roof/config')).status, 200);
    t.equal((await ask('PUT', '/more-3/config', CONFIG)).status, 200, 'and make room');
  });
});

t.test(
  'the last note of a unit, of all units, and the last version of a note are taken, and one more is refused',
  async (t) => {
    const folder = await prepared(t, ['POST', '/roof/notes', NOTE], ['PUT', '/gate/config', CONFIG]);
    fill(folder, 'note_version', MOST_NOTES - 1, { id: 'n' });
    await running(folder, async (ask) => {
      await mostIsTaken(t, ask, 'POST', '/roof/notes', NOTE);
      t.equal((await ask('GET', '/roof/notes')).status, 200);
      for (let version = 2; version <= MOST_VERSIONS; version++) await ask('PUT', '/roof/notes/1', NOTE);
      t.equal((await ask('PUT', '/roof/notes/1', NOTE)).status, 422, 'a version too many');
      t.equal((await ask('DELETE', '/roof/notes/1')).status, 200, 'it can still be removed');
    });
    const set = { id: 'n', unit_id: `'unit-' || (n % 7)` };
    fill(folder, 'note_version', MOST_OF_ALL - 1, set, { first: MOST_NOTES + 1, from: 'id = 2' });
    await running(folder, async (ask) => {
      await mostIsTaken(t, ask, 'POST', '/gate/notes', NOTE);
      t.equal((await ask('GET', '/_notes')).status, 200);
    });
  },
);

t.test(
  'the last calibration of a unit, of all units, and the last version of one are taken, and one more is refused',
  async (t) => {
    const folder = await prepared(t, ['POST', '/roof/calibrations', CHECK], ['PUT', '/gate/config', CONFIG]);
    fill(folder, 'calibration_version', MOST_CALIBRATIONS - 1, { id: 'n' });
    const oneMore = (ask: Ask, unit: string) => mostIsTaken(t, ask, 'POST', `/${unit}/calibrations`, CHECK);
    await running(folder, async (ask) => {
      await oneMore(ask, 'roof');
      t.equal((await ask('GET', '/roof/calibrations')).status, 200);
      const correct = () => ask('PUT', '/roof/calibrations/1', { text: 'again' });
      for (let version = 2; version <= MOST_CORRECTIONS; version++) await correct();
      t.equal((await correct()).status, 422, 'a version too many');
      t.equal((await ask('DELETE', '/roof/calibrations/1')).status, 200, 'it can still be removed');
    });
    const others = MOST_CALIBRATIONS_OF_ALL - MOST_CALIBRATIONS;
    fill(folder, 'calibration_version', others, { id: 'n + 100000', unit_id: "'unit-' || (n % 30)" });
    await running(folder, async (ask) => {
      await oneMore(ask, 'gate');
      t.equal((await ask('GET', '/_calibrations')).status, 200);
    });
  },
);

t.test('the last rule is taken and one more is refused, also of several at once', async (t) => {
  const folder = await prepared(t, ['POST', '/_alerts/rules', RULE]);
  fill(folder, 'alerts_rule', MOST_RULES - 1, { id: 'n' });
  await running(folder, async (ask) => {
    await mostIsTaken(t, ask, 'POST', '/_alerts/rules', RULE);
    t.equal((await ask('GET', '/_alerts/rules')).status, 200);
    t.equal((await ask('POST', '/_alerts/rules/batch', { rules: [RULE] })).status, 422, 'several at once neither');
  });
});

t.test('the last target is taken and one more is refused', async (t) => {
  const folder = await prepared(t, ['POST', '/_alerts/targets', TARGET]);
  fill(folder, 'alerts_target', MOST_TARGETS - 1, { id: 'n' });
  await running(folder, (ask) => mostIsTaken(t, ask, 'POST', '/_alerts/targets', TARGET));
});

t.test('the last profile is taken and one more is refused', async (t) => {
  const folder = await prepared(t, ['PUT', '/_profiles/first', PROFILE]);
  fill(folder, 'campaign_profile', MOST_PROFILES - 1, { name: `'profile-' || n` });
  await running(folder, (ask) => mostIsTaken(t, ask, 'PUT', '/_profiles/more-#', PROFILE));
});

t.test('the last entry of a schedule is taken and one more is refused', async (t) => {
  const folder = await prepared(t);
  const entries = (count: number) => ({
    entries: Array.from({ length: count }, (_, minute) => ({ cron: `${minute} 6 * * *`, action: 'clock_sync' })),
  });
  await running(folder, async (ask) => {
    const most = await ask('PUT', '/roof/schedule', entries(MOST_PLANNED));
    t.equal(most.status, 200, JSON.stringify(most.body).slice(0, 300));
    t.match(await ask('PUT', '/roof/schedule', entries(MOST_PLANNED + 1)), { status: 422, body: { code: 'INVALID' } });
  });
});

t.test('the last API key is taken and one more is refused', async (t) => {
  const folder = t.testdir();
  t.teardown(() => {
    key = '';
  });
  await running(folder, async (ask) => {
    const { body } = await ask('POST', '/_keys', { name: 'first', role: 'admin' });
    key = body.key;
  });
  // As a release before kept them: the next gateway takes them over.
  const path = join(folder, 'data', 'keys.json');
  const first = { role: 'viewer', units: null, hash: '0'.repeat(64), expires_at: null, revoked_at: null };
  const id = (n: number) => n.toString(16).padStart(8, '0');
  const keys = Array.from({ length: MOST_KEYS - 2 }, (_, n) => ({
    ...first,
    id: id(n),
    name: `key ${n}`,
    created_at: '2026-01-01T00:00:00Z',
  }));
  await writeFile(path, JSON.stringify({ version: 1, keys }), { mode: 0o600 });
  await running(folder, async (ask) => {
    await mostIsTaken(t, ask, 'POST', '/_keys', { role: 'viewer' });
    t.equal((await ask('GET', '/_keys')).status, 200);
  });
});

t.test('events: a list, the days and a new event are quick, and the oldest go', async (t) => {
  const folder = await prepared(t);
  const at = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
  const event = (n: number) => ({
    unit_id: 'roof',
    rule_name: `Limit ${n}`,
    kind: 'level',
    what: 'leq',
    limit: 60,
    worst: 66,
    opened_at: at(2),
    closed_at: at(1),
  });
  await running(folder, async (ask) => {
    t.equal((await ask('POST', '/_alerts/events/import', { events: [event(0)] })).status, 200);
  });
  // One each ten minutes, backwards.
  fill(folder, 'alerts_event', KEPT_EVENTS, {
    id: 'n',
    opened_at: `opened_at - (${KEPT_EVENTS} - n) * 600000`,
    closed_at: `opened_at - (${KEPT_EVENTS} - n) * 600000 + 300000`,
  });
  await running(folder, async (ask) => {
    for (const path of ['/_alerts/events', `/_alerts/days?from=${at(24 * 30)}&to=${at(0)}`]) {
      const { status, ms, body } = await ask('GET', path);
      t.equal(status, 200, body.detail);
      t.comment(`${path.slice(0, 20)}: ${ms.toFixed(0)} ms with ${KEPT_EVENTS} events`);
    }
    const events = Array.from({ length: 1_000 }, (_, n) => event(n + 1));
    const { status, ms } = await ask('POST', '/_alerts/events/import', { events });
    t.equal(status, 200);
    t.comment(`1,000 more: ${ms.toFixed(0)} ms`);
  });
  const database = new Database(join(folder, 'data', 'gateway.db'), { readonly: true });
  const count = database.prepare<[], number>('select count(*) from alerts_event').pluck().get();
  t.equal(count, KEPT_EVENTS);
  t.equal(database.prepare('select 1 from alerts_event where id = 1').get(), undefined, 'the first is gone');
  database.close();
});

t.test('tickets: beyond the most the oldest is forgotten, and no other', async (t) => {
  const tickets = new Tickets(systemClock);
  const identity: Identity = {
    name: 'me',
    keyId: null,
    role: 'viewer',
    units: null,
    address: '192.0.2.1',
    stillValid: () => true,
  };
  const issued = Array.from({ length: MOST_TICKETS + 1 }, () => tickets.issue(identity, 'roof'));
  const [first = '', second = ''] = issued;
  t.equal(tickets.redeem(first, 'roof'), undefined, 'the oldest');
  for (const kept of [second, issued.at(-1) ?? '']) t.equal(tickets.redeem(kept, 'roof'), identity);
});

t.test('traces: one more waits until one ends', async (t) => {
  const folder = await prepared(t);
  await running(folder, async (ask) => {
    const traced = Array.from({ length: MOST_TRACES + 1 }, (_, n) => `unit-${n}`);
    for (const unit of traced) await ask('PUT', `/${unit}/config`, CONFIG);
    const begin = (unit: string | undefined) => ask('POST', `/${unit}/trace`, { seconds: 3_600 });
    for (const unit of traced.slice(0, -1)) t.equal((await begin(unit)).status, 200, unit);
    t.match(await begin(traced.at(-1)), { status: 503, body: { code: 'DEVICE_BUSY', detail: /DELETE trace/ } });
    t.equal((await begin(traced[0])).status, 200, 'one that runs can begin again');
    t.equal((await ask('DELETE', `/${traced[1]}/trace`)).status, 200);
    t.equal((await begin(traced.at(-1))).status, 200);
  });
});

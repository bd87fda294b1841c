/** A database that does not answer a change may have stored it. Each store looks later and finds the stored state. */
import { mkdtempSync, readdirSync } from 'node:fs';
import type { Test } from 'tap';
import t from 'tap';
import type { Clock, Table, TableMigration, Tables } from '../../lib/index.ts';
import { assessmentStore, CALENDARS, MIGRATIONS, OWN_PRESETS } from '../../plugins/assessment/store.ts';
import { ProfileStore } from '../../plugins/campaign/profiles/profile-store.ts';
import { ScheduleStore } from '../../plugins/campaign/schedules/schedule-store.ts';
import { CAMPAIGN_MIGRATIONS, TABLES } from '../../plugins/campaign/tables.ts';
import { MARKS, PICTURES, PLAN_MIGRATIONS, PlanStore } from '../../plugins/dashboard/plan-store.ts';
import type { ReportBody } from '../../plugins/reports/kept/schemas.ts';
import {
  LAST_IDS,
  REPORT_MAILS,
  REPORT_MIGRATIONS,
  REPORT_RUNS,
  REPORTS,
  ReportStore,
} from '../../plugins/reports/kept/store.ts';
import { NAMED_BODIES, NAMED_MIGRATIONS, namedStore } from '../../plugins/reports/named-store.ts';
import { SHARE_MIGRATIONS, SHARES } from '../../plugins/shares/schemas.ts';
import { type ShareBody, ShareStore } from '../../plugins/shares/store.ts';
import { StationStore } from '../../plugins/stations/store.ts';
import { OBSERVATION_RULES, OBSERVATIONS, STATION_MIGRATIONS, STATIONS } from '../../plugins/stations/tables.ts';
import { folder, until } from '../store/setup.ts';
import { pngOf } from '../support/pictures.ts';
import { unanswered } from '../support/unanswered.ts';

const failed = { code: 'STORAGE_FAILED' };

/** One store under test: its tables, a first and a second change, and its state before and after the second. */
interface Kept<Store extends { load(): Promise<void>; close(): void }> {
  readonly owner: string;
  readonly tables: readonly Table<never>[];
  readonly migrations: readonly TableMigration[];
  open(tables: Tables, clock: Clock, home: string, found: (what?: string) => void): Store;
  first(store: Store): Promise<unknown>;
  second(store: Store): Promise<unknown>;
  shown(store: Store): unknown;
  readonly before: unknown;
  readonly after: unknown;
  /** Its reports about the state that was found. */
  readonly tells?: readonly (string | undefined)[];
}

async function opened<Store extends { load(): Promise<void>; close(): void }>(t: Test, kept: Kept<Store>) {
  const { home, clock, open } = folder(t);
  const { tables, state } = unanswered(await (await open()).tables(kept.owner, kept.tables, kept.migrations));
  const told: (string | undefined)[] = [];
  const store = kept.open(tables, clock, home, (what) => told.push(what));
  await store.load();
  t.teardown(() => store.close());
  await kept.first(store);
  told.length = 0;
  return { clock, state, store, told };
}

function follows<Store extends { load(): Promise<void>; close(): void }>(name: string, kept: Kept<Store>): void {
  t.test(`${name}: a change that was stored without an answer is shown when the database answers`, async (t) => {
    const { clock, state, store, told } = await opened(t, kept);
    state.answers = false;
    await t.rejects(kept.second(store), failed);
    await clock.advance(60_000);
    t.strictSame(kept.shown(store), kept.before);
    state.answers = true;
    await clock.advance(5_000);
    await until(() => JSON.stringify(kept.shown(store)) !== JSON.stringify(kept.before));
    t.strictSame(kept.shown(store), kept.after, 'who looks sees it');
    t.strictSame(told, kept.tells ?? []);
  });

  t.test(`${name}: a change that was not stored has no effect`, async (t) => {
    const { clock, state, store } = await opened(t, kept);
    state.answers = state.stores = false;
    await t.rejects(kept.second(store), failed);
    state.answers = state.stores = true;
    await clock.advance(5_000);
    t.strictSame(kept.shown(store), kept.before);
    await kept.second(store);
    t.strictSame(kept.shown(store), kept.after);
  });
}

const reportTables = {
  owner: 'reports',
  tables: [REPORTS, REPORT_RUNS, REPORT_MAILS, LAST_IDS, NAMED_BODIES],
  migrations: [...REPORT_MIGRATIONS, ...NAMED_MIGRATIONS],
};
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

follows('a template of reports', {
  ...reportTables,
  open: (tables, clock) => namedStore<{ text: string }>(tables, 'template', clock),
  first: (store) => store.put('monthly', { text: 'one' }),
  second: (store) => store.put('monthly', { text: 'two' }),
  shown: (store) => store.find('monthly'),
  before: { text: 'one' },
  after: { text: 'two' },
});

const reportBody = (name: string): ReportBody => ({
  name,
  units: [],
  period: 'day',
  at: '06:00',
  zone: 'UTC',
  formats: [],
  targets: [],
  wishes: {},
});
const reports: Kept<ReportStore> = {
  ...reportTables,
  open: (tables, clock, _, found) => new ReportStore(tables, clock, found),
  first: (store) => store.add(reportBody('one'), 'kim'),
  second: (store) => store.add(reportBody('two'), 'kim'),
  shown: (store) => store.list().map(({ id, body }) => `${id} ${body.name}`),
  before: ['1 one'],
  after: ['1 one', '2 two'],
  tells: [undefined],
};
follows('a kept report', reports);

t.test('runs that are due and were stored without an answer are not made a second time', async (t) => {
  const { clock, state, store } = await opened(t, reports);
  const [report] = store.list();
  if (!report) throw new Error('there is no report');
  let made = 0;
  const handled = (row: typeof report) =>
    store.handled(row, clock.now() + 1, async () => {
      made += 1;
    });
  state.answers = false;
  await t.rejects(handled(report), failed);
  state.answers = true;
  t.equal(await handled(report), false);
  t.equal(made, 1);
  t.equal(store.find(1)?.handledUntil, clock.now() + 1);
});

const assessmentTables = { owner: 'assessment', tables: [OWN_PRESETS, CALENDARS], migrations: MIGRATIONS };
const days = [{ date: '2026-05-01', name: 'May' }];
follows('a calendar of holidays', {
  ...assessmentTables,
  open: (tables, clock) => assessmentStore(tables, clock),
  first: (store) => store.calendars.put({ name: 'town', days }),
  second: (store) => store.calendars.remove('town'),
  shown: (store) => names(store.calendars.list().filter(({ own }) => own)),
  before: ['town'],
  after: [],
});

const station = (title: string) => ({
  title,
  zone: 'UTC',
  place: '',
  units: null,
  intervalS: 60,
  silentAfterS: null,
});
follows('a station', {
  owner: 'stations',
  tables: [STATIONS, OBSERVATIONS, OBSERVATION_RULES],
  migrations: STATION_MIGRATIONS,
  open: (tables, clock) => new StationStore(tables, clock),
  first: (store) => store.put('roof', station('one')),
  second: (store) => store.put('roof', station('two')),
  shown: (store) => store.list().map(({ body }) => body.title),
  before: ['one'],
  after: ['two'],
});

follows('a mark on the plan', {
  owner: 'dashboard',
  tables: [PICTURES, MARKS],
  migrations: PLAN_MIGRATIONS,
  open: (tables, clock, home) => new PlanStore(tables, mkdtempSync(`${home}/plan-`), clock),
  first: (store) => store.replace(pngOf(2, 2)),
  second: (store) => store.put({ unitId: 'roof', x: 0.5, y: 0.5 }),
  shown: (store) => store.marks(),
  before: [],
  after: [{ unitId: 'roof', x: 0.5, y: 0.5 }],
});

for (const stores of [true, false])
  t.test(
    `the picture of the plan, ${stores ? 'stored' : 'not stored'}, without an answer: file, row and memory belong together`,
    async (t) => {
      const { home, clock, open } = folder(t);
      const own = [PICTURES, MARKS];
      const { tables, state } = unanswered(await (await open()).tables('dashboard', own, PLAN_MIGRATIONS));
      const place = mkdtempSync(`${home}/plan-`);
      const store = new PlanStore(tables, place, clock);
      t.teardown(() => store.close());
      const { sha256: small } = await store.replace(pngOf(2, 2));
      const fails = async (change: () => Promise<unknown>, left: () => boolean) => {
        Object.assign(state, { answers: false, stores });
        await t.rejects(change(), failed);
        t.equal(store.picture?.sha256, small, 'until it is known what is kept');
        t.ok(readdirSync(place).includes(small));
        state.answers = state.stores = true;
        await clock.advance(5_000);
        await until(left);
      };
      await fails(
        () => store.remove(),
        () => stores === (readdirSync(place).length === 0),
      );
      t.equal(store.picture?.sha256, stores ? undefined : small);
      await store.replace(pngOf(2, 2));
      const files = () => readdirSync(place).length;
      await fails(
        () => store.replace(pngOf(3, 3)),
        () => files() === 1,
      );
      t.equal(store.picture?.width, stores ? 3 : 2);
      t.strictSame(readdirSync(place), [store.picture?.sha256]);
    },
  );

const campaign = { owner: 'campaign', tables: TABLES, migrations: CAMPAIGN_MIGRATIONS };
follows('a profile', {
  ...campaign,
  open: (tables, clock, _, found) => new ProfileStore(tables, clock, found),
  first: (store) => store.put('night', { description: 'one', settings: {} }),
  second: (store) => store.remove('night'),
  shown: (store) => names(store.list()),
  before: ['night'],
  after: [],
  tells: [undefined],
});

follows('a schedule', {
  ...campaign,
  open: (tables, clock, _, found) => new ScheduleStore(tables, clock, found),
  first: (store) => store.put('roof', { zone: 'UTC', entries: [] }, 1),
  second: (store) => store.put('roof', { zone: 'Europe/Berlin', entries: [] }, 2),
  shown: (store) => store.find('roof')?.body.zone,
  before: 'UTC',
  after: 'Europe/Berlin',
  tells: ['roof'],
});

const share: ShareBody = {
  name: 'Town hall',
  units: ['roof', 'gate'],
  tag: null,
  parts: ['live'],
  delayS: 0,
  roundDb: 1,
  fromAt: null,
  expiresAt: 9e15,
  title: '',
  words: '',
  embed: [],
  createdBy: 'me',
};
const shares: Kept<ShareStore> = {
  owner: 'shares',
  tables: [SHARES],
  migrations: SHARE_MIGRATIONS,
  open: (tables, clock) => new ShareStore(tables, clock),
  first: (store) => store.add(share),
  second: (store) => store.revoke(1),
  shown: (store) => names(store.list()),
  before: ['Town hall'],
  after: [],
};
follows('a share that is revoked', shares);

t.test('a look takes no reader of a share away, and shows no unit that is gone', async (t) => {
  const { state, store } = await opened(t, shares);
  state.answers = state.stores = false;
  await t.rejects(store.takeOut('roof'), failed);
  store.count(store.needed(1));
  state.answers = state.stores = true;
  await store.add(share);
  t.match(store.needed(1), { units: ['gate'], views: 1 });
  await store.writeCounts();
  await store.load();
  t.match(store.needed(1), { units: ['gate'], views: 1 }, 'and so it is written');
});

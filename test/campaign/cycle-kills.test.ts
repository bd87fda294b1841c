/** A cycle survives the death of the gateway at every moment, and a cancellation at every moment: once each. */
import t from 'tap';
import type { Profile } from '../../simulator/profile.ts';
import { DyingGateway, Killed } from './support/dying-gateway.ts';

/** Auto mode on a card that has the stores 0001 and 0002. */
function gatewayWithStores(quirks: Partial<Profile> = {}, lasts = '24h'): DyingGateway {
  const gateway = new DyingGateway(quirks);
  for (const name of ['Auto_0001', 'Auto_0002'])
    gateway.card.addFile(`/NL-43/${name}/kept.rnh`, Buffer.from(name), gateway.clock.now());
  gateway.set('Store Mode', 'Auto');
  gateway.set('Measurement Time Preset Auto', lasts);
  gateway.set('Measurement Time Preset Manual', lasts);
  return gateway;
}

const oldStores = (gateway: DyingGateway) =>
  ['Auto_0001', 'Auto_0002'].map((name) => gateway.card.list(`/NL-43/${name}`)?.map((entry) => entry.name));
const UNTOUCHED = [['kept.rnh'], ['kept.rnh']];

type Kind = 'cycle-start' | 'cycle-stop';
type Facts = Readonly<Record<string, unknown>>;

/** The outcome of a job: its result, or the words of its error. */
const outcomeOf = (work: Promise<unknown>): Promise<Facts> =>
  work.then(
    (result) => ({ ...(result as Facts) }),
    (error: Error) => (error instanceof Killed ? { killed: true } : { error: error.message }),
  );

/**
 * Runs the job again and again, each time in a new world, with a death at each moment. `facts` returns the state after it.
 * Each test has one comparison, because there are thousands of moments.
 */
async function everyMoment(
  name: Kind,
  made: () => Promise<DyingGateway> | DyingGateway,
  downMs: number,
  facts: (gateway: DyingGateway, outcome: Facts) => Facts,
): Promise<readonly (Facts & { readonly at: number })[]> {
  const all: (Facts & { readonly at: number })[] = [];
  for (let at = 1; ; at += 1) {
    const gateway = await made();
    gateway.moments = 0;
    gateway.killAt = at;
    let outcome = await outcomeOf(gateway.run(name));
    const hasDied = gateway.moments >= at;
    if (outcome.killed) {
      await gateway.clock.advance(downMs);
      gateway.killAt = Number.POSITIVE_INFINITY;
      outcome = await outcomeOf(gateway.run(name));
    }
    all.push({ at, ...facts(gateway, outcome) });
    if (!hasDied) return all;
  }
}

/** Outcomes that differ from the expected facts. */
const wrong = (all: readonly (Facts & { readonly at: number })[], expected: Facts) =>
  all.filter((one) => Object.entries(expected).some(([name, value]) => !isSame(one[name], value)));
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const afterStart = (gateway: DyingGateway, { store_name, is_over, error }: Facts): Facts => ({
  store_name,
  is_over,
  error,
  starts: gateway.sent('Measure,Start'),
  measuring: gateway.isMeasuring,
  old: oldStores(gateway),
  next: gateway.card.list('/NL-43/Auto_0004'),
});
const STARTED_ONCE = { store_name: '0003', is_over: false, starts: 1, measuring: true, old: UNTOUCHED, next: null };

t.test(
  'a start goes on after a death at every moment: one start, no store touched, measuring in the end',
  async (t) => {
    const all = await everyMoment('cycle-start', gatewayWithStores, 30_000, afterStart);
    t.strictSame(wrong(all, STARTED_ONCE), []);
    t.ok(all.length > 40, `${all.length} moments`);
  },
);

t.test('the same where the meter shows the start late', async (t) => {
  const made = () => gatewayWithStores({ start_visible_ms: 1_500 });
  t.strictSame(wrong(await everyMoment('cycle-start', made, 100, afterStart), STARTED_ONCE), []);
});

t.test('a measurement that was over before the gateway was back is not made a second time', async (t) => {
  for (const store_name_advances of [false, true]) {
    const made = () => gatewayWithStores({ store_name_advances }, '10s');
    const all = await everyMoment('cycle-start', made, 60_000, afterStart);
    t.strictSame(wrong(all, { store_name: '0003', starts: 1, old: UNTOUCHED, next: null }), []);
    t.ok(
      all.some(({ is_over }) => is_over),
      'and some were over',
    );
  }
});

t.test('in manual store mode a start that may have been made is not made again, and the job says so', async (t) => {
  const made = () => {
    const gateway = gatewayWithStores({}, '10s');
    gateway.set('Store Mode', 'Manual');
    return gateway;
  };
  const all = await everyMoment('cycle-start', made, 60_000, afterStart);
  const unsure = all.filter(({ error }) => /not started a second time/.test(String(error)));
  t.ok(unsure.length > 0 && unsure.length < 12, `${unsure.length} moments`);
  t.ok(unsure.every(({ starts }) => Number(starts) <= 1));
  const sure = all.filter((one) => !unsure.includes(one));
  t.strictSame(wrong(sure, { starts: 1, error: undefined }), []);
});

/** A gateway that measures, with its FTP switched off. */
async function measuring(quirks: Partial<Profile> = {}): Promise<DyingGateway> {
  const gateway = gatewayWithStores(quirks);
  gateway.set('FTP', 'Off');
  await gateway.run('cycle-start');
  gateway.forget();
  await gateway.clock.advance(5_000);
  return gateway;
}

const afterStop = (gateway: DyingGateway, { folder, verified, mirror_job }: Facts): Facts => ({
  folder,
  verified,
  left: mirror_job !== null,
  stops: gateway.sent('Measure,Stop'),
  ftp: gateway.machine.settings.get('FTP'),
  few: gateway.mirrorRuns <= 3,
  alone: gateway.mirrorsAlone,
});
const STOPPED_ONCE = { folder: '/NL-43/Auto_0003', stops: 1, ftp: 'Off', few: true };

t.test('a stop goes on after a death at every moment: stopped once, all files here, FTP as before', async (t) => {
  for (const store_name_advances of [false, true]) {
    const all = await everyMoment('cycle-stop', () => measuring({ store_name_advances }), 30_000, afterStop);
    t.strictSame(wrong(all, { ...STOPPED_ONCE, verified: true, left: false, alone: 0 }), []);
    t.ok(all.length > 30, `${all.length} moments`);
  }
});

t.test(
  'files that take long do not keep the next start: the mirror goes on alone, and FTP is off for it to switch',
  async (t) => {
    const made = async () => {
      const gateway = await measuring();
      gateway.startWaits = true;
      gateway.mirrorLooks = 1_000;
      return gateway;
    };
    const all = await everyMoment('cycle-stop', made, 30_000, afterStop);
    t.strictSame(wrong(all, { ...STOPPED_ONCE, verified: false, left: true, alone: 1 }), []);
  },
);

t.test('cancelled at any moment, a job says in which condition the meter is, and that is true', async (t) => {
  for (const name of ['cycle-start', 'cycle-stop'] as const) {
    const untrue: string[] = [];
    let cancelled = 0;
    for (let at = 1; ; at += 1) {
      const gateway = name === 'cycle-start' ? gatewayWithStores() : await measuring();
      gateway.moments = 0;
      gateway.cancelAt = at;
      const { error } = await outcomeOf(gateway.run(name));
      if (gateway.moments < at) break;
      if (error === undefined) continue;
      cancelled += 1;
      const isTrue = /The meter measures\./.test(gateway.said) === gateway.isMeasuring;
      const isWhole = /^It ended in step \d of \d/.test(gateway.said);
      const isOff = name === 'cycle-start' || gateway.machine.settings.get('FTP') === 'Off';
      if (!isTrue || !isWhole || !isOff) untrue.push(`${name}, moment ${at}: ${gateway.said}`);
    }
    t.strictSame(untrue, []);
    t.ok(cancelled > 20, `${cancelled} of ${name}`);
  }
});

t.test(
  'a start that goes on after a long downtime is too late, and says so; a start that was sent is kept',
  async (t) => {
    const all = await everyMoment('cycle-start', gatewayWithStores, 110_000, afterStart);
    const late = all.filter(({ error }) =>
      /now it is too late\. .*(No measurement was started|The meter does not measure)\.$/.test(String(error)),
    );
    t.strictSame(wrong(late, { starts: 0, measuring: false }), []);
    const made = all.filter((one) => !late.includes(one));
    t.strictSame(wrong(made, STARTED_ONCE), []);
    t.ok(late.length > 20 && made.length > 5, `${late.length} too late, ${made.length} made`);
  },
);

t.test('with a hundred names taken it says so, writes nothing over and starts nothing', async (t) => {
  const gateway = gatewayWithStores();
  for (let name = 9_950; name < 10_050; name += 1)
    gateway.card.addFolder(`/NL-43/Auto_${String(name % 10_000).padStart(4, '0')}`, gateway.clock.now());
  gateway.set('Store Name', '9950');
  await t.rejects(gateway.run('cycle-start'), {
    code: 'STORE_NAMES_TAKEN',
    message: /from 9950 to 0049\. .*Nothing was overwritten\. .*No measurement was started\.$/,
  });
  t.equal(gateway.machine.settings.get('Store Name'), '9950', 'as it was');
  t.equal(gateway.sent('Measure,Start'), 0);
});

for (const stores of [true, false])
  t.test(
    `a measurement that a database did not note${stores ? ', or only without an answer,' : ''} is the one whose files are fetched`,
    async (t) => {
      const gateway = gatewayWithStores({ store_name_advances: true }, '10s');
      const measured = async () => {
        const started = await outcomeOf(gateway.run('cycle-start'));
        gateway.forget();
        await gateway.clock.advance(60_000);
        return started;
      };
      const fetched = async () => {
        const stopped = await outcomeOf(gateway.run('cycle-stop'));
        gateway.forget();
        return stopped;
      };
      await measured();
      t.match(await fetched(), { folder: '/NL-43/Auto_0003' });
      Object.assign(gateway.database, { answers: false, stores });
      t.match(await measured(), { store_name: '0004', error: undefined }, 'it measures, and the job says so');
      gateway.database.answers = gateway.database.stores = true;
      t.match(await fetched(), { folder: '/NL-43/Auto_0004' });
      t.equal(gateway.sent('Measure,Start'), 2);
    },
  );

t.test('a job that failed after its start: the stop fetches what this start has measured', async (t) => {
  const made = async () => {
    const gateway = gatewayWithStores({ store_name_advances: true }, '10s');
    await gateway.run('cycle-start');
    gateway.forget();
    await gateway.clock.advance(60_000);
    return gateway;
  };
  const folders: unknown[] = [];
  for (let at = 1; ; at += 1) {
    const gateway = await made();
    gateway.moments = 0;
    gateway.cancelAt = at;
    await outcomeOf(gateway.run('cycle-start'));
    const hasEnded = gateway.moments >= at;
    const starts = gateway.sent('Measure,Start');
    gateway.forget();
    gateway.cancelAt = Number.POSITIVE_INFINITY;
    await gateway.clock.advance(60_000);
    const { folder } = await outcomeOf(gateway.run('cycle-stop'));
    if (starts === 2 && folder !== '/NL-43/Auto_0004') folders.push([at, folder]);
    if (!hasEnded) break;
  }
  t.strictSame(folders, []);
});

/** Two instances of a gateway with one simulated meter: one is active, the other is a standby. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { type Gateway, startGateway } from '../../../lib/app/gateway.ts';
import { type Instance, startInstance } from '../../../lib/app/instance.ts';
import type { ActiveInstance } from '../../../lib/app/instances.ts';
import { portsFolder } from '../../../lib/app/wiring.ts';
import type { LeaseRequest, LeaseStore, MemberRow } from '../../../lib/cluster/contract.ts';
import { createLog, type Log } from '../../../lib/log.ts';
import { type Settings, settingsFrom } from '../../../lib/settings/index.ts';
import { loadProfile, startMeter, VirtualClock } from '../../../simulator/index.ts';
import { placesIn } from '../../support/empty-data.ts';
import { send } from '../../support/send.ts';
import { configOf } from '../../support/world.ts';

/** Real time that a database gets at most before time goes on without its answer, ms. */
const ANSWER_WAIT_MS = 250;
/** Real time in which something must happen, ms: a start with a database takes many seconds on a busy computer. */
const UNTIL_LIMIT_MS = 120_000;

/** The parts that all instances of one test share. */
export interface SharedDatabase {
  /** The store of the lease for one of them. */
  store(): LeaseStore;
  /** Settings with which each gateway finds the same data. `folder`: the shared folder. */
  settings(folder: string): Partial<Settings>;
  /** How far the clock goes in one turn of the event loop: a database answers in the time of the computer. */
  readonly stepMs: number;
}

/** The store of one instance, which can be away for this one alone. */
class OwnStore implements LeaseStore {
  isAway = false;
  /** How far the clock of the database is ahead of that of the computers, ms. */
  clockAhead = 0;
  /** The last request has its answer. */
  answered: Promise<unknown> = Promise.resolve();
  readonly #shared: LeaseStore;
  readonly #now: () => number;

  constructor(shared: LeaseStore, now: () => number) {
    this.#shared = shared;
    this.#now = now;
  }

  ask = (request: LeaseRequest, signal: AbortSignal) => {
    if (this.isAway) return Promise.reject(new Error('nobody listens'));
    // The clock of a test is not that of its database.
    const answer = this.#shared.ask(request, signal).then((view) => ({ ...view, time: this.#now() + this.clockAhead }));
    this.answered = answer.catch(() => {});
    return answer;
  };
  look = (signal: AbortSignal) => {
    const view = this.#shared.look(signal);
    this.answered = view.catch(() => {});
    return view;
  };
  remove = (seen: Pick<MemberRow, 'id' | 'beat'>, signal: AbortSignal) =>
    this.isAway ? Promise.reject(new Error('nobody listens')) : this.#shared.remove(seen, signal);
  onChange = (listener: () => void) => this.#shared.onChange(listener);
  close = () => this.#shared.close();
}

/**
 * Starts gateways, one after the other. The limit of a stop is in the time of the clock: on a busy computer it can pass while a thread still has
 * the files that these instances share in place of a database. The next gateway waits until they are free.
 */
function oneAfterTheOther() {
  const ending = new Set<Promise<unknown>>();
  return async (start: () => Promise<Gateway>): Promise<Gateway> => {
    await Promise.all(ending);
    const gateway = await start();
    const closed = async () => {
      await gateway.stop();
      await gateway.history.close();
      await gateway.store.close();
    };
    const stop = () => {
      ending.add(closed().catch(() => {}));
      return gateway.stop();
    };
    return { ...gateway, stop };
  };
}

/** Opens the database and a meter; `begin` starts an instance on both. */
export async function openPair(t: Test, open: (t: Test) => Promise<SharedDatabase>, all: Partial<Settings> = {}) {
  const clock = new VirtualClock();
  const folder = await mkdtemp(join(tmpdir(), 'slm-pair-'));
  const meter = await startMeter({ clock, profile: loadProfile('instant'), soundStepMs: 100, seed: 1 });
  const database = await open(t);
  const lines: string[] = [];
  const log: Log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const running = new Set<Instance>();
  const stores: OwnStore[] = [];
  const inTurn = oneAfterTheOther();
  /** Time waits for a database that works, but not for one that is gone. */
  const passing = async <T>(work: Promise<T>): Promise<T> => {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    work.then(mark, mark);
    while (!settled) {
      await clock.pass(database.stepMs, { stepMs: database.stepMs });
      const answers = Promise.all(stores.map(({ answered }) => answered));
      await Promise.race([answers, pause(ANSWER_WAIT_MS, undefined, { ref: false })]);
    }
    return work;
  };
  /** `data`: of whom the gateway has the folder; one folder is locked, and the same folder on a copied computer is another one. */
  const begin = async (name: string, id = name, more: Partial<Settings> = {}, data = folder) => {
    const store = new OwnStore(database.store(), () => clock.now());
    stores.push(store);
    const given = { port: 0, allow_loopback_meters: true, instance_name: name };
    const own = { ...given, ...all, ...more, ...placesIn(join(folder, name)), key_file: join(folder, 'key') };
    const settings = settingsFrom(own, { env: {}, home: folder });
    mkdirSync(settings.data_dir, { recursive: true });
    const start = (present: Settings, instance: ActiveInstance): Promise<Gateway> => {
      const copied = data !== folder && { ...placesIn(data), key_file: own.key_file };
      return inTurn(() =>
        startGateway({ ...present, ...copied, ...database.settings(data) }, { clock, log, instance }),
      );
    };
    const instance = await passing(startInstance({ settings, clock, log, store, start, id }));
    running.add(instance);
    return {
      instance,
      store,
      ports: portsFolder(settings.data_dir),
      base: `http://127.0.0.1:${instance.port}/api/nl43`,
    };
  };
  t.teardown(async () => {
    for (const instance of running) await passing(instance.stop());
    await passing(meter.stop());
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = (method: string, url: string, json?: object) =>
    passing(
      send(new URL(url), {
        method,
        ...(json && { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } }),
      }),
    );
  /** A database is as quick as it is, however fast the clock goes. */
  const pass = async (ms: number, { stepMs }: { stepMs: number }) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await clock.pass(stepMs, { stepMs });
      for (const { answered } of stores) await answered;
    }
  };
  /** Time passes until it holds; a database follows the time of the computer. */
  const until = async (holds: () => boolean, stepMs: number) => {
    const limit = performance.now() + UNTIL_LIMIT_MS;
    while (!holds() && performance.now() < limit) await pass(stepMs, { stepMs });
  };
  const takesOver = async (instance: Instance, stepMs: number) => {
    await until(() => instance.gateway() !== undefined, stepMs);
    // Connections of before are closed by then.
    await clock.pass(200);
  };
  return { clock, folder, meter, begin, pass, passing, ask, lines, until, takesOver };
}

/** Runs the suite. */
export async function standbyTakesOver(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  /** No meter ever saw two connections. */
  const sawOne = (t: Test, meter: Awaited<ReturnType<typeof openPair>>['meter']) =>
    t.strictSame(
      meter.log.events.filter(({ kind }) => kind === 'held'),
      [],
      'no meter saw two sessions',
    );

  await t.test('a standby is alive, not ready, and names the active instance', async (t) => {
    const { meter, begin, ask, until } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    t.ok(first.instance.gateway());
    t.notOk(second.instance.gateway());
    t.equal((await ask('PUT', `${first.base}/roof/config`, configOf(meter))).status, 200);
    const origin = `http://127.0.0.1:${second.instance.port}`;
    t.equal((await ask('GET', `${origin}/livez`)).status, 200);
    t.match(await ask('GET', `${origin}/readyz`), { status: 503, json: { detail: /first is active/ } });
    t.equal((await ask('GET', `${origin}/health`)).json.status, 'ok');
    const refused = await ask('PUT', `${second.base}/roof/config`, configOf(meter));
    t.match(refused, { status: 503, json: { code: 'STANDBY', active: `http://127.0.0.1:${first.instance.port}` } });
    t.equal(refused.headers.get('retry-after'), '5');
    const states = () => first.instance.known().members.map(({ name, state }) => `${name} ${state}`);
    await until(() => states().length === 2, 500);
    const { data } = (await ask('GET', `${first.base}/_cluster`)).json;
    t.strictSame(
      data.map(({ name, state, self }: { name: string; state: string; self: boolean }) => [name, state, self]),
      [
        ['first', 'active', true],
        ['second', 'standby', false],
      ],
    );
    const metrics = await ask('GET', `http://127.0.0.1:${first.instance.port}/metrics`);
    t.match(metrics.text, /^slm_instances\{state="standby"\} 1$/m);
    t.match(metrics.text, /^slm_instance_active\{member="first"\} 1$/m);
    t.match(metrics.text, /^slm_instance_takeovers_total\{member="first"\} 1$/m);
  });

  await t.test('when the active instance is stopped, the standby is the gateway at once', async (t) => {
    const { meter, begin, ask, clock, passing, takesOver } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    const before = clock.elapsed();
    await passing(first.instance.stop());
    await takesOver(second.instance, 20);
    t.ok(second.instance.gateway());
    t.ok(clock.elapsed() - before < 40_000, 'without waiting for silence');
    t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200, 'at the same address as before');
    sawOne(t, meter);
    const { data } = (await ask('GET', `${second.base}/_cluster`)).json;
    t.equal(data.find(({ name }: { name: string }) => name === 'first').state, 'left');
    const third = await begin('first');
    t.notOk(third.instance.gateway(), 'an instance that comes back is a standby');
  });

  await t.test(
    'an instance without the database ends its sessions before the standby begins, and is a standby when it is back',
    async (t) => {
      const { meter, begin, ask, clock, pass, lines, until, takesOver } = await openPair(t, open);
      const first = await begin('first');
      const second = await begin('second');
      await ask('PUT', `${first.base}/roof/config`, configOf(meter));
      await ask('GET', `${first.base}/roof/live`);
      await pass(12_000, { stepMs: 500 });
      first.store.isAway = true;
      await pass(30_000, { stepMs: 500 });
      t.ok(first.instance.gateway(), 'half a minute changes nothing');
      t.match((await ask('GET', `http://127.0.0.1:${first.instance.port}/health`)).json.problems, [
        { part: 'instances', detail: /ends its sessions 40 s after the last answer/ },
      ]);
      // Its open sessions close in real time.
      await pass(15_000, { stepMs: 100 });
      t.notOk(first.instance.gateway() || second.instance.gateway(), 'then no instance is active for a while');
      const refused = await ask('GET', `${second.base}/roof/status`);
      t.match(refused, { status: 503, json: { code: 'OWNER_CHANGING' } });
      t.match((await ask('GET', `http://127.0.0.1:${second.instance.port}/health`)).json.problems, [
        { part: 'instances', detail: /first is silent: it was active/ },
      ]);
      await takesOver(second.instance, 500);
      t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
      sawOne(t, meter);
      first.store.isAway = false;
      await until(
        () => first.instance.known().members.some(({ id, state }) => id === 'second' && state === 'active'),
        500,
      );
      await clock.pass(1_000);
      t.notOk(first.instance.gateway());
      t.equal((await ask('GET', `${first.base}/roof/live`)).json.code, 'STANDBY');
      t.ok(lines.some((line) => line.includes('the lease is over')));
    },
  );

  await t.test(
    'while the database is away for all, sessions end after 40 s and begin again when it answers',
    async (t) => {
      const { meter, begin, ask, pass, until } = await openPair(t, open);
      const first = await begin('first');
      const second = await begin('second');
      await ask('PUT', `${first.base}/roof/config`, configOf(meter));
      await pass(12_000, { stepMs: 500 });
      for (const { store } of [first, second]) store.isAway = true;
      await pass(60_000, { stepMs: 250 });
      t.notOk(first.instance.gateway());
      await pass(60_000, { stepMs: 1_000 });
      t.notOk(second.instance.gateway());
      for (const { store } of [second, first]) store.isAway = false;
      await until(() => first.instance.gateway() !== undefined, 100);
      t.ok(first.instance.gateway());
      t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
      sawOne(t, meter);
    },
  );

  await t.test('an instance that is alone goes on without the database', async (t) => {
    const { meter, begin, ask, pass } = await openPair(t, open);
    const first = await begin('first');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    await pass(6_000, { stepMs: 500 });
    first.store.isAway = true;
    await pass(900_000, { stepMs: 5_000 });
    t.ok(first.instance.gateway());
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    t.match((await ask('GET', `http://127.0.0.1:${first.instance.port}/health`)).json.problems, [
      { part: 'instances', detail: /It has no standby, so that it goes on/ },
    ]);
  });

  await t.test('a copy of a data folder is refused while the first one may still run', async (t) => {
    const { begin } = await openPair(t, open);
    await begin('first');
    await t.rejects(begin('copy', 'first'), { message: /belongs to the instance first on .*remove instance\.json/ });
  });

  await t.test('an instance that is gone for good is removed, a living one is not', async (t) => {
    const { begin, ask, pass, until } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    await pass(6_000, { stepMs: 500 });
    const remove = () => ask('DELETE', `${first.base}/_cluster/second`);
    t.match(await remove(), { status: 409, json: { code: 'INSTANCE_RUNS' } });
    second.store.isAway = true;
    await until(() => first.instance.known().members.some(({ state }) => state === 'silent'), 500);
    t.equal((await remove()).status, 200);
    t.equal((await ask('GET', `${first.base}/_cluster`)).json.data.length, 1);
    second.store.isAway = false;
    await until(() => first.instance.known().members.length === 2, 500);
    t.pass('it is listed again when it is heard again');
  });

  await t.test('an instance says that its clock is not that of the database', async (t) => {
    const { begin, ask, pass } = await openPair(t, open);
    const first = await begin('first');
    first.store.clockAhead = -3_600_000;
    await pass(6_000, { stepMs: 500 });
    t.match((await ask('GET', `http://127.0.0.1:${first.instance.port}/health`)).json.problems, [
      { part: 'clock', detail: /60 min ahead of that of the database/ },
    ]);
  });
}

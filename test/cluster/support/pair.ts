/** Two instances of a gateway with one simulated meter: one has it, the other waits, passes requests on, and takes over. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { type Gateway, startGateway } from '../../../lib/app/gateway.ts';
import { type Instance, LEASED, startInstance } from '../../../lib/app/instance.ts';
import type { InstanceSeat } from '../../../lib/app/instance-seat.ts';
import { portsFolder } from '../../../lib/app/wiring.ts';
import type { ClusterRequest, SeenMember, SharedClusterStore, SharedFile } from '../../../lib/cluster/contract.ts';
import { MemberLoop } from '../../../lib/cluster/member-loop.ts';
import { CLUSTER_TIMES } from '../../../lib/cluster/times.ts';
import { createLog, type Log } from '../../../lib/log.ts';
import { type Settings, settingsFrom } from '../../../lib/settings/index.ts';
import { loadProfile, startMeter, VirtualClock } from '../../../simulator/index.ts';
import { placesIn } from '../../support/empty-data.ts';
import { send } from '../../support/send.ts';
import { configOf } from '../../support/world.ts';

/** Real time that a database gets at most before time goes on without its answer, ms. */
const ANSWER_WAIT_MS = 250;

/** What the instances of one test have together. */
export interface SharedDatabase {
  /** A store of the cluster for one of them. */
  store(): SharedClusterStore;
  /** What the gateway of each needs to find the same data. `folder`: of all of them. */
  settings(folder: string): Partial<Settings>;
  /** How far the clock goes in one turn of the event loop: a database answers in the time of the computer. */
  readonly stepMs: number;
}

/** The store of one instance, which can be away for this one alone. */
class OwnStore implements SharedClusterStore {
  isAway = false;
  /** False: it does not answer what is asked of its files. */
  hasFiles = true;
  /** How far the clock of the database is ahead of that of the computers, ms. */
  clockAhead = 0;
  /** The last request has its answer. */
  answered: Promise<unknown> = Promise.resolve();
  readonly #shared: SharedClusterStore;
  readonly #now: () => number;

  constructor(shared: SharedClusterStore, now: () => number) {
    this.#shared = shared;
    this.#now = now;
  }

  ask = (request: ClusterRequest, signal: AbortSignal) => {
    if (this.isAway) return Promise.reject(new Error('nobody listens'));
    // The clock of a test is not that of its database.
    const answer = this.#shared
      .ask(request, signal)
      .then((view) => (view === 'refused' ? view : { ...view, time: this.#now() + this.clockAhead }));
    this.answered = answer.catch(() => {});
    return answer;
  };
  remove = (seen: SeenMember, signal: AbortSignal) =>
    this.isAway ? Promise.reject(new Error('nobody listens')) : this.#shared.remove(seen, signal);
  members = (signal: AbortSignal) => {
    const members = this.#shared.members(signal);
    this.answered = members.catch(() => {});
    return members;
  };
  secret = (signal: AbortSignal) => this.#shared.secret(signal);
  versions = (signal: AbortSignal) => (this.hasFiles ? this.#shared.versions(signal) : new Promise<never>(() => {}));
  read = (name: string, signal: AbortSignal) => this.#shared.read(name, signal);
  write = (file: SharedFile, signal: AbortSignal) => this.#shared.write(file, signal);
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
    const start = (present: Settings, instance: InstanceSeat): Promise<Gateway> => {
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
    const limit = performance.now() + 30_000;
    while (!holds() && performance.now() < limit) await pass(stepMs, { stepMs });
  };
  const takesOver = async (instance: Instance, stepMs: number) => {
    await until(() => instance.gateway() !== undefined, stepMs);
    // Connections of before are closed by then.
    await clock.pass(200);
  };
  /** A member of another release, as far as the others can see. */
  const joinAs = (name: string, version: string) => {
    const about = { name, version, address: `http://192.0.2.1/${name}`, place: name };
    const parts = { id: name, about, sites: [''], times: CLUSTER_TIMES, movesPerBeat: 1, isBusy: () => false };
    const store = database.store();
    const loop = new MemberLoop({ ...parts, store, clock, log });
    t.teardown(async () => {
      loop.close();
      await store.close();
    });
    return loop;
  };
  return { clock, folder, meter, begin, joinAs, pass, passing, ask, lines, until, takesOver };
}

/** Runs the suite. */
export async function pairKeepsPromises(t: Test, open: (t: Test) => Promise<SharedDatabase>): Promise<void> {
  await t.test('the second instance waits and passes requests and streams on', async (t) => {
    const { meter, begin, ask, clock } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    t.ok(first.instance.gateway());
    t.notOk(second.instance.gateway());
    t.equal(
      (await ask('PUT', `${second.base}/roof/config`, configOf(meter))).status,
      200,
      'a config is made by way of the other one',
    );
    const live = await ask('GET', `${second.base}/roof/live`);
    t.equal(live.status, 200);
    t.match(live.json.data.lp, /^\d+\.\d$/);
    t.equal((await ask('GET', `${second.base}/roof/nothing`)).status, 404, 'so are refusals');

    t.equal((await ask('GET', `http://127.0.0.1:${second.instance.port}/livez`)).status, 200);
    t.equal((await ask('GET', `http://127.0.0.1:${second.instance.port}/health`)).json.status, 'ok');
    const ready = await ask('GET', `http://127.0.0.1:${second.instance.port}/readyz`);
    t.equal(ready.status, 503);
    t.match(ready.json.detail, /first has the meters/);
    t.equal((await ask('GET', `${second.base}/roof/session`)).json.data.instance, 'first');
    const { data } = (await ask('GET', `${second.base}/_cluster`)).json;
    t.strictSame(
      data
        .map(({ name, state, self }: { name: string; state: string; self: boolean }) => [name, state, self])
        .toSorted(),
      [
        ['first', 'has the meters', true],
        ['second', 'waits', false],
      ],
    );

    const metrics = await ask('GET', `http://127.0.0.1:${second.instance.port}/metrics`);
    t.match(metrics.text, /^slm_instances\{state="waits"\} 1$/m);
    t.match(metrics.text, /^slm_instance_heard\{member="second",version="[^"]+"\} 1$/m);
    t.match(metrics.text, /^slm_instance_has_meters\{member="first"\} 1$/m);
    t.match(metrics.text, /^slm_instance_takeovers_total\{member="first"\} 1$/m, 'it is asked by way of the other one');

    const socket = new WebSocket(`${second.base.replace('http', 'ws')}/roof/live`);
    t.teardown(() => socket.terminate());
    const frames: unknown[] = [];
    socket.on('message', (text) => frames.push(JSON.parse(String(text))));
    for (let tries = 0; tries < 200 && frames.length < 20; tries += 1) await clock.pass(100);
    t.ok(frames.length >= 20, 'a stream comes through');
  });

  await t.test(
    'an instance that leaves is followed at once; nobody ever knocked at a place that was taken',
    async (t) => {
      const { meter, begin, ask, clock, passing, takesOver } = await openPair(t, open);
      const first = await begin('first');
      const second = await begin('second');
      await ask('PUT', `${first.base}/roof/config`, configOf(meter));
      t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
      const before = clock.elapsed();
      await passing(first.instance.stop());
      await takesOver(second.instance, 20);
      t.ok(second.instance.gateway());
      t.ok(clock.elapsed() - before < 40_000, 'without waiting for silence');
      t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200, 'at the same address as before');
      t.strictSame(
        meter.log.events.filter(({ kind }) => kind === 'held'),
        [],
      );
      const { data } = (await ask('GET', `${second.base}/_cluster`)).json;
      t.equal(data.find(({ name }: { name: string }) => name === 'first').state, 'left');

      const third = await begin('first');
      t.notOk(third.instance.gateway(), 'who comes back waits');
    },
  );

  await t.test(
    'who cannot reach the database stops by itself before another one begins, and waits when it is back',
    async (t) => {
      const { meter, begin, ask, clock, pass, lines, until, takesOver } = await openPair(t, open);
      const first = await begin('first');
      const second = await begin('second');
      await ask('PUT', `${first.base}/roof/config`, configOf(meter));
      await ask('GET', `${first.base}/roof/live`);
      first.store.isAway = true;
      await pass(30_000, { stepMs: 500 });
      t.ok(first.instance.gateway(), 'half a minute changes nothing');
      t.equal((await ask('GET', `${second.base}/roof/status`)).status, 200);
      // What it had open is closed in the time of the computer.
      await pass(15_000, { stepMs: 100 });
      t.notOk(first.instance.gateway() || second.instance.gateway(), 'then nobody has the meters for a while');
      const nobody = await ask('GET', `${second.base}/roof/status`);
      t.equal(nobody.status, 503);
      t.equal(nobody.json.code, 'OWNER_CHANGING');
      t.equal(nobody.headers.get('retry-after'), '5');
      t.match((await ask('GET', `http://127.0.0.1:${second.instance.port}/health`)).json.problems, [
        { part: 'instances', detail: /first is silent: it has the meters, and nobody is answered/ },
      ]);
      await takesOver(second.instance, 500);
      t.ok(second.instance.gateway());
      t.equal((await ask('GET', `${second.base}/roof/live`)).status, 200);
      t.strictSame(
        meter.log.events.filter(({ kind }) => kind === 'held'),
        [],
        'no meter saw two of them',
      );
      first.store.isAway = false;
      await until(
        () => first.instance.members().some(({ id, state }) => id === 'second' && state === 'has the meters'),
        500,
      );
      await clock.pass(1_000);
      t.notOk(first.instance.gateway());
      t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200, 'and passes requests on');
      t.ok(lines.some((line) => line.includes('the lease is over')));
    },
  );

  await t.test('an instance waits beside one of another release, and each takes over from the other', async (t) => {
    const { begin, joinAs, passing, takesOver, until } = await openPair(t, open);
    const holds = (loop: MemberLoop) => () => LEASED.every(({ unit }) => loop.holds(unit));
    const older = joinAs('older', '0.1.0');
    await until(holds(older), 100);
    const first = await begin('first');
    t.notOk(first.instance.gateway());
    t.match(
      first.instance.members().find(({ name }) => name === 'older'),
      { version: '0.1.0', state: 'has the meters' },
    );
    t.ok(await passing(older.leave(2_000)));
    await takesOver(first.instance, 100);
    t.ok(first.instance.gateway());

    const newer = joinAs('newer', '9.0.0');
    await until(() => newer.view.members.length === 3, 100);
    t.notOk(holds(newer)());
    await passing(first.instance.stop());
    await until(holds(newer), 100);
    t.ok(holds(newer)());
  });

  await t.test(
    'the database is away for all: with the promise of the other one the meters are kept, and nothing changes hands',
    async (t) => {
      const { meter, begin, ask, pass, lines, until, passing } = await openPair(t, open);
      const first = await begin('first');
      const second = await begin('second');
      await ask('PUT', `${first.base}/roof/config`, configOf(meter));
      // The first one hears of the second with a beat, and says with the next one that it asks it.
      await pass(12_000, { stepMs: 500 });
      for (const { store } of [first, second]) store.isAway = true;
      await pass(90_000, { stepMs: 500 });
      t.ok(first.instance.gateway(), 'longer than it takes to be taken over');
      t.notOk(second.instance.gateway());
      t.equal(
        (await ask('GET', `${second.base}/roof/live`)).status,
        200,
        'commands go on, also by way of the other one',
      );
      t.ok(lines.some((line) => line.includes('goes on without the database')));
      for (const { store } of [second, first]) store.isAway = false;
      await until(() => first.instance.members().every(({ state }) => state !== 'silent'), 500);
      await pass(65_000, { stepMs: 1_000 });
      t.ok(first.instance.gateway() && !second.instance.gateway());
      t.strictSame(
        meter.log.events.filter(({ kind }) => kind === 'held'),
        [],
      );

      for (const { store } of [first, second]) store.isAway = true;
      await pass(30_000, { stepMs: 500 });
      await passing(second.instance.stop());
      await pass(50_000, { stepMs: 500 });
      t.notOk(first.instance.gateway(), 'without the promise it stops: the other one may come back and take over');
    },
  );

  await t.test('one that is alone goes on without the database for ten minutes, not for ever', async (t) => {
    const { meter, begin, ask, pass } = await openPair(t, open);
    const first = await begin('first');
    await ask('PUT', `${first.base}/roof/config`, configOf(meter));
    await pass(6_000, { stepMs: 500 });
    first.store.isAway = true;
    await pass(580_000, { stepMs: 2_500 });
    t.ok(first.instance.gateway());
    t.equal((await ask('GET', `${first.base}/roof/live`)).status, 200);
    await pass(25_000, { stepMs: 2_500 });
    t.notOk(first.instance.gateway());
  });

  await t.test('who waits for the files of all in vain takes over all the same', async (t) => {
    const { begin, lines, passing, takesOver } = await openPair(t, open);
    const first = await begin('first');
    const second = await begin('second');
    second.store.hasFiles = false;
    await passing(first.instance.stop());
    await takesOver(second.instance, 100);
    t.ok(second.instance.gateway());
    t.ok(lines.some((line) => line.includes('the own ones stay')));
  });

  await t.test('a copy of a data folder is refused while the first one may still run', async (t) => {
    const { begin } = await openPair(t, open);
    await begin('first');
    await t.rejects(begin('copy', 'first'), { message: /belongs to the instance first on .*remove instance\.json/ });
  });
}

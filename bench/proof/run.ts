/** The proof itself, on the host of the meters. Started by `index.ts`. */
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ProofDatabase } from './database.ts';
import { setCut, setLink } from './network.ts';
import { baseOf, ProofInstance, startMeters } from './programs.ts';
import { Referee } from './referee.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    times: { type: 'string', default: '1' },
    log: { type: 'string' },
  },
});
const METERS = 4;
const HOUR_S = 3_600;
const ACTIVE_MS = 150_000;
/** Until the active instance has seen the standby, and all streams flow, ms. */
const SETTLED_MS = 15_000;

const folder = values.log ?? mkdtempSync(join(tmpdir(), 'slm-proof-'));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o755);
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
const seconds = (s: number) => pause(s * 1_000);

const database = new ProofDatabase(folder);
await database.open();
const meters = await startMeters(METERS, folder);
const units: string[] = meters.meters.map(({ unit_id }: { unit_id: string }) => unit_id);
const instances = (['north', 'south'] as const).map((host) => new ProofInstance(host, folder));
for (const instance of instances) await instance.begin();

async function active(): Promise<ProofInstance> {
  for (const end = Date.now() + ACTIVE_MS; Date.now() < end; await pause(100)) {
    for (const instance of instances) if (await instance.answers('/readyz')) return instance;
  }
  throw new Error('no instance is active');
}
const otherThan = (one: ProofInstance) => instances.find((each) => each !== one) ?? one;

async function ask(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await fetch(baseOf((await active()).host) + path, init);
  return { status: answer.status, text: await answer.text() };
}

for (const { unit_id, host, tcp_port, ftp_port } of meters.meters) {
  const config = { host, tcp_port, ftp_port, timezone: 'UTC', history: 'stream', poll_enabled: false };
  const { status, text } = await ask('PUT', `/${unit_id}/config`, config);
  if (status >= 300) throw new Error(`${unit_id}: ${text}`);
}
const referee = new Referee(meters.control_url, units);
await referee.begin();
await pause(SETTLED_MS);

/** Ends and begins of sessions after a moment. Times in s since then; the last meter counts. */
async function seenSince(from: number) {
  await referee.look();
  const ends: number[] = [];
  const begins: number[] = [];
  for (const unit of units) {
    const served = referee.servedOf(unit);
    const ended = served.filter(({ to }) => to !== undefined && to >= from);
    ends.push(...ended.map(({ to }) => ((to ?? from) - from) / 1_000));
    begins.push(
      ...served
        .filter((one) => one.from >= from)
        .map((one) => (one.from - from) / 1_000)
        .slice(0, 1),
    );
  }
  return {
    ended: ends.length,
    firstEnd: ends.length > 0 ? Math.min(...ends) : undefined,
    begun: begins.length,
    begin: begins.length > 0 ? Math.max(...begins) : undefined,
  };
}

/** A fault ends healed. Its words say what was measured; throws where it is not as it should be. */
interface Fault {
  readonly name: string;
  run(from: number): Promise<string>;
}
const holds = (is: boolean, words: string): string => {
  if (!is) throw new Error(words);
  return words;
};
const within = async (from: number, most: number): Promise<string> => {
  const { begun, begin = Number.NaN } = await seenSince(from);
  return holds(
    begun === METERS && begin <= most,
    `${begun} of ${METERS} streams again after ${begin.toFixed(1)} s (${most} s)`,
  );
};

const faults: readonly Fault[] = [
  {
    name: 'killed and started again',
    async run(from) {
      const one = await active();
      one.signal('SIGKILL');
      await one.ended();
      await one.begin();
      await seconds(20);
      return within(from, 3);
    },
  },
  {
    name: 'stopped in order',
    async run(from) {
      const one = await active();
      one.signal('SIGTERM');
      await one.ended();
      await active();
      await seconds(20);
      const words = await within(from, 3);
      await one.begin();
      return words;
    },
  },
  {
    name: 'killed for good',
    async run(from) {
      const one = await active();
      one.signal('SIGKILL');
      await one.ended();
      await active();
      await seconds(10);
      const words = await within(from, 75);
      await one.begin();
      return words;
    },
  },
  {
    name: 'stands still for 90 s',
    async run(from) {
      const one = await active();
      one.signal('SIGSTOP');
      await seconds(90);
      const before = referee.sights.length;
      one.signal('SIGCONT');
      await seconds(10);
      await referee.look();
      const sent = referee.sights.slice(before).filter(({ host, kind }) => host === one.host && kind === 'command');
      const hasEnded = !one.isThere;
      if (hasEnded) await one.begin();
      holds(sent.length === 0 && hasEnded, `after it went on it sent ${sent.length} commands, and ended: ${hasEnded}`);
      // Its system kept the connections of the process: their places at the meters are free since it ended.
      await seconds(60);
      return `${await within(from, 160)}; it sent nothing after it went on`;
    },
  },
  {
    name: 'cut from the database',
    async run(from) {
      const one = await active();
      setCut(one.host, true);
      await seconds(85);
      const { firstEnd = Number.NaN } = await seenSince(from);
      const words = await within(from, 80);
      setCut(one.host, false);
      await seconds(10);
      return `sessions ended after ${holds(firstEnd <= 46, firstEnd.toFixed(1))} s; ${words}`;
    },
  },
  {
    name: 'the database is away for two minutes, with a standby',
    async run(from) {
      setLink('primary', false);
      await seconds(120);
      const { ended, firstEnd = Number.NaN } = await seenSince(from);
      const back = Date.now();
      setLink('primary', true);
      await seconds(30);
      const words = await within(back, 15);
      return `${ended} sessions ended, the first after ${holds(firstEnd >= 30 && firstEnd <= 46, firstEnd.toFixed(1))} s; after its return ${words}`;
    },
  },
  {
    name: 'the database is started again',
    async run(from) {
      await database.stop('primary', 'SIGINT');
      await database.begin('primary');
      await seconds(15);
      const { ended } = await seenSince(from);
      return holds(ended === 0, `${ended} sessions ended`);
    },
  },
  {
    name: 'the clock of the active instance is an hour off',
    async run(from) {
      const one = await active();
      one.setClock(HOUR_S);
      await seconds(20);
      one.setClock(0);
      await seconds(20);
      const { ended, begin = 0 } = await seenSince(from);
      return holds(
        (await active()) === one && begin <= 30,
        `${ended} sessions ended, the last began again within ${begin.toFixed(1)} s`,
      );
    },
  },
  {
    name: 'the database is away for two minutes, alone',
    async run() {
      const one = await active();
      const other = otherThan(one);
      other.signal('SIGTERM');
      await other.ended();
      await seconds(12);
      const from = Date.now();
      setLink('primary', false);
      await seconds(120);
      const { ended } = await seenSince(from);
      setLink('primary', true);
      await seconds(10);
      await other.begin();
      return holds(ended === 0, `${ended} sessions ended`);
    },
  },
  {
    name: 'the database fails over',
    async run(from) {
      setLink('primary', false);
      await database.stop('primary', 'SIGQUIT');
      await seconds(10);
      database.promote();
      await seconds(30);
      const { ended } = await seenSince(from);
      return holds(ended === 0, `${ended} sessions ended`);
    },
  },
];

let isProved = true;
const only = values.only.split(',').filter((word) => word !== '');
const chosen = faults.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
const wanted = Array.from({ length: Number(values.times) }, () => chosen).flat();
if (wanted.length === 0)
  throw new Error(
    `no fault to prove: --only has words of ${faults.map(({ name }) => name).join(', ')}; --times a number`,
  );
for (const [n, { name, run }] of wanted.entries()) {
  const note = `before fault ${n}`;
  const kept = await ask('PUT', `/${units[0]}/config`, { name: note });
  try {
    say(`${name}: ${await run(Date.now())}; load ${loadavg()[0]?.toFixed(1)}`);
  } catch (error) {
    isProved = false;
    say(
      `NOT AS IT SHOULD BE: ${name}: ${error instanceof Error ? error.message : error}; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  for (const instance of instances) if (!instance.isThere) await instance.begin();
  await active();
  await pause(SETTLED_MS);
  const now = await ask('GET', `/${units[0]}/config`);
  if (kept.status < 300 && !now.text.includes(note)) {
    isProved = false;
    say(`NOT AS IT SHOULD BE: an acknowledged config was lost: ${now.text}`);
  }
}
await referee.close();
const twice = referee.sights.filter(({ kind }) => kind === 'held' || kind === 'refused');
const overlaps = units.flatMap((unit) => {
  const served = referee.servedOf(unit);
  return served.filter((one, n) => {
    const before = served[n - 1];
    return before && before.host !== one.host && (before.to ?? Number.POSITIVE_INFINITY) > one.from;
  });
});
say(
  `two served sessions: ${overlaps.length}; knocks at a taken place: ${twice.length}; events not read: ${referee.lost}`,
);
if (overlaps.length > 0 || referee.lost > 0) isProved = false;
console.log(`The logs are in ${folder}.`);
process.exit(isProved ? 0 : 1);

/** The proof itself, on the host of the meters. Started by `index.ts`. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Cards, WITH_CARD } from './cards.ts';
import { ProofDatabase } from './database.ts';
import { factsOf, lackingIn, secondsIn, type Witnesses } from './facts.ts';
import { type Done, rolesOf, type Scene } from './fault.ts';
import { commit, faultsOf } from './faults.ts';
import { HealthWatch } from './health.ts';
import type { Line } from './line.ts';
import { ask, Load } from './load.ts';
import { othersOf } from './others.ts';
import { keepRun, pageOf, wordsOf } from './page.ts';
import { Plans } from './plans.ts';
import { baseOf, ProofInstance, startMeters } from './programs.ts';
import { Referee } from './referee.ts';
import { shareIsEven } from './shares.ts';
import { judge } from './verdict.ts';

const { values } = parseArgs({
  options: {
    meters: { type: 'string', default: '200' },
    streamed: { type: 'string', default: '20' },
    storing: { type: 'string', default: '0' },
    share: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    log: { type: 'string' },
    page: { type: 'string' },
  },
});
const METERS = Number(values.meters);
const STREAMED = Number(values.streamed);
/** So many of the streamed meters store on their cards. */
const STORING = Number(values.storing);
/** The instances that wait serve meters. */
const IS_SHARED = values.share;
/** Meters with a schedule that runs each minute. */
const PLANNED = 20;
const OWNER_MS = 120_000;
/** Polls and streams are on their way by then, ms. */
const BEGUN_MS = 60_000;
/** Of a receiver that checks no signature. */
const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const LOUD_DB = 95;
const QUIET_DB = 45;

const folder = values.log ?? mkdtempSync(join(tmpdir(), 'slm-proof-'));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o755);
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

const database = new ProofDatabase(folder);
await database.open();
say('the database and its standby are there');
const meters = await startMeters(METERS, folder);
const units: string[] = meters.meters.map(({ unit_id }: { unit_id: string }) => unit_id);
const instances = (['north', 'south', 'west'] as const).map((host) => new ProofInstance(host, folder, IS_SHARED));
for (const instance of instances) await instance.begin();
const hosts = instances.map(({ host }) => host);

async function owner(): Promise<ProofInstance> {
  for (const end = Date.now() + OWNER_MS; Date.now() < end; await pause(250)) {
    for (const instance of instances) if (await instance.answers('/readyz')) return instance;
  }
  throw new Error('no instance has the meters');
}

const first = await owner();
say(`${hosts.length} instances, ${first.host} has the meters`);
for (const [n, { unit_id, host, tcp_port, ftp_port }] of meters.meters.entries()) {
  const isStreamed = n < STREAMED;
  const kept = { history: isStreamed ? 'stream' : 'off', poll_enabled: !isStreamed, ...(n < STORING && WITH_CARD) };
  const config = { host, tcp_port, ftp_port, timezone: 'UTC', ...kept };
  const { status, json } = await ask(first.host, 'PUT', `/${unit_id}/config`, { ...config, poll_interval_seconds: 15 });
  if (status !== 200 && status !== 201) throw new Error(`${unit_id}: ${JSON.stringify(json)}`);
}
const streamed = units.slice(0, STREAMED);
const planned = units.slice(STREAMED, STREAMED + PLANNED);
const storing = streamed.slice(0, STORING);
const load = new Load(
  hosts,
  units.filter((unit) => ![...planned, ...storing].includes(unit)),
);
const target = await ask(first.host, 'POST', '/_alerts/targets', {
  name: 'proof',
  kind: 'webhook',
  secret: SECRET,
  url: await load.listen(),
});
const rule = {
  name: 'loud',
  kind: 'level',
  units: streamed,
  quantity: 'leq',
  window: '1m',
  limit_db: 80,
  continue: false,
};
const made = await ask(first.host, 'POST', '/_alerts/rules', { ...rule, targets: [target.json.data?.id] });
if (made.status !== 201) throw new Error(`rule: ${JSON.stringify([target, made])}`);
const even = () => (IS_SHARED ? shareIsEven(hosts, METERS) : Promise.resolve());
await even();
const referee = new Referee(meters.control_url, units);
await referee.begin();
const cards = new Cards(meters.control_url, storing);
await cards.begin(first.host);
await pause(BEGUN_MS);
const begun = Date.now();
const plans = new Plans(hosts, planned);
await plans.begin(first.host);
load.begin();

const scene: Scene = { database, instances, owner, even };
const health = new HealthWatch(hosts);
const witnesses: Witnesses = { referee, load, health, streamed };
const only = values.only.split(',').filter((word) => word !== '');
const wanted = faultsOf(rolesOf(IS_SHARED)).filter(
  ({ name }) => only.length === 0 || only.some((word) => name.includes(word)),
);
const done: (Done & { readonly loud: string })[] = [];
let card: Line | undefined;
for (const [n, fault] of wanted.entries()) {
  // By a clock that is wrong the times of a card are not known.
  if (fault.clockOff !== undefined && STORING > 0) card ??= await cards.judge((await owner()).host, begun);
  if (fault.clockOff !== undefined) await plans.close();
  say(`${n + 1} of ${wanted.length}: ${fault.name}`);
  const loud = streamed[n % streamed.length] ?? '';
  await referee.sound(loud, LOUD_DB);
  const one = { ...(await commit(fault, scene)), loud };
  done.push(one);
  await referee.sound(loud, QUIET_DB);
  await referee.look();
  say(`  ${wordsOf(factsOf(one, loud, witnesses))}; load ${loadavg()[0]?.toFixed(1)}`);
}
await load.close();
// Messages and rows that are on their way arrive.
await pause(60_000);
await plans.close();
await referee.close();
health.close();
// What each meter saw: a line of the page that is not kept is explained by it.
writeFileSync(join(folder, 'meters.jsonl'), referee.sights.map((sight) => `${JSON.stringify(sight)}\n`).join(''));
const { host: last } = await owner();
if (STORING > 0) card ??= await cards.judge(last, begun);
const rows = [];
for (const one of done) {
  const { from, to, fault, loud } = one;
  const off = (fault.clockOff ?? 0) * 1_000;
  const elsewhere = off === 0 ? undefined : await secondsIn(last, streamed, from + off, to + off);
  const levels = { kept: await secondsIn(last, streamed, from, to), elsewhere, all: ((to - from) / 1_000) * STREAMED };
  const facts = factsOf(one, loud, witnesses);
  const lacking = IS_SHARED ? await lackingIn(last, facts.steady, one, referee) : [];
  for (const { unit, s } of lacking) if (s > 1) say(`${fault.name}: ${unit} lacks ${s.toFixed(1)} s`);
  rows.push({ ...one, facts, levels, lacking });
}
const lines = [
  ...(await judge(referee, load, { host: last, units, streamed, plans, done, begun })),
  ...(IS_SHARED ? othersOf(rows, streamed, referee) : []),
  ...(card ? [card] : []),
];
const about = { meters: METERS, streamed: STREAMED, storing: STORING, isShared: IS_SHARED, begun };
const page = pageOf({ ...about, rows, lines });
console.log(`\n${page.text}\nThe logs are in ${folder}. Asked at ${baseOf(last)}.`);
keepRun(page.text, join(folder, 'run.md'), values.page);
process.exit(page.isKept ? 0 : 1);

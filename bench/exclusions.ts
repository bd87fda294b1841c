/**
 * A month of a unit that records all the time, with a hundred exclusions: how long answers take that leave them out, beside the same answers
 * with all time, in turn in the same run. Exits with 1 where one takes more than 8 times as long. `npm run bench -- exclusions`, about one minute.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/app/gateway.ts';
import { createLog } from '../lib/log.ts';
import { deviceConfig } from '../test/support/config.ts';
import { recordDay, repeatDay } from './setting/recorded.ts';
import { hoursOfSound } from './setting/sound.ts';

const DAY_S = 86_400;
const DAYS = 29;
const EXCLUSIONS = 100;
const TURNS = 25;
/** An hour that an exclusion cuts is read second by second; others are only added up. */
const BOUND = 8;
const FROM = (Math.floor(Date.now() / 1_000 / DAY_S) - DAYS) * DAY_S;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
const SPAN = `from=${iso(FROM)}&to=${iso(FROM + DAYS * DAY_S)}`;
/** Its stream is recorded. */
const RECORDED = 'unit';
/** Its levels are minutes of another system. */
const IMPORTED = 'imported';
const ANSWERS: Readonly<Record<string, string>> = {
  indices: `/${RECORDED}/indices?${SPAN}`,
  assessment: `/${RECORDED}/assessment?${SPAN}`,
  'history at 1 h': `/${RECORDED}/history?step=1h&${SPAN}`,
  'report as data': `/_reports/preview?units=${RECORDED}&format=json&zone=Europe/Berlin&${SPAN}`,
  'indices of imported minutes': `/${IMPORTED}/indices?${SPAN}`,
  'assessment of imported minutes': `/${IMPORTED}/assessment?${SPAN}`,
  'history at 1 h of imported minutes': `/${IMPORTED}/history?step=1h&${SPAN}`,
};

const folder = await mkdtemp(join(tmpdir(), 'slm-bench-'));
const places = { data_dir: join(folder, 'data'), key_file: join(folder, 'key') };
const start = () => startGateway({ port: 0, ...places }, { log: createLog('silent') });

// The first start makes the data folder; the levels come while nobody holds it.
let gateway = await start();
for (const unitId of [RECORDED, IMPORTED])
  await gateway.store.configs.change(unitId, () => deviceConfig({ unitId, tcpEnabled: false }));
await gateway.stop();
const history = join(places.data_dir, 'history.db');
const [hour = []] = hoursOfSound(FROM, 1);
const day = Array.from({ length: 24 }, (_, n) => hour.map((row) => ({ ...row, at: row.at + n * 3_600 })));
await recordDay(history, RECORDED, day);
repeatDay(history, FROM / 3_600, DAYS, DAYS);
gateway = await start();

try {
  await importMinutes();
  for (const unitId of [RECORDED, IMPORTED]) await exclude(unitId);
  for (const [name, path] of Object.entries(ANSWERS)) if ((await compared(name, path)) > BOUND) process.exitCode = 1;
} finally {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Spread over all hours, 20 to 50 minutes each, and no edge is a full minute. */
async function exclude(unitId: string): Promise<void> {
  const apart = (DAYS * DAY_S) / EXCLUSIONS;
  for (let n = 0; n < EXCLUSIONS; n++) {
    const from = FROM + Math.floor(n * apart) + 7;
    const answer = await fetch(`${gateway.baseUrl}/${unitId}/notes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ from: iso(from), to: iso(from + 1_213 + ((n * 617) % 1_800)), kind: 'exclusion' }),
    });
    if (answer.status !== 201)
      throw new Error(`an exclusion was answered with ${answer.status} ${await answer.text()}`);
  }
}

/** The minutes of the recorded hour, again and again. */
async function importMinutes(): Promise<void> {
  const levels = Array.from({ length: 60 }, (_, minute) => hour[minute * 60]);
  const lines = Array.from({ length: DAYS * 1_440 }, (_, minute) => {
    const { leq = null, lmax = null } = levels[minute % 60] ?? {};
    return `${iso(FROM + minute * 60)},60,${leq?.toFixed(1)},${lmax?.toFixed(1)}`;
  });
  const answer = await fetch(`${gateway.baseUrl}/${IMPORTED}/history/import`, {
    method: 'POST',
    headers: { 'Content-Type': 'text/csv' },
    body: ['start,duration_s,leq,lmax', ...lines].join('\n'),
  });
  if (answer.status >= 300) throw new Error(`an import was answered with ${answer.status} ${await answer.text()}`);
}

/** How many times as long it takes with the exclusions left out: the quotient of the medians of some turns. */
async function compared(name: string, path: string): Promise<number> {
  const took: { readonly apply: number[]; readonly ignore: number[] } = { apply: [], ignore: [] };
  for (let turn = 0; turn < TURNS; turn++)
    for (const exclusions of ['apply', 'ignore'] as const) {
      const began = performance.now();
      const answer = await fetch(`${gateway.baseUrl}${path}&exclusions=${exclusions}`);
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
      took[exclusions].push(performance.now() - began);
    }
  const [apply, ignore] = [median(took.apply), median(took.ignore)];
  const ratio = apply / ignore;
  console.log(
    `${name}: ${apply.toFixed(0)} ms without the excluded time, ${ignore.toFixed(0)} ms with it: ${ratio.toFixed(2)} times`,
  );
  return ratio;
}

function median(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0;
}

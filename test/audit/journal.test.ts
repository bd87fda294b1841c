/**
 * The audit log: its content, and how a changed, missing or added record is found. Old months are removed and the chain
 * stays.
 */
import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { latest } from '../../lib/audit/backward.ts';
import { chained, verify } from '../../lib/audit/chain.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { DAY_MS, entry, place } from './place.ts';

/** A log of 20 records in one file. */
async function written(t: Test) {
  const at = place(t);
  const journal = await at.open();
  for (let i = 1; i <= 20; i += 1) journal.add(entry({ request: `r-${i}`, unitId: i % 2 ? 'roof' : 'gate' }));
  await journal.close();
  const file = await at.file();
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return { ...at, journal, file, lines };
}

t.test('author, change, time and address, with the old value, the requested value and the answer', async (t) => {
  const at = place(t);
  const journal = await at.open();
  journal.add(entry());
  const [record] = await journal.read({ limit: 10, units: null });
  t.match(record, {
    n: 1,
    at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    kind: 'request',
    who: 'anna',
    key_id: 'k1',
    address: '192.0.2.9',
    method: 'PUT',
    route: '/{unit_id}/clock',
    unit_id: 'roof',
    body: { datetime: '2026/11/21,06:00:00' },
    before: { clock: '2026/11/21 05:00:00' },
    status: 200,
    answer: { clock: '2026/11/21 06:00:00' },
    prev: '0'.repeat(64),
    hash: /^[0-9a-f]{64}$/,
  });
});

t.test(
  'a caller can wait until its record is on the disk; records that come meanwhile are written together',
  async (t) => {
    const at = place(t);
    const journal = await at.open();
    const requests = Array.from({ length: 50 }, (_, number) => `r-${number}`);
    await Promise.all(
      requests.map(async (request) => {
        await journal.add(entry({ request }));
        t.match(await readFile(await at.file(), 'utf8'), `"request":"${request}"`, request);
      }),
    );
  },
);

t.test('a disk that cannot be written keeps nobody waiting, and the records come when it works again', async (t) => {
  const at = place(t);
  const journal = await at.open();
  await journal.add(entry({ request: 'r-1' }));
  const file = await at.file();
  // A folder in place of the file: every write to it fails.
  const text = await readFile(file, 'utf8');
  await rm(file);
  await mkdir(file);
  await journal.add(entry({ request: 'r-2' }));
  await journal.add(entry({ request: 'r-3' }));
  t.equal(
    at.lines.filter((line) => line.includes('the audit log could not be written')).length,
    1,
    'one line, not one a record',
  );
  t.match(journal.shortage, { full: false, detail: /^The audit log cannot be written\. Its records wait in memory/ });
  await rm(file, { recursive: true });
  await writeFile(file, text);
  await at.clock.advance(5_000);
  await journal.read({ limit: 1, units: null });
  t.equal(journal.shortage, undefined, 'without a further record');
  t.match(await verify(at.folder), { records: 3, broken: undefined });
});

t.test('no secret is written, at any depth', async (t) => {
  const at = place(t);
  const journal = await at.open();
  const secrets = { ftp_password: 'canary-1', ftp_username: 'canary-2', deep: [{ api_key: 'canary-3' }] };
  journal.add(entry({ body: secrets, before: secrets, answer: { ticket: 'canary-4', token: 'canary-5' } }));
  journal.add(entry({ body: { text: 'x'.repeat(50_000) } }));
  await journal.close();
  const text = await readFile(await at.file(), 'utf8');
  t.notMatch(text, 'canary');
  t.match(text, '"ftp_password":"***"');
  t.match(text, '"left_out_bytes":5', 'and nothing large');
  t.ok(text.length < 4_000);
});

t.test('an untouched log is whole, over a restart too', async (t) => {
  const { folder, open } = await written(t);
  const again = await open();
  again.add(entry());
  await again.close();
  t.match(await verify(folder), { records: 21, broken: undefined, found: true, head: { n: 21 } });
});

t.test('a text with a line separator in it is one record, also for the check and at the next start', async (t) => {
  const { folder, open } = place(t);
  for (let start = 0; start < 2; start += 1) {
    const journal = await open();
    journal.add(entry({ body: { name: 'North\u2028roof\u2029\u0085' } }));
    await journal.close();
  }
  t.match(await verify(folder), { records: 2, broken: undefined, head: { n: 2 } });
});

/** The record of this line with another name in it, and the hash that belongs to it now. */
function resealed(line: string): string {
  const { n, prev, hash, ...fields } = JSON.parse(line);
  return JSON.stringify(chained({ n: n - 1, hash: prev }, { ...fields, who: 'nobody' }));
}

t.test('a record that was changed, taken out, put in or moved is named', async (t) => {
  const { folder, file, lines } = await written(t);
  const tampered: Record<string, [string[], number]> = {
    'a changed value': [lines.map((line, i) => (i === 6 ? line.replace('"roof"', '"gate"') : line)), 7],
    'a changed time': [lines.map((line, i) => (i === 9 ? line.replace('"at":"2', '"at":"1') : line)), 10],
    'one taken out': [lines.filter((_, i) => i !== 4), 5],
    'one put in twice': [lines.flatMap((line, i) => (i === 4 ? [line, line] : [line])), 6],
    'two exchanged': [[...lines.slice(0, 3), lines[4] ?? '', lines[3] ?? '', ...lines.slice(5)], 4],
    'the oldest taken away': [lines.slice(3), 1],
    'no JSON': [lines.map((line, i) => (i === 2 ? line.slice(0, 40) : line)), 3],
    'another hash': [lines.map((line, i) => (i === 6 ? line.replace(/"hash":"../, '"hash":"zz') : line)), 7],
    'a changed record with a hash that fits': [lines.map((line, i) => (i === 6 ? resealed(line) : line)), 8],
  };
  for (const [what, [changed, line]] of Object.entries(tampered)) {
    t.ok(changed.join() !== lines.join(), `${what} is a change`);
    await writeFile(file, `${changed.join('\n')}\n`);
    t.match((await verify(folder)).broken, { line }, what);
  }
});

t.test('a log that was cut short at its end is found by a hash noted earlier', async (t) => {
  const { folder, file, lines } = await written(t);
  const noted = JSON.parse(lines.at(-1) ?? '').hash;
  t.match(await verify(folder, noted), { found: true });
  await writeFile(file, `${lines.slice(0, -2).join('\n')}\n`);
  t.match(await verify(folder), { broken: undefined }, 'the chain alone does not tell');
  t.match(await verify(folder, noted), { found: false });
});

t.test('a last record that a crash left unfinished is cut off, and the chain goes on', async (t) => {
  const { folder, file, open, lines } = await written(t);
  await appendFile(file, (lines.at(-1) ?? '').slice(0, 100));
  const journal = await open();
  journal.add(entry());
  await journal.close();
  t.match(await verify(folder), { records: 21, broken: undefined });
});

t.test('behind a last line that is no record the chain goes on from the record before it', async (t) => {
  const { folder, file, open, lines } = await written(t);
  await writeFile(file, `${[...lines.slice(0, -1), '\0\0\0'].join('\n')}\n`);
  const journal = await open();
  journal.add(entry());
  await journal.close();
  const pages = [
    await journal.read({ limit: 3, units: null }),
    await journal.read({ limit: 3, before: 18, units: null }),
  ];
  t.same(
    pages.flat().map(({ n }) => n),
    [20, 19, 18, 17, 16, 15],
    'and every record can be read, page by page',
  );
  t.match((await verify(folder)).broken, { line: 20, why: 'it is no record' });
});

t.test('each month has its file, and old months go with an anchor that keeps the rest verifiable', async (t) => {
  const at = place(t, { keepDays: 60 });
  const journal = await at.open();
  for (let month = 0; month < 8; month += 1) {
    journal.add(entry({ request: `month-${month}` }));
    await journal.read({ limit: 1, units: null });
    await at.clock.advance(31 * DAY_MS);
  }
  await journal.close();
  const again = await at.open();
  await again.close();
  const files = await readdir(at.folder);
  t.ok(files.length >= 2 && files.length <= 4, files.join());
  const verdict = await verify(at.folder);
  t.match(verdict, { broken: undefined });
  t.ok(verdict.records < 14);
  await rm(join(at.folder, files.sort()[0] ?? ''));
  t.match((await verify(at.folder)).broken, { why: /no anchor record/ }, 'what goes without an anchor is missed');
});

t.test('a clock that is years ahead takes no month away, also over a restart', async (t) => {
  const at = place(t, { keepDays: 90 });
  const journal = await at.open();
  for (let month = 0; month < 2; month += 1) {
    journal.add(entry());
    await journal.read({ limit: 1, units: null });
    await at.clock.advance(31 * DAY_MS);
  }
  const before = (await readdir(at.folder)).sort();
  await at.clock.advance(3_650 * DAY_MS);
  journal.add(entry());
  await journal.close();
  for (let start = 0; start < 2; start += 1) {
    const again = await at.open();
    again.add(entry());
    await again.read({ limit: 1, units: null });
    await again.close();
    const files = (await readdir(at.folder)).sort();
    t.strictSame(files.slice(0, before.length), before);
    t.equal(files.length, before.length + 1);
  }
  t.equal((await verify(at.folder)).broken, undefined);
});

t.test('a shorter time takes old months away at once, and the rest can still be checked', async (t) => {
  const at = place(t);
  const journal = await at.open();
  for (let month = 0; month < 5; month += 1) {
    journal.add(entry());
    await journal.read({ limit: 1, units: null });
    await at.clock.advance(31 * DAY_MS);
  }
  const before = (await readdir(at.folder)).length;
  journal.retain({ keepDays: 40, maxBytes: 1e9 });
  await journal.close();
  t.ok((await readdir(at.folder)).length < before);
  t.equal((await verify(at.folder)).broken, undefined);
});

t.test(
  'the latest records come first, by unit, page by page, and only of the units that the caller may see',
  async (t) => {
    const { open } = await written(t);
    const journal = await open();
    const numbers = async (query: object) =>
      (await journal.read({ limit: 3, units: null, ...query })).map(({ n }) => n);
    t.same(await numbers({}), [20, 19, 18]);
    t.same(await numbers({ before: 18 }), [17, 16, 15]);
    t.same(await numbers({ unitId: 'roof' }), [19, 17, 15]);
    t.same(await numbers({ units: ['gate'], before: 5 }), [4, 2]);
    t.same(await numbers({ units: [] }), []);
  },
);

t.test(
  'records that a disk did not take are counted, and when the disk is back records are written again',
  async (t) => {
    const at = place(t);
    const journal = await at.open();
    await rm(at.folder, { recursive: true });
    for (let i = 0; i < 10_002; i += 1) journal.add(entry());
    await journal.read({ limit: 1, units: null });
    await mkdir(at.folder);
    journal.add(entry({ request: 'the last that is lost' }));
    await journal.read({ limit: 1, units: null });
    journal.add(entry({ request: 'the first that is kept' }));
    journal.add(entry());
    const [after, first] = await journal.read({ limit: 2, units: null });
    t.match(first, { n: 10_001, request: 'the first that is kept', lost: 3 });
    t.notOk(after && 'lost' in after, 'told once');
    t.match(await verify(at.folder), { records: 10_002, broken: undefined });
  },
);

t.test('a clock set back over the end of a month breaks no chain, now or at the next start', async (t) => {
  let skewMs = 0;
  const clock = new VirtualClock(Date.UTC(2026, 11, 1, 0, 0, 1));
  const wrong = { now: () => clock.now() + skewMs, elapsed: () => clock.elapsed(), after: clock.after.bind(clock) };
  const at = place(t, { clock: wrong });
  const journal = await at.open();
  journal.add(entry());
  skewMs = -2_000;
  journal.add(entry());
  await journal.close();
  skewMs = -40 * DAY_MS;
  const again = await at.open();
  again.add(entry());
  await again.close();
  t.match(await verify(at.folder), { broken: undefined, records: 3 });
  t.same(await readdir(at.folder), ['2026-12.jsonl']);
});

t.test('pages follow each other without a gap, whatever is asked for', async (t) => {
  const at = place(t);
  const journal = await at.open();
  const long = 'x'.repeat(900);
  for (let i = 1; i <= 300; i += 1) journal.add(entry({ unitId: i % 3 ? 'roof' : 'gate', answer: { long } }));
  for (const [unitId, limit] of [
    [undefined, 7],
    ['gate', 11],
    ['nobody', 5],
    [undefined, 500],
  ] as const) {
    const pages: number[] = [];
    for (let before: number | undefined; ; before = pages.at(-1)) {
      const page = await journal.read({ unitId, before, limit, units: null });
      pages.push(...page.map(({ n }) => n));
      if (page.length < limit) break;
    }
    const all = Array.from({ length: 300 }, (_, index) => 300 - index);
    const wanted = unitId === 'nobody' ? [] : all.filter((n) => unitId === undefined || n % 3 === 0);
    t.strictSame(pages, wanted, `${unitId} by ${limit}`);
  }
});

t.test('a page of a month of any size costs what it shows', async (t) => {
  const { file, folder } = await written(t);
  const lines = await readFile(file, 'utf8');
  const large = await open(file, 'w');
  // A hole of 50 GB in front of the records: nobody reads that in the time of a test.
  await large.truncate(50e9);
  await large.write(`\n${lines}`, 50e9);
  await large.close();
  const name = file.slice(folder.length + 1);
  const page = await latest(folder, name, { limit: 3 });
  t.same(
    page.map(({ n }) => n),
    [20, 19, 18],
  );
  const older = await latest(folder, name, { limit: 2, before: 12 });
  t.same(
    older.map(({ n }) => n),
    [11, 10],
  );
});

t.test('a page leaves out no record where the search meets a line that is none', async (t) => {
  const at = place(t);
  const journal = await at.open();
  for (let i = 1; i <= 300; i += 1) journal.add(entry({ answer: { long: 'x'.repeat(900) } }));
  await journal.close();
  const file = await at.file();
  const text = await readFile(file, 'utf8');
  /** The record that begins behind this share of the file, where a search by halves looks. */
  const behind = (share: number) => text.slice(0, Math.floor(text.length * share)).split('\n').length;
  const lines = text.split('\n');
  lines[behind(1 / 4)] = '?'.repeat(lines[behind(1 / 4)]?.length ?? 0);
  await writeFile(file, lines.join('\n'));
  const before = behind(1 / 2) + 1;
  const [first] = await latest(at.folder, file.slice(at.folder.length + 1), { limit: 1, before });
  t.equal(first?.n, before - 1);
});

t.test(
  'the seal of a day is a record of the chain, and is refused rather than lost where there is no room',
  async (t) => {
    const at = place(t);
    const journal = await at.open();
    const seal = { unit_id: 'roof', day: '2025-12-24', version: 1, root: 'a'.repeat(64), rows: 86_400, replaces: null };
    const record = await journal.seal(seal);
    t.match(record, { n: 1, kind: 'seal', ...seal });
    t.strictSame(await journal.read({ unitId: 'roof', limit: 10, units: null }), [record], 'it is on the disk');
    journal.retain({ keepDays: 0, maxBytes: 1 });
    await t.rejects(journal.seal({ ...seal, version: 2 }), /takes no more records/);
    await journal.close();
  },
);

/** The audit log has a size: old months go early, and what a full log does not take is counted and told. */
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { verify } from '../../lib/audit/chain.ts';
import { openJournal } from '../../lib/audit/journal.ts';
import { createLog } from '../../lib/log.ts';
import { DAY_MS, entry, place } from './place.ts';

t.test('a log that grows too large is reported in time, and its oldest months go early', async (t) => {
  const at = place(t, { maxBytes: 20_000 });
  const journal = await at.open();
  const fill = async (bytes: number) => {
    const began = await sizes(at.folder);
    while ((await sizes(at.folder)) < began + bytes) {
      journal.add(entry());
      await journal.read({ limit: 1, units: null });
    }
  };
  await fill(12_000);
  t.equal(journal.shortage, undefined);
  await at.clock.advance(31 * DAY_MS);
  await fill(6_500);
  t.match(journal.shortage, { full: false, detail: /^The audit log is 9\d % full; .*audit_max_mb\.$/ });
  t.equal(at.lines.filter((line) => line.includes('% full')).length, 1, 'one line, not one a record');
  for (let more = 0; journal.shortage && more < 20; more++) {
    journal.add(entry());
    await journal.read({ limit: 1, units: null });
  }
  t.equal(journal.shortage, undefined, 'the first month has gone');
  await journal.close();
  t.equal((await readdir(at.folder)).length, 1);
  t.equal((await verify(at.folder)).broken, undefined, 'in good order');
});

t.test('old months count until they are gone, also while the disk takes no anchor for them', async (t) => {
  const at = place(t, { maxBytes: 20_000 });
  const journal = await at.open();
  const add = async () => {
    journal.add(entry());
    await journal.read({ limit: 1, units: null }).catch(() => {});
  };
  while ((await sizes(at.folder)) < 12_000) await add();
  await at.clock.advance(31 * DAY_MS);
  // A folder in the place of the next file: nothing can be written to it.
  const [, year = '', month = ''] = /(\d{4})-(\d{2})/.exec((await readdir(at.folder))[0] ?? '') ?? [];
  const next = join(
    at.folder,
    ((await readdir(at.folder))[0] ?? '').replace(`${year}-${month}`, nextMonth(year, month)),
  );
  await mkdir(next);
  for (let more = 0; more < 100; more += 1) await add();
  t.equal((await readdir(at.folder)).length, 2, 'the first month is still there');
  await rm(next, { recursive: true });
  await add();
  for (let more = 0; more < 100 && (await sizes(at.folder)) < 18_500; more += 1) await add();
  t.match(journal.shortage, { detail: /^The audit log is/ }, 'what there is, is known');
  await journal.close();
  t.equal((await verify(at.folder)).broken, undefined);
});

t.test('a month that goes while the log is read is passed over', async (t) => {
  const at = place(t);
  const journal = await at.open();
  journal.add(entry());
  // Listed, and gone when it is opened.
  await symlink(join(at.folder, 'gone'), join(at.folder, '2001-01.jsonl'));
  t.match(await journal.read({ limit: 10, units: null }), [{ n: 1 }]);
});

t.test('a log that is full can be read, and closed, after a change that it could not take', async (t) => {
  const at = place(t, { maxBytes: 5_000 });
  const journal = await at.open();
  while (!journal.shortage?.full) {
    journal.add(entry({ request: 'kept' }));
    await journal.read({ limit: 1, units: null });
  }
  journal.add(entry({ request: 'lost' }));
  t.match(await journal.read({ limit: 1, units: null }), [{ request: 'kept' }]);
  await journal.close();
});

t.test('a month that is too large by itself takes no more records, counts lost records, and says so', async (t) => {
  const at = place(t, { maxBytes: 5_000 });
  const journal = await at.open();
  for (let i = 0; i < 100; i += 1) journal.add(entry());
  t.match(journal.shortage, { full: true, detail: /full and takes no more records/ });
  await journal.close();
  t.ok((await sizes(at.folder)) < 6_000);
  t.equal((await verify(at.folder)).broken, undefined);
  const again = await openJournal({ ...at, keepDays: 0, maxBytes: 1e6, log: createLog('silent') });
  again.add(entry({ request: 'later' }));
  t.match(await again.read({ limit: 1, units: null }), [{ request: 'later' }], 'with more room it goes on');
  await again.close();
});

const nextMonth = (year: string, month: string): string =>
  new Date(Date.UTC(Number(year), Number(month), 1)).toISOString().slice(0, 7);

async function sizes(folder: string): Promise<number> {
  const all = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return all.reduce((sum, { size }) => sum + size, 0);
}

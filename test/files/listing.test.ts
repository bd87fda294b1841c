import fc from 'fast-check';
import t from 'tap';
import { MOST_ENTRIES, readListing } from '../../lib/files/listing.ts';
import { growth } from '../support/growth.ts';
import { character } from '../support/texts.ts';

/** 24 December 2025, 02:00 UTC. */
const NOW = Date.UTC(2025, 11, 24, 2);
const read = (text: string, now = NOW) => readListing(text, '/NL-43', now);
const line = (name: string, date = 'Dec 24 02:13', start = '-rw-rw-rw-') =>
  `${start}   1 root  root      1482 ${date} ${name}`;

t.test('a name keeps every space that it has', async (t) => {
  for (const name of [
    'NL_0001_SLM_Lp _0019_0001.rnd',
    ' leading',
    '  two leading',
    'two  inside',
    'trailing ',
    'Dec 24 02:13 x',
    '測定.rnd',
  ])
    t.match(
      read(line(name)),
      { entries: [{ name, path: `/NL-43/${name}`, size: 1482 }], dropped: 0 },
      JSON.stringify(name),
    );
});

t.test('columns of owner and group may be missing or numbers', async (t) => {
  for (const text of [
    '-rw-rw-rw- 1 1482 Dec 24 02:13 a',
    '-rw-rw-rw- 1 root 1482 Dec 24 02:13 a',
    '-rw-rw-rw-   1 0        0            1482 Dec 24 02:13 a',
  ])
    t.match(read(text), { entries: [{ name: 'a', size: 1482 }], dropped: 0 }, text);
});

t.test('a year that is not listed is the youngest that is not in the future, with a day of grace', async (t) => {
  const cases: [string, number, string, string][] = [
    ['Dec 24 02:13', NOW, 'Dec 24 2025', '2025-12-24T02:13:00'],
    ['Dec 25 01:59', NOW, 'Dec 25 2025', '2025-12-25T01:59:00'],
    ['Dec 25 02:01', NOW, 'Dec 25 2024', '2024-12-25T02:01:00'],
    ['Jan  1 00:00', NOW, 'Jan 01 2025', '2025-01-01T00:00:00'],
    ['Dec 31 23:59', Date.UTC(2026, 0, 1, 0, 5), 'Dec 31 2025', '2025-12-31T23:59:00'],
    ['Jan  1 00:30', Date.UTC(2025, 11, 31, 23, 50), 'Jan 01 2026', '2026-01-01T00:30:00'],
    ['Feb 29 12:00', NOW, 'Feb 29 2024', '2024-02-29T12:00:00'],
  ];
  for (const [date, now, modified, modifiedAt] of cases)
    t.match(
      read(line('a', date), now).entries[0],
      { modified, modifiedAt },
      `${date} seen at ${new Date(now).toISOString()}`,
    );
});

t.test('a file that is listed with a year has no time of day', async (t) => {
  t.match(read(line('a', 'Mar  3  2019')).entries[0], { modified: 'Mar 03 2019', modifiedAt: undefined });
});

t.test('dates that do not exist are dropped', async (t) => {
  for (const date of [
    'Feb 30 10:00',
    'Foo 01 10:00',
    'Jan  0  2020',
    'Jan 32  2020',
    'Feb 29  2023',
    'Jan 01 24:00',
    'Jan 01 10:60',
  ])
    t.match(read(line('a', date)), { entries: [], dropped: 1 }, date);
});

t.test('names that could mislead or lead elsewhere are dropped and counted', async (t) => {
  for (const name of [
    '/etc/passwd',
    '../up',
    'a/b',
    'a\\b',
    'a\0b',
    'a\x1b[2Jb',
    'a\rb',
    'photo\u202egnp.exe',
    'a\u200fb',
    'a\u2066b',
    'a\u2028b',
    'a\uFFFDb',
    'a\u0085b',
    'x'.repeat(256),
  ])
    t.match(read(line(name)), { entries: [], dropped: 1 }, encodeURI(name));
});

t.test(
  'links, devices and lines of another shape are dropped and counted; totals and empty lines are nothing',
  async (t) => {
    const text = [
      'total 12',
      '',
      line('a -> /etc', 'Dec 24 02:13', 'lrwxrwxrwx'),
      line('tty', 'Dec 24 02:13', 'crw-rw-rw-'),
      '12-24-25  02:13AM       1482 dos.txt',
      'hello',
      '-rw-rw-rw-   1 root  root      -5 Dec 24 02:13 minus',
      '-rw-rw-rw-   1 root  root      9999999999999999 Dec 24 02:13 huge',
      '-rw-rw-rw-   1 root  root      1482 Dec 24 02:13 ',
      line('x'.repeat(2_000)),
      line('good'),
    ].join('\r\n');
    t.match(read(text), { entries: [{ name: 'good' }], dropped: 8 });
  },
);

t.test('`.` and `..` are neither listed nor counted; a folder has size 0', async (t) => {
  const text = ['.', '..', 'Auto_0019'].map((name) => line(name, 'Dec 24 02:13', 'drwxrwxrwx')).join('\n');
  t.match(read(text), { entries: [{ name: 'Auto_0019', size: 0, isDir: true }], dropped: 0 });
});

t.test('more entries than any card has are refused whole', async (t) => {
  const text = `${line('a')}\n`;
  t.equal(read(text.repeat(MOST_ENTRIES)).entries.length, MOST_ENTRIES);
  t.throws(() => read(text.repeat(MOST_ENTRIES + 1)), RangeError);
});

t.test('any text is read without failing, and all names stay inside the folder', async (t) => {
  const columns = fc.constantFrom(
    '-rw-rw-rw-',
    'drwxrwxrwx',
    '1',
    'root',
    '1482',
    'Dec',
    '24',
    '02:13',
    '2025',
    ' ',
    '/',
    '..',
    '\u202e',
  );
  const lines = fc.oneof(
    fc.string({ unit: character }),
    fc.array(columns).map((parts) => parts.join(' ')),
    fc.string({ unit: character }).map((name) => line(name)),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(lines), (all) => {
        const { entries } = read(all.join('\r\n'));
        return entries.every(
          ({ name, path, size }) =>
            path === `/NL-43/${name}` &&
            !/[/\\\p{Cc}\p{Cf}]/u.test(name) &&
            name !== '..' &&
            Number.isSafeInteger(size),
        );
      }),
      { numRuns: 300 },
    ),
  );
});

t.test('a hostile line costs no more than its length', async (t) => {
  const lines = (length: number) => Array.from({ length: 200 }, () => `-rw-rw-rw- ${'1 '.repeat(length)}`).join('\n');
  t.equal(read(lines(500)).dropped, 200);
  t.ok(growth(100, (length) => read(lines(length))) < 64);
});

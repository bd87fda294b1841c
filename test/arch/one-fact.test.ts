/** Facts that decide something in many places are written in one of them (docs/architecture.md). */
import t from 'tap';
import { sourceFiles } from './source.ts';

const code = sourceFiles('lib', 'plugins');
const holders = (pattern: RegExp, files = code) =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

t.test('how the id of a unit is written', async (t) => {
  t.strictSame(holders(/\[A-Za-z0-9._-\]\{0,63\}/), ['lib/domain/ids.ts']);
});

t.test('which roles there are, and their order', async (t) => {
  t.strictSame(holders(/'viewer',\s*'operator'|'operator',\s*'admin'|'admin',\s*'operator'/), ['lib/domain/ids.ts']);
  t.strictSame(holders(/'viewer'\s*\|\s*'operator'/), []);
  const outside = sourceFiles('client', 'cli', 'web').filter(({ path }) => path !== 'client/schemas.ts');
  t.strictSame(holders(/'viewer',\s*'operator'|'operator',\s*'admin'|'viewer'\s*\|\s*'operator'/, outside), []);
});

t.test('what a local clock shows', async (t) => {
  // The second also runs in a page that is opened from disk, which has no library of zones.
  t.strictSame(holders(/timeZone\b|toZonedDateTime|getTimeZone/), [
    'lib/domain/zone.ts',
    // The language of a reader says how a time is written.
    'plugins/alerts/delivery/mail/mail-text.ts',
    'plugins/evidence/verify/seals.ts',
    'plugins/reports/words.ts',
    'plugins/shares/speech.ts',
  ]);
  // Pages and command line have no library of zones; how a locale writes a time is another matter.
  const outside = sourceFiles('client', 'cli', 'web');
  t.strictSame(holders(/sv-SE|toZonedDateTime|getTimezoneOffset/, outside), ['client/local-time.ts']);
});

t.test('how levels are counted, and which level is exceeded so often', async (t) => {
  t.strictSame(holders(/1 - percent\w* \/ 100|counts: Map</), ['lib/domain/indices/level-counts.ts']);
});

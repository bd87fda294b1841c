/** The page for acousticians says what the code does. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { indices, tables } from '../../lib/built-in.ts';
import { propertyOf } from '../../lib/settings/schema.ts';
import { PUBLISHED } from '../domain/indices/support/published.ts';

const text = readFileSync(new URL('../../docs/measuring.md', import.meta.url), 'utf8');

/** Cells of the rows of the first table below a heading. */
const rowsBelow = (heading: string): string[][] => {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

t.test('the table of published values has the values that the tests check', async (t) => {
  t.strictSame(
    rowsBelow('Checks of the numbers'),
    PUBLISHED.map(([what, , expected]) => [what, String(expected)]),
  );
});

t.test('each check at an edge has a test of this name', async (t) => {
  const rows = rowsBelow('Checks at the edges');
  t.ok(rows.length >= 15);
  for (const [what, , named = ''] of rows) {
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? [];
    const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    // `...` stands for what differs between tests of one kind.
    const isThere = title.split('...').every((part) => source.includes(part.trim()));
    t.ok(isThere && /t\.test\(/.test(source), `${what}: ${title}`);
  }
});

t.test('the periods of each preset are those of the code', async (t) => {
  const hours = (minutes: number) => String(minutes / 60).padStart(2, '0');
  const shown = Object.entries(indices.PRESETS).map(([name, { periods, index }]) => {
    const of = (period: string) => {
      const found = periods.find((each) => each.name === period);
      return found ? `${hours(found.from)}-${hours(found.to)}` : '';
    };
    return [`\`${name}\``, of('day'), of('evening'), of('night'), index];
  });
  const documented = rowsBelow('Days, periods, validity')
    .filter(([name]) => name !== '`custom`')
    .map(([name = '', day = '', evening = '', night = '', index = '']) => [
      name,
      day,
      evening.split(',')[0],
      night.split(',')[0],
      index.toLowerCase(),
    ]);
  t.strictSame(documented, shown);
});

t.test('steps and times of keeping are those of the code', async (t) => {
  t.ok(text.includes(`\`${tables.STEP_NAMES.join(' ')}\``));
  t.equal(propertyOf('history_seconds_days').default, 30);
  t.equal(propertyOf('history_minutes_days').default, 1_830);
});

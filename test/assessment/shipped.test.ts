/** Files of the gateway: presets and calendars of holidays. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { ROOT } from '../../lib/built-in.ts';
import { readShipped } from '../../plugins/assessment/store.ts';

const DAY_MS = 86_400_000;
const YEARS = [2025, 2026, 2027];
/** Sundays, as the almanac has them. */
const EASTER: Readonly<Record<number, string>> = { 2025: '2025-04-20', 2026: '2026-04-05', 2027: '2027-03-28' };
const daysOf = (name: string): readonly string[] =>
  readShipped()
    .calendars.get(name)
    ?.days.map(({ date }) => date) ?? [];

t.test('every calendar names its law, has the days of three years in order, and each once', async (t) => {
  const { calendars } = readShipped();
  t.strictSame([...calendars.keys()], ['de', 'es', 'fr', 'gb-eng', 'jp', 'us']);
  for (const [name, { source, days }] of calendars) {
    const dates = days.map(({ date }) => date);
    t.strictSame(dates, [...new Set(dates)].sort(), name);
    t.ok(source.length > 5, name);
    for (const year of YEARS) t.ok(dates.includes(`${year}-01-01`), `${name} ${year}`);
    t.ok(
      days.every((day) => day.name.trim() !== ''),
      name,
    );
  }
});

t.test('days that follow Easter lie where Easter puts them', async (t) => {
  const after = { de: [-2, 1, 39, 50], es: [-2], fr: [1, 39, 50], 'gb-eng': [-2, 1] };
  for (const [name, offsets] of Object.entries(after)) {
    const dates = daysOf(name);
    for (const year of YEARS)
      for (const offset of offsets) {
        const date = new Date(Date.parse(EASTER[year] ?? '') + offset * DAY_MS).toISOString().slice(0, 10);
        t.ok(dates.includes(date), `${name}: ${date}`);
      }
  }
});

t.test('each year has all days of the law, and the substitute days', async (t) => {
  const count = (name: string) => YEARS.map((year) => daysOf(name).filter((date) => date.startsWith(`${year}`)).length);
  t.strictSame(count('de'), [9, 9, 9]);
  t.strictSame(count('fr'), [11, 11, 11]);
  t.strictSame(count('es'), [9, 9, 9]);
  t.strictSame(count('gb-eng'), [8, 9, 10], 'Boxing Day of 2026 on Saturday, Christmas 2027 at a weekend');
  t.strictSame(count('us'), [11, 12, 15], 'three of 2027 at a weekend, and New Year 2028 on Saturday');
  t.strictSame(count('jp'), [19, 18, 17], 'sixteen, and those between or for Sundays');
  t.ok(daysOf('us').includes('2026-07-03'), 'observed on Friday');
  t.ok(daysOf('jp').includes('2026-09-22'), 'between two holidays');
  for (const date of daysOf('gb-eng').filter((one) => !one.endsWith('-01-01') && !one.includes('-12-')))
    t.ok([1, 5].includes(new Date(date).getUTCDay()), `${date} is a Monday or Good Friday`);
});

t.test('the error of a bad file has its name and the path in it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slm-shipped-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const place = pathToFileURL(`${folder}/`);
  for (const name of ['assessments', 'calendars'])
    cpSync(new URL(`config/${name}`, ROOT), join(folder, name), { recursive: true });
  t.equal(readShipped(place).presets.size, readShipped().presets.size);
  const wrong = (name: string, change: (text: string) => string) => {
    const whole = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), change(whole));
    let message = '';
    try {
      readShipped(place);
    } catch (error) {
      message = error instanceof Error ? error.message : '';
    }
    writeFileSync(join(folder, name), whole);
    return message;
  };
  const preset = 'assessments/us-ldn.json';
  t.match(
    wrong(preset, (text) => text.replace('"periods"', '"perods"')),
    /assessments\/us-ldn\.json: .*perods/,
  );
  t.match(
    wrong(preset, (text) => text.replace('"22:00"', '"21:00"')),
    /us-ldn\.json: \/periods\/\d\/times\/0 .*lies in/,
  );
  t.match(
    wrong('calendars/de.json', (text) => text.replace('2026-04-03', '2026-04-31')),
    /calendars\/de\.json: \/days\/\d+\/date is no day of the calendar/,
  );
  t.match(
    wrong('calendars/de.json', () => '{'),
    /calendars\/de\.json: .*JSON/,
  );
});

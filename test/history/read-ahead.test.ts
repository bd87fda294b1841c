/** Reading ahead of a database saves round trips. An export of all units does not hold all that it has read. */
import t from 'tap';
import { PostgresSource } from '../../lib/history/postgres/source.ts';
import { finished } from '../../lib/history/stored/work.ts';

/** More than a unit has, and less than a thousand of them. */
const MANY = 1_000;

t.test('rows of a series are kept while others of its unit are read, but not after a thousand', async (t) => {
  let asked: unknown[] = [];
  const rows = async (_text: string, [series]: readonly unknown[] = []) => {
    asked.push(series);
    return [];
  };
  const source = new PostgresSource({ rows }, () => 0);
  for (const read of [
    (series: number) => finished<unknown>(source.minutes(series, 0)),
    (series: number) => finished<unknown>(source.seconds(series, 0)),
    (series: number) => finished<unknown>(source.intervals(series, 0, 3_600)),
  ]) {
    const all = async (first: number, end: number) => {
      asked = [];
      for (let series = first; series < end; series += 1) await read(series);
      return asked.length;
    };
    t.equal(await all(1, 20), 19);
    t.equal(await all(1, 20), 0);
    t.equal(await all(20, MANY), MANY - 20);
    t.equal(await all(1, 20), 19, 'it is read again');
    t.equal(await all(1, 20), 0);
  }
});

/** A write that fails leaves no trace: also not in what is known in memory of the intervals of a series. */
import { join } from 'node:path';
import t from 'tap';
import { Catalogue } from '../../lib/history/sqlite/catalogue.ts';
import { prepareFile } from '../../lib/history/sqlite/prepare.ts';
import { RowWriter } from '../../lib/history/sqlite/recorder.ts';
import { connect, TableReader } from '../../lib/history/sqlite/tables.ts';
import { storedInterval } from '../../lib/history/stored/columns.ts';
import { AF, HOUR, interval } from '../contract/history/rows.ts';

t.test('after a write that failed the bounds of the intervals are those from before', async (t) => {
  const path = join(t.testdir(), 'history.db');
  const file = await prepareFile(path);
  await file.makeTables();
  const { writer, reader } = connect(path);
  t.teardown(() => {
    reader.close();
    writer.close();
    file.release();
  });
  const catalogue = new Catalogue(writer);
  const recorder = new RowWriter(writer, new TableReader(reader), catalogue);
  const key = { unitId: 'roof', source: 'card', weighting: AF } as const;
  const write = (...starts: readonly number[]) =>
    recorder.write({
      series: [key],
      rows: new Uint8Array(0),
      intervals: starts.map((at) => ({ series: 0, row: storedInterval(interval(at, 900, 50)) })),
    });
  const bounds = () => {
    const { intervalsFrom, intervalsTo } = catalogue.find(key) ?? {};
    return [intervalsFrom, intervalsTo];
  };
  write(HOUR);
  t.strictSame(bounds(), [HOUR, HOUR + 900]);
  writer.exec(
    `create trigger full before insert on history_interval when new.at = ${HOUR + 9_000} begin select raise(abort, 'full'); end`,
  );
  t.throws(() => write(HOUR + 4_500, HOUR + 9_000), { message: 'full' });
  t.strictSame(bounds(), [HOUR, HOUR + 900], 'the first interval of that write is not there either');
  t.strictSame(
    new TableReader(reader).intervals(catalogue.find(key)?.id ?? 0, 0, HOUR + 20_000).map(({ at }) => at),
    [HOUR],
  );
});

/** Channels: each has its own rows, and none of them is mixed with those of another. */
import type { Test } from 'tap';
import { isGatewayError } from '../../../lib/errors.ts';
import type { Batch, IntervalRow, SecondRow } from '../../../lib/history/contract.ts';
import {
  AF,
  both,
  CF,
  HOUR,
  hours,
  interval,
  minutes,
  PERCENTILES,
  rowsOf,
  type Stage,
  second,
  stream,
} from './rows.ts';

const of = (channel: string, batch: Batch): Batch => ({ ...batch, channel });
const lasting = (count: number, leq: number, more: Partial<SecondRow> = {}): SecondRow[] =>
  Array.from({ length: count }, (_, index) => second(HOUR + index, leq, more));
async function* pageOf(...rows: readonly IntervalRow[]) {
  yield rows;
}

export function channels(t: Test, setUp: (t: Test) => Promise<Stage>): void {
  t.test(
    'rows of two channels with one weighting stay apart, and without a name the main channel is meant',
    async (t) => {
      const { history } = await setUp(t);
      const unitId = 'channels';
      const batches = [
        stream(unitId, lasting(3_700, 60)),
        of('sub1', stream(unitId, lasting(3_600, 72))),
        of('sub2', stream(unitId, lasting(1_800, 75), CF)),
      ];
      const asked = [minutes(60, PERCENTILES), hours(2, 3_600)];
      const everywhere = [undefined, 'main', 'sub1', 'sub2', 'sub3', null].flatMap((channel) =>
        asked.map((query) => (channel === undefined ? query : { ...query, channel })),
      );
      await both(t, history, batches, everywhere);
      const [main] = await rowsOf(history, { unitId, ...hours(1, 3_600) });
      t.match(main, { leq: 60, lmax: 61, measured: 3_600 });
      const [sub] = await rowsOf(history, { unitId, ...hours(1, 3_600, { channel: 'sub1' }) });
      t.match(sub, { leq: 72, lmax: 73, measured: 3_600 });
      const head = await history.query({ unitId, ...hours(1, 3_600, { channel: 'sub2' }) });
      t.match(head, { channel: 'sub2', weighting: CF, otherWeightings: [] });
      t.match(await history.query({ unitId, ...hours(1, 3_600) }), { channel: 'main', otherWeightings: [] });
      const { series } = await history.extent(unitId);
      t.strictSame(series.map(({ channel, weighting, measured }) => [channel, weighting.frequency, measured]).sort(), [
        ['main', 'A', 3_700],
        ['sub1', 'A', 3_600],
        ['sub2', 'C', 1_800],
      ]);
      t.match(await history.extent(unitId, { channel: 'sub2' }), { last: HOUR + 1_800, series: [{ channel: 'sub2' }] });
    },
  );

  t.test('any channel: the channel with most rows of the weighting, and only rows of this weighting', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'any-channel';
    const later = (rows: readonly SecondRow[]) => rows.map((row) => ({ ...row, at: row.at + 3_600 }));
    history.append(stream(unitId, lasting(60, 60), CF));
    history.append(stream(unitId, later(lasting(60, 61))));
    history.append(of('sub2', stream(unitId, [...lasting(60, 75), ...later(lasting(60, 76))], CF)));
    history.append(of('sub3', stream(unitId, later(lasting(60, 50)))));
    await history.flush();
    const ask = (more: object) => history.query({ unitId, ...hours(2, 7_200), channel: null, ...more });
    t.match(await ask({ frequency: 'C' }), { channel: 'sub2', weighting: CF });
    t.match(await ask({ weighting: CF }), { channel: 'sub2', weighting: CF });
    t.match(await ask({ frequency: 'A' }), { channel: 'main', weighting: AF, otherWeightings: [CF] }, 'equals by name');
    t.match(await ask({ frequency: 'Z' }), { channel: null, weighting: null, otherWeightings: [] });
    const [row] = await rowsOf(history, { unitId, ...hours(2, 7_200), channel: 'main', frequency: 'C' });
    t.match(row, { leq: 60, measured: 60 });
  });

  t.test('a doubt, a statement and an import are of one channel; a removal is of all', async (t) => {
    const { history } = await setUp(t);
    const unitId = 'one-channel';
    history.append(stream(unitId, lasting(120, 60)));
    history.append(of('sub1', stream(unitId, lasting(120, 70))));
    await history.flush();
    const span = { from: HOUR, to: HOUR + 60 };
    const doubt = { unitId, channel: 'sub1', source: 'stream', weighting: AF, flag: 'weighting', ...span } as const;
    t.equal(await history.doubt(doubt), 60);
    const flagged = async (channel: string) =>
      (await rowsOf(history, { unitId, ...minutes(300), channel }))[0]?.flagged.weighting;
    t.strictSame([await flagged('main'), await flagged('sub1')], [0, 60]);
    t.match(await history.restate({ unitId, channel: 'sub1', weighting: CF, ...span }), { moved: 60, confirmed: 0 });
    t.match(await history.query({ unitId, ...minutes(300) }), { weighting: AF, otherWeightings: [] });
    const [moved] = await rowsOf(history, { unitId, ...minutes(300), channel: 'sub1', weighting: CF });
    t.match(moved, { leq: 70, measured: 60, flagged: { weighting: 0 } });
    const target = { unitId, weighting: AF };
    await history.import({ ...target, channel: 'sub3' }, pageOf(interval(HOUR, 900, 50)));
    await t.resolves(history.import(target, pageOf(interval(HOUR, 900, 50))), 'the same time in another channel');
    await t.rejects(history.import({ ...target, channel: 'sub3' }, pageOf(interval(HOUR + 60, 900, 50))));
    t.equal(await history.remove(unitId, HOUR, HOUR + 3_600), 120 + 120 + 900 + 900);
    t.match(await history.extent(unitId), { series: [], bytes: 0 });
  });

  t.test('a word that can name no channel is refused', async (t) => {
    const { history } = await setUp(t);
    const isInvalid = (error: unknown) => isGatewayError(error, 'INVALID');
    for (const channel of ['', 'Sub1', 'sub 1', '../main', 'a'.repeat(17)]) {
      t.throws(() => history.append(of(channel, stream('wrong', lasting(1, 60)))), { code: 'INVALID' });
      const asked = await history.query({ unitId: 'wrong', ...hours(1, 60), channel }).catch((error: unknown) => error);
      t.ok(isInvalid(asked), channel);
    }
  });
}

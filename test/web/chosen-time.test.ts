/** Time that is chosen row by row, or drawn in a chart. */
import t from 'tap';
import { drawnTime, isChosen, toggled } from '../../web/state/chosen-time.ts';

const row = (number: number) => ({ from: number * 10, to: number * 10 + 10 });

t.test('when two rows are clicked, the time between them is chosen, too', async (t) => {
  const both = toggled(row(5), toggled(row(2), undefined));
  t.strictSame(both, { from: 20, to: 60 });
  t.strictSame(toggled(row(1), both), { from: 10, to: 60 }, 'it grows to both sides');
  t.ok(isChosen(row(3), both));
  t.notOk(isChosen(row(6), both));
  t.notOk(isChosen(row(3), undefined));
});

t.test('when a chosen row is clicked again, it is no longer chosen', async (t) => {
  const some = { from: 20, to: 60 };
  t.strictSame(toggled(row(2), some), { from: 30, to: 60 }, 'the first one goes alone');
  t.strictSame(toggled(row(4), some), { from: 20, to: 40 }, 'another one goes with those after it');
  t.equal(toggled(row(2), row(2)), undefined, 'after the last one nothing is chosen');
});

t.test('when a time is drawn with the mouse, it has full minutes, or seconds in a short chart', async (t) => {
  const day = { from: 0, to: 86_400_000 };
  t.strictSame(drawnTime({ from: 61_500, to: 125_000 }, day, 1e9), { from: 60_000, to: 180_000 });
  t.strictSame(drawnTime({ from: 61_500, to: 125_200 }, { from: 0, to: 600_000 }, 1e9), { from: 61_000, to: 126_000 });
  t.strictSame(drawnTime({ from: 60_000, to: 125_000 }, day, 100_999), { from: 60_000, to: 100_000 }, 'no future');
  t.equal(drawnTime({ from: 120_000, to: 180_000 }, day, 100_000), undefined, 'only future: nothing is chosen');
});

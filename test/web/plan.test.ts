/** Where meters are drawn on the plan, and where their labels find room. */
import t from 'tap';
import {
  isWithin,
  metresOf,
  type Part,
  type Position,
  partFrom,
  partOf,
  roundLength,
  wordsOf,
} from '../../web/fleet/plan.ts';

const at = (latitude: number, longitude: number): Position => ({ latitude, longitude });
const rounded = (positions: readonly Position[]) =>
  metresOf(positions).map(({ x, y }) => [Math.round(x) + 0, Math.round(y) + 0]);

t.test('positions become metres around their middle, north up', async (t) => {
  t.strictSame(rounded([at(60.01, 5), at(59.99, 5.02)]), [
    [-556, -1_112],
    [556, 1_112],
  ]);
  t.strictSame(rounded([at(-33.9, 18.4)]), [[0, 0]], 'one meter alone is in the middle');
  t.strictSame(rounded([at(1, 2), at(1, 2)]), [
    [0, 0],
    [0, 0],
  ]);
  t.strictSame(rounded([]), []);
});

t.test('meters on both sides of the date line are neighbours', async (t) => {
  const metres = [
    [-1_112, 0],
    [1_112, 0],
  ];
  t.strictSame(rounded([at(0, 179.99), at(0, -179.99)]), metres);
  t.strictSame(rounded([at(0, -179.99), at(0, 179.99)]), metres.toReversed());
  t.strictSame(
    rounded([at(0, -180), at(0, 180)]),
    [
      [0, 0],
      [0, 0],
    ],
    'and one line has two names',
  );
  const part = partOf([at(10, 179.99), at(10, -179.99)]);
  t.ok(isWithin(part, at(10, 179.995)) && isWithin(part, at(10, -179.995)));
  t.notOk(isWithin(part, at(10, 0)));
});

t.test('a part of the plan has those that it was made of, also when it comes from an address', async (t) => {
  const some = [at(54.1, 7.9), at(54.1003, 7.9001), at(54.0998, 7.8995)];
  const part = partFrom(wordsOf(partOf(some))) as Part;
  for (const position of some) t.ok(isWithin(part, position));
  t.notOk(isWithin(part, at(54.102, 7.9)), 'and none that is elsewhere');
  for (const words of [null, '', '54.1,7.9', '54.1,7.9,0', '91,0,10', '0,181,10', 'a,b,c'])
    t.equal(partFrom(words), undefined, `${words} is no part`);
});

t.test('the scale has a round length', async (t) => {
  t.strictSame([1, 1.9, 4.99, 5, 99, 120, 2_400, 70_000].map(roundLength), [1, 1, 2, 5, 50, 100, 2_000, 50_000]);
});

/** Where the labels of the plan find room. */
import t, { type Test } from 'tap';
import { type Label, layOut, type Mark, type Room } from '../../web/fleet/plan-layout.ts';

const WIDE: Room = {
  width: 1_184,
  height: 640,
  count: { width: 140, height: 60 },
  taken: [{ x: 0, y: 600, width: 150, height: 40 }],
};
const NARROW: Room = { ...WIDE, width: 358, height: 480, taken: [{ x: 0, y: 440, width: 150, height: 40 }] };

const mark = (x: number, y: number, height = 60): Mark => ({ x, y, label: { width: 184, height } });
/** The same ones in every run, spread evenly. */
const many = (count: number, { width, height }: Room): readonly Mark[] =>
  Array.from({ length: count }, (_, index) =>
    mark(24 + ((index * 0.618_034) % 1) * (width - 48), 24 + (index / count) * (height - 72), index % 7 ? 60 : 90),
  );

function isReadable(t: Test, labels: readonly Label[], marks: readonly Mark[], room: Room): void {
  t.strictSame(
    labels.flatMap(({ members }) => members).sort((one, other) => one - other),
    [...marks.keys()],
    'each meter has one label',
  );
  const boxes = [...labels, ...room.taken];
  const covered = labels.filter((one) =>
    boxes.some(
      (other) =>
        one !== other &&
        one.x < other.x + other.width &&
        other.x < one.x + one.width &&
        one.y < other.y + other.height &&
        other.y < one.y + one.height,
    ),
  );
  t.strictSame(covered, [], 'none covers another');
  const outside = labels.filter(
    ({ x, y, width, height }) => x < 0 || y < 0 || x + width > room.width || y + height > room.height,
  );
  t.strictSame(outside, [], 'none leaves the plan');
}

t.test('a meter alone has its label beside it, on a narrow plan below it', async (t) => {
  t.match(layOut([mark(592, 320)], WIDE), [{ side: 'right', members: [0] }]);
  t.match(layOut([mark(1_160, 320)], WIDE), [{ side: 'left' }]);
  t.match(layOut([mark(179, 240)], NARROW), [{ side: 'below' }]);
  t.match(layOut([mark(179, 420)], NARROW), [{ side: 'above' }]);
  t.strictSame(layOut([], WIDE), []);
});

t.test('neighbours make room for each other, or share a label', async (t) => {
  const two = [mark(592, 320), mark(592, 320)];
  t.match(layOut(two, WIDE), [{ side: 'right' }, { side: 'left' }], 'at one spot, too');
  const labels = layOut(two, NARROW);
  isReadable(t, labels, two, NARROW);
  const five = Array.from({ length: 5 }, () => mark(592, 320));
  const [all] = layOut(five, WIDE);
  t.match(all, { members: [0, 1, 2, 3, 4], isCounted: true, ...WIDE.count }, 'five at one spot are counted');
  const three = [mark(170, 235), mark(179, 240), mark(188, 245)];
  isReadable(t, layOut(three, NARROW), three, NARROW);
  const low = { ...NARROW, height: 200, taken: [] };
  const crowd = three.map(({ y, ...each }) => ({ ...each, y: y - 140 }));
  isReadable(t, layOut(crowd, low), crowd, low);
});

t.test('labels that are too tall for the plan become a number', async (t) => {
  const four = Array.from({ length: 4 }, () => mark(170, 140, 102));
  const low = { ...NARROW, height: 320, taken: [] };
  t.match(layOut(four, low), [{ members: [0, 1, 2, 3], isCounted: true }]);
});

t.test('no label covers another, of few and of many', async (t) => {
  for (const room of [WIDE, NARROW]) {
    for (const count of [2, 10, 40, 300]) {
      const marks = many(count, room);
      const labels = layOut(marks, room);
      isReadable(t, labels, marks, room);
      if (count > 2) t.ok(labels.length > 2, `${count} meters have ${labels.length} labels`);
    }
    const marks = Array.from({ length: 300 }, () => mark(room.width / 2, room.height / 2));
    isReadable(t, layOut(marks, room), marks, room);
    t.equal(layOut(marks, room).length, 1, '300 at one spot have one');
  }
});

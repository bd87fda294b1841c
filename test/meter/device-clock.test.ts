/** The sum of many readings of a clock that shows whole seconds. The test knows the true clock to the millisecond. */
import fc from 'fast-check';
import t from 'tap';
import { DeviceClock, FrameTimes } from '../../lib/meter/device-clock.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const shownAt = (at: number, ahead: number) => Math.floor((at + ahead) / 1_000) * 1_000;

t.test('one reading leaves a second open, and the estimate is its middle', async (t) => {
  const clock = new DeviceClock();
  t.equal(clock.estimate, null);
  t.match(clock.read({ shown: NOW + 5_000, from: NOW, to: NOW + 100 }), [{ ahead: 5_450, uncertainty: 550 }]);
});

t.test('many readings at any times, with any delay, never exclude the true time', async (t) => {
  const way = fc.integer({ min: 0, max: 400 });
  const reading = fc.record({ after: fc.integer({ min: 1_000, max: 5_000 }), there: way, back: way });
  const property = fc.property(
    fc.integer({ min: -1e7, max: 1e7 }),
    fc.array(reading, { minLength: 1 }),
    (ahead, list) => {
      const clock = new DeviceClock();
      let from = NOW;
      for (const { after, there, back } of list) {
        from += after;
        clock.read({ shown: shownAt(from + there, ahead), from, to: from + there + back });
        const { ahead: got, uncertainty } = clock.estimate ?? { ahead: 0, uncertainty: -1 };
        if (Math.abs(got - ahead) > uncertainty + 1) throw new Error(`${got} +- ${uncertainty}`);
      }
    },
  );
  t.doesNotThrow(() => fc.assert(property));
});

t.test('a clock that was set by hand is noticed, and the event also has the old estimate', async (t) => {
  const clock = new DeviceClock();
  clock.read({ shown: NOW + 5_000, from: NOW, to: NOW });
  const told = clock.read({ shown: NOW, from: NOW + 2_000, to: NOW + 2_000 });
  t.match(told, [{ at: NOW, ahead: 5_500 }, { ahead: -1_500 }]);
});

t.test('a setting starts a new estimate, also when the change is small', async (t) => {
  const clock = new DeviceClock();
  for (let tenth = 0; tenth < 20; tenth++)
    clock.read({ shown: shownAt(NOW + tenth * 1_100, 300), from: NOW + tenth * 1_100, to: NOW + tenth * 1_100 });
  t.ok(Math.abs((clock.estimate?.ahead ?? 0) - 300) <= 60);
  const at = NOW + 60_000;
  const told = clock.set({ shown: at, from: at, to: at + 100 });
  t.equal(told.length, 2);
  t.match(told[1], { ahead: 450, uncertainty: 550 }, 'nothing is left of before');
});

t.test('events: the first estimate, a much surer estimate, an estimate of another day', async (t) => {
  const clock = new DeviceClock();
  const read = (at: number) => clock.read({ shown: shownAt(at, 250), from: at, to: at }).length;
  t.equal(read(NOW), 1);
  t.equal(read(NOW + 2_000), 0, 'nothing new');
  t.equal(read(NOW + 3_500), 1, 'half as much is open');
  t.equal(read(NOW + 86_400_000), 1);
});

t.test('frames of a stream show when the second turns, also in bunches', async (t) => {
  for (const bunch of [1, 5])
    for (const ahead of [-137, 0, 42, 512, 999]) {
      const clock = new DeviceClock();
      const times = new FrameTimes({ frameMs: 100, lastCounter: 600 });
      const [asked, way] = [1_000, 50];
      for (let number = 1; number <= 1_300; number++) {
        const sent = asked + way + number * 100;
        const arrived = asked + way + Math.ceil(number / bunch) * bunch * 100 + way;
        const frame = { counter: ((number - 1) % 600) + 1, shown: shownAt(NOW + sent, ahead), asked, arrived };
        for (const { shown, from, to } of times.take(frame)) {
          t.ok(from <= to);
          clock.read({ shown, from: from + NOW, to: to + NOW });
        }
      }
      const { ahead: got, uncertainty } = clock.estimate ?? { ahead: Number.NaN, uncertainty: Number.NaN };
      t.ok(Math.abs(got - ahead) <= 60, `${got} for ${ahead}, in bunches of ${bunch}`);
      t.ok(uncertainty <= 110);
    }
});

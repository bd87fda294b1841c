/** Times of the card in UTC, and where they are not known. */
import t from 'tap';
import type { CardItem } from '../../lib/drivers/card/contract.ts';
import { readRnd } from '../../lib/drivers/nl43/card/rnd.ts';
import { findSteps, MeterClock } from '../../plugins/mirror/meter-clock.ts';
import { pieces } from '../drivers/nl43/card/setup.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 5, 1, 12);
const never = () => [];
const reading = (at: number, offset: number, uncertainty = 600) => ({ at, offset, uncertainty });

t.test('a reading of a second counts only where no surer one near by agrees with it', (t) => {
  const exact = [reading(NOW, 2 * HOUR, 50), reading(NOW + DAY, 2 * HOUR + 100, 50)];
  const rough = [reading(NOW - 60_000, 2 * HOUR + 480), reading(NOW + DAY - 60_000, 2 * HOUR - 380)];
  const clock = new MeterClock([...exact, ...rough], never);
  t.match(clock.toUtc(NOW + DAY / 2 + 2 * HOUR + 50), { utc: NOW + DAY / 2, uncertainty: 50 });
  t.match(clock.toUtc(NOW - HOUR + 2 * HOUR), { utc: NOW - HOUR });
  const set = new MeterClock([...exact, reading(NOW + HOUR, 5 * HOUR)], never);
  t.match(set.toUtc(NOW + HOUR + 5 * HOUR), /was set/, 'one that disagrees stays');
  t.end();
});

t.test('between two looks that agree the difference drifts evenly', (t) => {
  const clock = new MeterClock([reading(NOW + DAY, 2 * HOUR + 2_000), reading(NOW, 2 * HOUR)], never);
  const moment = clock.toUtc(NOW + DAY / 2 + 2 * HOUR + 1_000);
  t.same(moment, { utc: NOW + DAY / 2, offset: 2 * HOUR + 1_000, uncertainty: 600 });
  t.end();
});

t.test(
  'outside of all looks it is less sure with every day, and not known across a change of the local clocks',
  (t) => {
    const change = NOW - 3 * DAY;
    const clock = new MeterClock([reading(NOW, 0)], (from, to) => (from <= change && change < to ? [change] : []));
    t.same(clock.toUtc(NOW - DAY), { utc: NOW - DAY, offset: 0, uncertainty: 1_600 });
    t.same(clock.toUtc(NOW + 2 * DAY), { utc: NOW + 2 * DAY, offset: 0, uncertainty: 2_600 });
    t.match(clock.toUtc(NOW - 4 * DAY), /local clocks were changed/);
    t.match(new MeterClock([], never).toUtc(NOW), /never read/);
    t.end();
  },
);

const fileOf = (starts: readonly number[]) => {
  const time = (at: number) => new Date(at).toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '/');
  return `CSV\r\nStart Time,Leq\r\n${starts.map((at) => `${time(at)},40.0\r\n`).join('')}`;
};
const stepsOf = (text: string) => findSteps(readRnd(pieces(text)) as AsyncIterable<CardItem>, 60_000);

t.test('a file in which the clock was set is split there: for the end of summer time, and for a sync', async (t) => {
  for (const [jump, what] of [
    [-HOUR, 'back'],
    [HOUR, 'forward'],
    [-42_000, 'a sync'],
  ] as const) {
    const offsetOf = (at: number) => (at < NOW + 5 * 60_000 ? 2 * HOUR : 2 * HOUR + jump);
    const real = Array.from({ length: 10 }, (_, minute) => NOW + minute * 60_000);
    const text = fileOf(real.map((at) => at + offsetOf(at)));
    const steps = await stepsOf(text);
    t.same(steps, [{ line: 8, by: jump }], what);
    const clock = new MeterClock([reading(NOW - HOUR, 2 * HOUR), reading(NOW + HOUR, 2 * HOUR + jump)], never);
    const found = real.map((at, index) => clock.toUtc(at + offsetOf(at), { line: index + 3, steps }));
    t.same(
      found.map((moment) => (typeof moment === 'string' ? moment : moment.utc)),
      real,
      what,
    );
  }
});

t.test('a clock that was set nobody knows when gives no times', async (t) => {
  const clock = new MeterClock([reading(NOW - DAY, 0), reading(NOW, HOUR)], never);
  t.match(clock.toUtc(NOW - DAY / 2), /set between two readings/);
  const pause = await stepsOf(fileOf([NOW, NOW + 60_000, NOW + 10 * 60_000]));
  t.match(pause, [{ line: 5 }]);
  t.match(clock.toUtc(NOW - DAY / 2, { line: 4, steps: pause }), /set between/, 'a pause is no setting of the clock');
});

/** The week of sound that the demo begins with. */
import t from 'tap';
import { pastHour } from '../../simulator/demo/past.ts';

const HOUR_S = 3_600;
/** A Sunday afternoon, far from any change of the clocks. */
const NOW = Math.floor(new Date(2026, 10, 22, 16, 30).getTime() / 1_000);

/** Every third hour of the last week: of each local day the energy, the measured seconds and the loudest of them. */
function week() {
  const days = new Map<string, { energy: number; seconds: number; loudest: number }>();
  const thisHour = NOW - (NOW % HOUR_S);
  for (let from = thisHour - 7 * 24 * HOUR_S; from <= thisHour; from += 3 * HOUR_S) {
    const seconds = pastHour(from, NOW, 1);
    for (const { at, leq } of seconds) {
      const date = new Date(at * 1_000).getDate().toString();
      const day = days.get(date) ?? { energy: 0, seconds: 0, loudest: 0 };
      days.set(date, {
        energy: day.energy + 10 ** (leq / 10),
        seconds: day.seconds + 1,
        loudest: Math.max(day.loudest, leq),
      });
    }
  }
  return days;
}

t.test('a week has loud days, a windy one and a gap, and reaches to now', async (t) => {
  const days = week();
  const leqOf = (date: string) => {
    const { energy = 0, seconds = 1 } = days.get(date) ?? {};
    return 10 * Math.log10(energy / seconds);
  };
  t.ok(leqOf('22') > 60 && leqOf('19') > 60, 'today and three days ago it was too loud for a while');
  t.ok(leqOf('17') > 56 && leqOf('17') < 64, `a windy day is loud all day long: ${leqOf('17')}`);
  t.ok(Number(days.get('17')?.loudest) < 85);
  t.ok(leqOf('21') < 50, 'a Saturday is quiet');
  t.equal(days.get('18')?.seconds, 8 * HOUR_S);
  t.ok(Number(days.get('20')?.seconds) < 7 * HOUR_S, 'the link was down');
  const last = pastHour(NOW - (NOW % HOUR_S), NOW, 1).at(-1);
  t.equal(last?.at, NOW - 1);
});

t.test('the same seed gives the same hour of the past', async (t) => {
  const from = NOW - (NOW % HOUR_S) - HOUR_S;
  const hour = (seed: number) => JSON.stringify(pastHour(from, NOW, seed));
  const [one, again, other] = [hour(1), hour(1), hour(2)];
  t.ok(one === again);
  t.ok(one !== other);
});

/** Corrections that need another weighting of the same time: from the channel that has it, and unknown without one. */
import t, { type Test } from 'tap';
import { openWorld, type World } from '../support/world.ts';

const DAY = Date.UTC(2025, 11, 21);
const at = (hours: number) => new Date(DAY + hours * 3_600_000).toISOString();

interface Rows {
  readonly channel: string;
  readonly weighting: string;
  /** dB of an hour of the day; null: no row. */
  readonly leq: (hour: number) => number | null;
  readonly lieq?: (hour: number) => number;
}

/** Minutes from 07:00 to 07:00 of the next day. */
async function importRows(world: World, { channel, weighting, leq, lieq }: Rows): Promise<void> {
  const lines: string[] = [];
  for (let minute = 7 * 60; minute < 31 * 60; minute++) {
    const level = leq(minute / 60);
    if (level !== null) lines.push(`${at(minute / 60)},60,${level},${lieq?.(minute / 60) ?? ''}`);
  }
  const [frequency, time] = weighting;
  const query = `channel=${channel}&frequency_weighting=${frequency}&time_weighting=${time}`;
  await world.bring(lines, 'leq,lieq', `sim-1?${query}`);
}

async function spain(t: Test, rows: readonly Rows[], more: string) {
  const world = await openWorld(t);
  for (const each of rows) await importRows(world, each);
  return {
    world,
    async figures(and = '') {
      const query = `preset=es-rd1367&area=a&from=${at(7)}&to=${at(24)}&zone=UTC&tonal=0${more}${and}`;
      const { status, body } = await world.get(`/sim-1/assessment?${query}`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      const { figures } = body.data.days[0];
      const of = (name: string) => figures.find(({ figure }: { figure: string }) => figure === name);
      return { day: of('day'), evening: of('evening'), night: of('night') };
    },
  };
}

const inPeriod = (hour: number, day: number, evening: number, night: number) =>
  hour < 19 ? day : hour < 23 ? evening : night;

const main: Rows = { channel: 'main', weighting: 'AF', leq: () => 45.3 };
/** LCeq - LAeq: exactly 10 in the day, 10.01 in the evening, 15.01 at night. */
const sub1: Rows = { channel: 'sub1', weighting: 'CF', leq: (hour) => inPeriod(hour, 55.3, 55.31, 60.31) };

t.test('K_f of LCeq - LAeq: a difference of 10 adds nothing, above 10 it adds 3, above 15 it adds 6', async (t) => {
  const { figures } = await spain(t, [main, sub1], '&impulse=0');
  const { day, evening, night } = await figures();
  t.match(day, { assessable: true, leq: 45.3, value: 45.3 });
  t.match(evening, { assessable: true, leq: 45.3, value: 48.3 });
  t.match(night, { assessable: true, leq: 45.3, value: 51.3, verdict: 'exceeded' });
  t.match((await figures('&low_frequency=0')).night, { value: 45.3 }, 'what a person says counts');
});

t.test('K_f at exactly 15 dB is that of more than 10', async (t) => {
  const { figures } = await spain(t, [main, { ...sub1, leq: () => 60.3 }], '&impulse=0');
  t.match((await figures()).day, { value: 48.3 });
});

t.test(
  'without LCeq, or with it for less of the time, nothing is assessable: a gap is no low difference',
  async (t) => {
    const { figures } = await spain(t, [main], '&impulse=0');
    t.match((await figures()).day, { assessable: false, value: null, reasons: [/no LCeq of the same time/] });
    // A quarter of an hour is missing in the day, and nothing at night.
    const gap: Rows = { ...sub1, leq: (hour) => (hour >= 12 && hour < 12.25 ? null : 60.31) };
    const { figures: partly, world } = await spain(t, [main, gap], '&impulse=0');
    t.match((await partly()).day, { assessable: false, value: null, reasons: [/no LCeq of the same time/] });
    t.match((await partly()).night, { assessable: true, value: 51.3 });
    // The same time does not count in the main channel: then both are of the same time.
    const note = { from: at(12), to: at(12.25), kind: 'exclusion', reason: 'fault' };
    t.match(await world.post('/sim-1/notes', note), { status: 201 });
    t.match((await partly()).day, { assessable: true, value: 51.3 });
    const fault = { from: at(13), to: at(14), kind: 'exclusion', reason: 'fault', channels: ['sub1'] };
    t.match(await world.post('/sim-1/notes', fault), { status: 201 });
    t.match((await partly()).day, { assessable: true, value: 51.3 }, 'a fault of that channel counts in neither level');
  },
);

t.test(
  'K_I of LAIeq - LAeq comes from a channel with the weightings A and I, where the main one has none',
  async (t) => {
    const impulse: Rows = {
      ...main,
      channel: 'sub2',
      weighting: 'AI',
      lieq: (hour) => inPeriod(hour, 55.3, 55.31, 60.31),
    };
    const { figures } = await spain(t, [main, impulse], '&low_frequency=0');
    const { day, evening, night } = await figures();
    t.match(day, { assessable: true, value: 45.3 });
    t.match(evening, { assessable: true, value: 48.3 });
    t.match(night, { assessable: true, value: 51.3 });
    const { figures: without } = await spain(t, [main], '&low_frequency=0');
    t.match((await without()).day, { assessable: false, value: null, reasons: [/no LAIeq/] });
  },
);

t.test('indices and events of another channel are of its levels; exclusions are those of the channel', async (t) => {
  const { world } = await spain(t, [main, { ...main, channel: 'sub3', leq: () => 58 }], '');
  const of = async (channel: string) => {
    const query = `from=${at(0)}&to=${at(24)}&zone=UTC&min_coverage=0${channel}`;
    return (await world.get(`/sim-1/indices?${query}`)).body.data;
  };
  t.match(await of(''), { channel: 'main', days: [{ lday: 45.3 }] });
  t.match(await of('&channel=sub3'), { channel: 'sub3', weighting: { frequency: 'A' }, days: [{ lday: 58 }] });
  t.match(await of('&channel=sub1'), { channel: 'sub1', weighting: null, days: [{ lday: null }] });
});

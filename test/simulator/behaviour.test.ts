/** Switches that no other test turns: each must change what it says it changes. */
import t from 'tap';
import type { Profile } from '../../simulator/profile.ts';
import { type Client, rig, typing } from './rig.ts';

const data = (reply: string) => reply.split('\r\n')[1] ?? '';

t.test('the data line and the prompt may come in segments of their own', async (t) => {
  const { clock, meter, typist } = await typing(t, { data_delay_ms: 500, prompt_delay_ms: 40 });
  typist.type('Pause?\r\n');
  await clock.until(typist.take('$'), { stepMs: 5 });
  const [result, line, prompt] = meter.log.events.flatMap((event) =>
    event.kind === 'out' ? [{ at: event.at, text: Buffer.from(event.bytes).toString() }] : [],
  );
  t.match([result, line, prompt], [{ text: 'R+0000\r\n' }, { text: 'Off\r\n' }, { text: '$' }]);
  t.ok(result && line && prompt && line.at - result.at >= 500 && prompt.at - line.at >= 40);
});

t.test('one start in so many takes half a second longer', async (t) => {
  const spent = async (percent: number) => {
    const { clock, meter, typist } = await typing(t, { slow_start_percent: percent });
    typist.type('Measure,Start\r\n');
    await clock.until(typist.take('$'), { stepMs: 5 });
    const [command, reply] = meter.log.events.filter(({ kind }) => kind === 'command' || kind === 'reply');
    return Math.round((reply?.at ?? 0) - (command?.at ?? 0));
  };
  t.equal(await spent(0), 0);
  t.equal(await spent(100), 490);
});

t.test('a link adds its time to whatever is said, and keeps the order', async (t) => {
  const { clock, meter, typist } = await typing(t, { link_ms: [50, 150] }, { soundStepMs: 100 });
  typist.type('DRD?\r\n');
  const heard = await clock.until(typist.take(/^ 30,.*\r\n/m), { stepMs: 10 });
  t.same(
    [...heard.matchAll(/^ *(\d+),/gm)].map(([, counter]) => Number(counter)),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  const [command, out] = meter.log.events.filter(({ kind }) => kind === 'command' || kind === 'out');
  const late = (out?.at ?? 0) - (command?.at ?? 0);
  t.ok(late >= 50 && late <= 150, `${late} ms`);
});

/** Replies to a request under a rule, and under the default rule. */
interface Difference {
  readonly switches: Partial<Profile>;
  readonly route?: readonly string[];
  readonly ask: string;
  readonly usual: string | RegExp;
  readonly changed: string | RegExp;
}

const DIFFERENCES: readonly Difference[] = [
  {
    switches: { measure_in_pause: 'Stop' },
    route: ['Measure,Start', 'Pause,On'],
    ask: 'Measure?',
    usual: 'Start',
    changed: 'Stop',
  },
  {
    switches: { address_advances: false },
    route: ['Measure,Start', 'Measure,Stop', 'Manual Store,Start'],
    ask: 'Manual Address?',
    usual: '2',
    changed: '1',
  },
  {
    switches: { auto_stream_interval: 'any' },
    route: ['Store Mode,Auto', 'Lp Store Interval,1s'],
    ask: 'DRD?',
    usual: /^\$$/,
    changed: /^ {2}1,/,
  },
  { switches: { number_padding: 'plain' }, ask: 'Store Name?', usual: '0001', changed: '1' },
  { switches: { echo_at_first: 'On' }, ask: 'Pause?', usual: 'Off', changed: /^R\+0000$/ },
  { switches: { clock_offset_s: 3_560 }, ask: 'Clock?', usual: /02:00:0\d$/, changed: /02:59:2\d$/ },
];

async function shown(typist: Client, { route = [], ask }: Difference): Promise<string> {
  for (const line of route) await typist.ask(line);
  typist.type(`${ask}\r\n`);
  return data(await typist.take(ask === 'DRD?' ? /,-\r\n|R\+0004/ : '$'));
}

for (const difference of DIFFERENCES) {
  const [name = ''] = Object.keys(difference.switches);
  t.test(`${name}: ${difference.ask}`, async (t) => {
    for (const [switches, expected] of [
      [{}, difference.usual],
      [difference.switches, difference.changed],
    ] as const) {
      const { client, clock } = await rig(t, switches);
      const seen = await clock.until(shown(await client(), difference));
      t.match(seen, typeof expected === 'string' ? new RegExp(`^${expected}$`) : expected);
    }
  });
}

t.test('LIeq, Leq,mov and Ltm5 are shown where the profile says so', async (t) => {
  for (const [rule, form] of [
    ['off', /^(-\.-,){3}0,0$/],
    ['on', /^\d+\.\d,(\d+\.\d|-\.-),\d+\.\d,0,0$/],
  ] as const) {
    const { clock, meter } = await rig(t, { additional_values: rule });
    meter.set('Measure', 'Start');
    await clock.advance(12_000);
    const additional = meter.read('DOD').split(',').slice(11, 16);
    t.match(additional.map((field) => field.trim()).join(), form, rule);
  }
});

t.test('the percentage of the card is the free or the used part; without a card there may be zeros', async (t) => {
  const percentage = async (switches: Partial<Profile>) => {
    const { meter } = await rig(t, switches);
    meter.card.fill(meter.card.totalMb / 4);
    return meter.read('SD Card Percentage');
  };
  t.match(await percentage({}), /^2[45]$/);
  t.match(await percentage({ sd_percentage: 'used' }), /^7[56]$/);
  const { meter } = await rig(t, { no_card: 'zero' });
  meter.card.eject();
  t.equal(meter.read('SD Card Free Size'), '0');
});

t.test('the tail of DRD?status in its other order, with another power source', async (t) => {
  const { clock, typist } = await typing(t, { status_tail: 'state first', power_source: 'USB' });
  typist.type('DRD?status\r\n');
  const frame = (await clock.until(typist.take(/:\d\d\r\n/))).trim().split('\r\n').at(-1);
  t.match(frame?.split(',').slice(33).join(), /^S,U,F,\d+,2025\/12\/24 02:00:0\d$/);
});

t.test('a clock that drifts gains its parts in a million', async (t) => {
  const { clock, meter } = await rig(t, { clock_drift_ppm: 1_000 });
  meter.set('Clock', '2025/12/24 00:00:00');
  await clock.advance(3_600_000);
  t.equal(meter.read('Clock'), '2025/12/24 01:00:03');
});

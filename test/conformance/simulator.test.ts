/**
 * The captured bytes of a real NL-43 are the referee. The simulator gets the state of a transcript and must answer the same.
 * For a line of measured values, the writer of replies gets these values. Its line must be the same to the byte.
 */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import type { BlockValues, DisplayValues, PerChannel } from '../../simulator/contract.ts';
import { DEFAULT_PROFILE } from '../../simulator/profile.ts';
import { dataLine, frameLine } from '../../simulator/reply-writer.ts';
import { rig } from '../simulator/rig.ts';

interface Exchange {
  readonly asked: string;
  readonly answered: string;
  /** Meaning of the reply. */
  readonly meaning: unknown;
}

const FOLDER = new URL('./transcripts/', import.meta.url);

function transcript(name: string): Exchange[] {
  const exchanges: { asked: string; answered: string; meaning: unknown }[] = [];
  for (const line of readFileSync(new URL(name, FOLDER), 'utf8').split('\n')) {
    const bytes = line.slice(2).replaceAll('<CR>', '\r').replaceAll('<LF>', '\n');
    const last = exchanges.at(-1);
    if (line.startsWith('> ')) exchanges.push({ asked: bytes, answered: '', meaning: undefined });
    else if (line.startsWith('< ') && last) last.answered += bytes;
    else if (line.startsWith('= ') && last) last.meaning = JSON.parse(bytes);
  }
  return exchanges;
}

const only = (name: string): Exchange => {
  const [exchange, ...more] = transcript(name);
  if (!exchange || more.length > 0) throw new Error(`${name}: one exchange expected`);
  return exchange;
};

const mainOnly = <T>(main: T): PerChannel<T> => ({ main, sub1: null, sub2: null, sub3: null });

t.test('all transcripts are looked at here', async (t) => {
  t.same(readdirSync(FOLDER).sort(), [
    'dlc-after-manual-stop.txt',
    'dod-never-measured.txt',
    'drd-one-frame.txt',
    'settings-and-refusals.txt',
  ]);
});

t.test('settings and refusals, each byte', async (t) => {
  const { client, meter } = await rig(t);
  const typist = await client();
  meter.set('Time Weighting (Main)', 'S');
  for (const { asked, answered } of transcript('settings-and-refusals.txt')) {
    // The transcript's exchanges are from several days: the clock shows what it showed then.
    meter.set('Clock', '2025/12/24 02:10:55');
    typist.type(asked);
    t.equal(await typist.take('$'), `${answered}$`, JSON.stringify(asked));
  }
});

t.test('the display of a meter that never measured, each byte', async (t) => {
  const { client, clock, meter } = await rig(t, {}, { scenario: 'silence' });
  const { asked, answered } = only('dod-never-measured.txt');
  meter.instrument.play({ steadyDb: 45.8 });
  await clock.advance(30_000);
  const typist = await client();
  typist.type(asked);
  t.equal(await typist.take('$'), `${answered}$`);
});

t.test('the result after a manual stop: the layout of a run of the simulator', async (t) => {
  const { client, clock } = await rig(t);
  const { asked, answered } = only('dlc-after-manual-stop.txt');
  const typist = await client();
  await typist.ask('Measure,Start');
  await clock.advance(3_100);
  await typist.ask('Measure,Stop');
  typist.type(asked);
  const form = (text: string) => text.replace(/ \d\d\.\d/g, ' 00.0');
  t.equal(form(await typist.take('$')), form(`${answered}$`));
});

t.test('the result after a manual stop: the captured values give the captured bytes', async (t) => {
  const { answered, meaning } = only('dlc-after-manual-stop.txt');
  const { main } = meaning as { main: Record<string, number | null> & { over: boolean; under: boolean } };
  const values: DisplayValues = {
    lp: main.lp ?? null,
    leq: main.leq ?? null,
    le: main.le ?? null,
    lmax: main.lmax ?? null,
    lmin: main.lmin ?? null,
    ln: [main.ln1 ?? null, main.ln2 ?? null, main.ln3 ?? null, main.ln4 ?? null, main.ln5 ?? null],
    lpeak: main.lpeak ?? null,
    lieq: main.lieq ?? null,
    leqMov: main.leq_mov ?? null,
    ltm5: main.ltm5 ?? null,
    over: main.over,
    under: main.under,
  };
  const line = dataLine({ kind: 'display', values: mainOnly(values) }, DEFAULT_PROFILE);
  t.equal(`R+0000\r\n${line}\r\n`, answered);
});

t.test('a frame of a stream: the captured values give the captured bytes', async (t) => {
  const { answered, meaning } = only('drd-one-frame.txt');
  const { counter, main } = meaning as { counter: number; main: BlockValues };
  const line = frameLine(counter, mainOnly(main), DEFAULT_PROFILE);
  t.equal(`R+0000\r\n${line}\r\n`, answered);
});

t.test('a frame of a stream: the same form at the same age', async (t) => {
  const { client, clock, meter } = await rig(t);
  const { asked, answered } = only('drd-one-frame.txt');
  meter.set('Time Weighting (Main)', 'S');
  const typist = await client();
  typist.type(asked);
  await typist.take('\r\n');
  await clock.advance(16_300);
  const frame = (await typist.take(/^163,.*\r\n/m)).match(/^163,.*\r\n$/m)?.[0];
  const form = (text = '') => text.replace(/ \d\d\.\d/g, ' 00.0');
  t.equal(form(`R+0000\r\n${frame}`), form(answered));
});

t.test('numbers keep their width from silence to the loudest', async (t) => {
  const shown = (lp: number) => {
    const [channel] = [{ lp, leq: lp, lmax: lp, lmin: lp, lpeak: lp, lieq: lp, over: true, under: false }];
    return frameLine(1, mainOnly({ ...channel, le: 0, ln: [0, 0, 0, 0, 0] }), DEFAULT_PROFILE).split(',')[1];
  };
  t.equal(shown(4.24), '  4.2');
  t.equal(shown(104.25), '104.3');
  t.equal(shown(-0.04), '  0.0');
  t.equal(shown(-12.3), '-12.3');
  t.equal(shown(Number.NEGATIVE_INFINITY), '  -.-');
});

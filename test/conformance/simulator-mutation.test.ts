/**
 * Falsifies the simulator's own code, one place at a time, and shows that a captured byte notices. The captured transcripts
 * are the referee; what none of them notices is written down here with the reason. Each mutant is a copy of the modules in
 * this process, the changed text in place of one of them; nothing on the disk changes.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import t from 'tap';
import type { DisplayValues } from '../../simulator/contract.ts';
import type * as Simulator from '../../simulator/index.ts';
import { DEFAULT_PROFILE } from '../../simulator/profile.ts';
import type * as ReplyWriter from '../../simulator/reply-writer.ts';
import { Client } from '../simulator/rig.ts';

const ROOT = new URL('../../', import.meta.url);
const COPIED = [new URL('simulator/', ROOT).href, new URL('lib/drivers/nl43/spec/', ROOT).href];

interface Mutant {
  readonly file: string;
  /** Stands once in the file. */
  readonly from: string;
  readonly to: string;
}

const mutants: Mutant[] = [];
const numberOf = (address: string) => new URL(address).searchParams.get('mutant');

const hooks = registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const number = context.parentURL?.startsWith('file:') ? numberOf(context.parentURL) : null;
    const copied = number !== null && COPIED.some((folder) => found.url.startsWith(folder));
    return copied ? { ...found, url: `${found.url}?mutant=${number}` } : found;
  },
  load(address, context, next) {
    const loaded = next(address, context);
    const mutant = address.startsWith('file:') ? mutants[Number(numberOf(address) ?? -1)] : undefined;
    if (!mutant || new URL(address).pathname !== new URL(mutant.file, ROOT).pathname) return loaded;
    return { ...loaded, source: String(loaded.source).replace(mutant.from, () => mutant.to) };
  },
});
t.teardown(() => hooks.deregister());

/** A copy of a module and of all it imports, with the change in it. Throws where there is no such place, or two. */
function copy<T>(module: string, mutant: Mutant): Promise<T> {
  const text = readFileSync(new URL(mutant.file, ROOT), 'utf8');
  const places = text.split(mutant.from).length - 1;
  if (places !== 1) throw new Error(`${mutant.file} has ${places} places with ${mutant.from}`);
  const number = mutants.push(mutant) - 1;
  return import(`${new URL(module, ROOT).href}?mutant=${number}`) as Promise<T>;
}

const FOLDER = new URL('./transcripts/', import.meta.url);

function transcript(name: string): { asked: string; answered: string; meaning: unknown }[] {
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

function onlyOf(name: string) {
  const [exchange] = transcript(name);
  if (!exchange) throw new Error(`${name} has no exchange`);
  return exchange;
}

/** As the transcripts write it. */
type Meaning = Omit<DisplayValues, 'ln' | 'leqMov'> &
  Readonly<Record<'ln1' | 'ln2' | 'ln3' | 'ln4' | 'ln5' | 'leq_mov', number | null>>;

function displayed({ ln1, ln2, ln3, ln4, ln5, leq_mov, ...rest }: Meaning): DisplayValues {
  return { ...rest, ln: [ln1, ln2, ln3, ln4, ln5], leqMov: leq_mov };
}

/** Whether this writer says the captured lines, given what they mean. */
function saysTheCaptured({ answerPieces, dataLine, frameLine }: typeof ReplyWriter): boolean {
  const off = { sub1: null, sub2: null, sub3: null };
  for (const name of ['dlc-after-manual-stop.txt', 'dod-never-measured.txt']) {
    const exchange = onlyOf(name);
    const { main } = exchange.meaning as { main: Meaning };
    const values = { main: displayed(main), ...off };
    const answer = { result: 'R+0000', data: { kind: 'display', values }, work: 'query' } as const;
    const pieces = answerPieces(answer, 0, DEFAULT_PROFILE);
    if (pieces.map(({ text }) => text).join('') !== `${exchange.answered}$`) return false;
    if (exchange.answered !== `R+0000\r\n${dataLine({ kind: 'display', values }, DEFAULT_PROFILE)}\r\n`) return false;
  }
  const frame = onlyOf('drd-one-frame.txt');
  const { counter, main } = frame.meaning as {
    counter: number;
    main: NonNullable<Parameters<typeof frameLine>[1]['main']>;
  };
  return frame.answered === `R+0000\r\n${frameLine(counter, { main, ...off }, DEFAULT_PROFILE)}\r\n`;
}

async function survivors(changes: readonly (readonly [from: string, to: string])[]): Promise<string[]> {
  const alive: string[] = [];
  for (const [from, to] of changes) {
    const writer = await copy<typeof ReplyWriter>('simulator/reply-writer.ts', {
      file: 'simulator/reply-writer.ts',
      from,
      to,
    });
    if (saysTheCaptured(writer)) alive.push(to);
  }
  return alive;
}

const pairs = <T>(list: readonly T[]): [T, T][] =>
  list.flatMap((one, index) => list.slice(index + 1).map((other): [T, T] => [one, other]));

/** Every way to exchange two items of a list in the writer of replies. */
const swaps = (list: string) =>
  pairs(list.split(', ')).map(([one, other]): [string, string] => [
    `[${list}]`,
    `[${list
      .split(', ')
      .map((item) => (item === one ? other : item === other ? one : item))
      .join(', ')}]`,
  ]);

t.test('the writer of replies as it is says the captured lines', async (t) => {
  t.ok(saysTheCaptured(await import('../../simulator/reply-writer.ts')));
  const same = await copy<typeof ReplyWriter>('simulator/reply-writer.ts', {
    file: 'simulator/reply-writer.ts',
    from: 'padStart(5)',
    to: 'padStart( 5 )',
  });
  t.ok(saysTheCaptured(same), 'and so does a copy with a change that is none');
});

t.test('swapped columns of the display: every swap but the equal ones is noticed', async (t) => {
  const columns = 'one.lp, one.leq, one.le, one.lmax, one.lmin, ...one.ln, one.lpeak, ...extra';
  t.equal(swaps(columns).length, 28);
  t.same(await survivors(swaps(columns)), []);
});

t.test('swapped columns of a frame: every swap but the equal ones is noticed', async (t) => {
  const columns = 'one.lp, one.leq, one.lmax, one.lmin, one.lpeak, additional ? one.lieq : null';
  t.same(await survivors(swaps(columns)), [
    // 43.7 dB both: the level was falling, so the last value is the lowest.
    '[one.lmin, one.leq, one.lmax, one.lp, one.lpeak, additional ? one.lieq : null]',
  ]);
});

t.test('dropped padding, other marks, flags, ends and orders: all noticed', async (t) => {
  const changes: [string, string][] = [
    ['.padStart(5)', ''],
    ['padStart(5)', 'padStart(4)'],
    ['padStart(5)', 'padStart(6)'],
    ['toFixed(1)', 'toFixed(2)'],
    ["return '  -.-'", "return ' -.-'"],
    ["return '  -.-'", "return ' --.-'"],
    ["return '  -.-'", "return '  0.0'"],
    ["fill('  -.-')", "fill(' -.-')"],
    ["join(',')},-,-`", "join(',')},0,0`"],
    ["join(',')},-,-`", "join(',')}`"],
    ["raised ? '1' : '0'", "raised ? '0' : '1'"],
    ["raised ? '1' : '0'", "raised ? '1' : '-'"],
    ['return CHANNELS.map(', 'return CHANNELS.toReversed().map('],
    ['return CHANNELS.map(', 'return CHANNELS.slice(1).map('],
    ['channels = CHANNELS.map(', 'channels = CHANNELS.toReversed().map('],
    ['absent(14)', 'absent(13)'],
    ['absent(6)', 'absent(7)'],
    ['[one.lieq, one.leqMov, one.ltm5] : [null, null, null]', '[one.lieq, one.leqMov, one.ltm5] : [null, null]'],
    ['String(counter).padStart(3)', 'String(counter + 1)'],
    ['String(counter).padStart(3)', 'String(counter).padStart(4)'],
    ['{result}\\r\\n', '{result}\\n'],
    ['{dataLine(data, profile)}\\r\\n', '{dataLine(data, profile)}\\r'],
    ["profile.prompt_space ? '$ ' : '$'", "profile.prompt_space ? '$ ' : '>'"],
    ['profile.prompt_after_reply ?', '!profile.prompt_after_reply ?'],
    [
      "profile.additional_values === 'on';\n  return CHANNELS",
      "profile.additional_values === 'off';\n  return CHANNELS",
    ],
  ];
  t.same(await survivors(changes), [
    // LIeq, Leq,mov and Ltm5 are missing in what the captured lines mean, so showing them shows the same.
    "profile.additional_values === 'off';\n  return CHANNELS",
  ]);
});

/** Whether a whole meter of these modules answers the captured settings and refusals. */
async function answersTheCaptured({ startMeter, VirtualClock }: typeof Simulator): Promise<boolean> {
  const meter = await startMeter({ clock: new VirtualClock(), profile: 'instant', soundStepMs: 100 });
  const typist = await Client.open(meter.tcpPort);
  try {
    meter.set('Time Weighting (Main)', 'S');
    for (const { asked, answered } of transcript('settings-and-refusals.txt')) {
      meter.set('Clock', '2025/12/24 02:10:55');
      if ((await typist.ask(asked.replace('\r\n', ''))) !== `${answered}$`) return false;
    }
    return true;
  } catch {
    // A name that the meter does not know any more.
    return false;
  } finally {
    typist.close();
    await meter.stop();
  }
}

/**
 * Not among them, as the captured refusals have two reasons each: that a `$` spoils a line (`$Measure` is no known name
 * either), and the space in `Manual Store` (`ManualStore` came without its parameter).
 */
const MACHINE: readonly Mutant[] = [
  { file: 'simulator/grammar.ts', from: 'text.slice(0, mark))', to: "text.slice(0, mark).replaceAll(' ', ''))" },
  {
    file: 'simulator/grammar.ts',
    from: "if (!fact || fact.name === 'Reset') return 'R+0001'",
    to: "if (!fact) return 'R+0003'",
  },
  { file: 'simulator/grammar.ts', from: "return value === null ? 'R+0002'", to: "return value === null ? 'R+0004'" },
  { file: 'simulator/device-time.ts', from: '(\\d\\d) (\\d\\d):', to: '(\\d\\d),(\\d\\d):' },
  { file: 'simulator/device-time.ts', from: "replaceAll('-', '/')", to: "replaceAll('-', '.')" },
  { file: 'simulator/device-time.ts', from: ".replace('T', ' ')", to: ".replace('T', ',')" },
  { file: 'simulator/machine.ts', from: "battery = 'Full'", to: "battery = '100'" },
  {
    file: 'simulator/reply-writer.ts',
    from: '[...pieces, ...promptPieces(profile)]',
    to: '[...pieces.reverse(), ...promptPieces(profile)]',
  },
  {
    file: 'lib/drivers/nl43/spec/commands.ts',
    from: "(Main)', FREQUENCY_WEIGHTINGS, 'A'",
    to: "(Main)', FREQUENCY_WEIGHTINGS, 'C'",
  },
  {
    file: 'lib/drivers/nl43/spec/commands.ts',
    from: "const TIME_WEIGHTINGS = word('F', 'S', ",
    to: "const TIME_WEIGHTINGS = word('F', 'Slow', ",
  },
  {
    file: 'lib/drivers/nl43/spec/commands.ts',
    from: "reading(\n    'Battery Level'",
    to: "action(\n    'Battery Level'",
  },
];

t.test('a meter with a changed word, mark, order or complaint: all noticed by what a real one answered', async (t) => {
  const same = { file: 'simulator/machine.ts', from: "battery = 'Full'", to: 'battery = `Full`' };
  t.ok(await answersTheCaptured(await copy<typeof Simulator>('simulator/index.ts', same)), 'a change that is none');
  for (const mutant of MACHINE) {
    const copied = await copy<typeof Simulator>('simulator/index.ts', mutant);
    t.notOk(await answersTheCaptured(copied), `${mutant.file}: ${mutant.to}`);
  }
});

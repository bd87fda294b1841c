/**
 * Each fault of the simulated meter that touches commands: what its callers got and when, what the meter saw, and how long
 * it took to be well again. Three rounds of callers meet each fault: one read, one setting, and six at once.
 */
import t, { type Test } from 'tap';
import {
  batteryLevel,
  display,
  frequencyWeighting,
  measureState,
  setFrequencyWeighting,
} from '../../lib/drivers/nl43/commands.ts';
import { ERRORS, type ErrorCode } from '../../lib/errors.ts';
import { CATALOGUE } from '../../simulator/faults/catalogue.ts';
import { type Got, openScene, type Scene } from './support/scene.ts';

interface Row {
  readonly kind: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Before the fault: nothing was sent yet, or the connection was quiet for a minute. Default: it is in use. */
  readonly before?: 'nothing' | 'quiet';
  /** The meter's FTP server answers. */
  readonly ftp?: boolean;
  /** Outcome of the read and of the setting: their value, or a code. */
  readonly read: ErrorCode | 'value';
  readonly set: ErrorCode | 'value' | 'DEVICE_UNREACHABLE or OUTCOME_UNKNOWN';
  /** Allowed outcomes of the six at once, beside a value. */
  readonly others?: readonly ErrorCode[];
  readonly text?: RegExp;
  /** No caller waits longer, ms. */
  readonly ms: number;
  /** Connections while the fault is there, at most. */
  readonly connects: number;
  /** ms from its end to the first value, at most. */
  readonly recovery: number;
}

/** Well in spite of it. */
const fine = { read: 'value', set: 'value', connects: 0, recovery: 1_100 } as const;
const gone = { read: 'DEVICE_UNREACHABLE', set: 'DEVICE_UNREACHABLE', others: ['DEVICE_UNREACHABLE'] } as const;
const mute = { read: 'DEVICE_TIMEOUT', set: 'DEVICE_TIMEOUT', others: ['DEVICE_TIMEOUT'] } as const;

const garbled = {
  read: 'DEVICE_GARBLED',
  set: 'DEVICE_GARBLED',
  others: ['DEVICE_GARBLED'],
  ms: 20_000,
  connects: 5,
  recovery: 6_000,
} as const;
const refuses = (code: ErrorCode) => ({
  read: code,
  set: code,
  others: [code],
  ms: 4_000,
  connects: 0,
  recovery: 1_100,
});
const cut = {
  read: 'DEVICE_UNREACHABLE',
  set: 'OUTCOME_UNKNOWN',
  others: ['DEVICE_UNREACHABLE'],
  ms: 4_000,
  connects: 2,
  recovery: 5_000,
} as const;

const ROWS: readonly Row[] = [
  { kind: 'latency', ...fine, ms: 6_500 },
  { kind: 'latency', settings: { ms: 2_500, jitter_ms: 500 }, ...fine, ms: 14_000 },
  { kind: 'wake-up', ...fine, before: 'quiet', ms: 5_000 },
  { kind: 'split', ...fine, ms: 4_000 },
  { kind: 'joined', ...fine, ms: 4_000 },
  { kind: 'one-byte', ...fine, ms: 4_500, recovery: 2_000 },
  { kind: 'prompt-missing', ...fine, ms: 4_000 },
  { kind: 'prompt-doubled', ...fine, ms: 4_000 },
  { kind: 'prompt-doubled', settings: { place: 'before' }, ...fine, ms: 4_000 },
  { kind: 'frozen', ...fine, ms: 4_000 },
  { kind: 'stall', ...fine, ms: 4_000 },
  { kind: 'frames-lost', ...fine, ms: 4_000 },
  { kind: 'data-after-sub', ...fine, ms: 4_000 },
  { kind: 'late-reply', ...mute, text: /no first byte to .* within 5 s/, ms: 7_000, connects: 2, recovery: 5_000 },
  { kind: 'no-reply', ...mute, text: /no first byte to .* within 5 s/, ms: 7_500, connects: 2, recovery: 5_000 },
  { kind: 'off-by-one', ...mute, set: 'value', others: [], ms: 7_500, connects: 1, recovery: 1_100 },
  { kind: 'off-by-one', settings: { connections: 'every' }, ...mute, ms: 7_500, connects: 2, recovery: 5_000 },
  { kind: 'half-line', ...mute, text: /no (result|data) line .* within 8 s/, ms: 10_500, connects: 2, recovery: 5_000 },
  { kind: 'garbled', ...garbled, text: /not a reply of a meter/ },
  { kind: 'garbled', settings: { by: 'mixture' }, ...garbled, read: 'value', set: 'value' },
  { kind: 'endless-data', ...garbled, set: 'value', ms: 12_000 },
  { kind: 'refusing', ...refuses('DEVICE_WRONG_STATE'), text: /R\+0004/ },
  { kind: 'refusing', settings: { result: 'R+0002' }, ...refuses('DEVICE_REFUSED_PARAMETER') },
  { kind: 'unsolicited', ...fine, ms: 7_000, connects: 5 },
  { kind: 'unsolicited', settings: { place: 'before', line: 'hello' }, ...garbled },
  { kind: 'reset-mid-reply', ...cut, text: /was lost .* before the reply to .* was complete/ },
  { kind: 'half-close', ...fine, ms: 4_000, connects: 5 },
  { kind: 'half-close', settings: { at_byte: null }, ...cut },
  { kind: 'nat-forgets', ...fine, before: 'quiet', ms: 7_500, connects: 1 },
  { kind: 'nat-forgets', settings: { idle_ms: 0 }, ...mute, ms: 7_500, connects: 2, recovery: 5_000 },
  { kind: 'late-slot', ...fine, ms: 4_000 },
  { kind: 'half-open', ...fine, ms: 4_000 },
  { kind: 'unserved', ...mute, before: 'nothing', ms: 8_000, connects: 0, recovery: 6_000 },
  {
    kind: 'reset-on-connect',
    ...gone,
    // It depends on the kernel whether the reset comes before the connection counts as open.
    set: 'DEVICE_UNREACHABLE or OUTCOME_UNKNOWN',
    before: 'nothing',
    ms: 4_000,
    connects: 0,
    recovery: 6_000,
  },
  {
    kind: 'refused',
    ...gone,
    set: 'DEVICE_UNREACHABLE',
    text: /^There is no connection to the meter roof: \S+ refused the connection \(ECONNREFUSED\)\.$/,
    ms: 4_000,
    connects: 0,
    recovery: 6_000,
  },
  { kind: 'wedge', ftp: true, ...refuses('DEVICE_WEDGED'), text: /Power-cycle the meter/, recovery: 6_000 },
  { kind: 'asleep', ...mute, ms: 8_000, connects: 0, recovery: 6_000 },
  { kind: 'reboot', ...gone, ms: 4_000, connects: 0, recovery: 45_000 },
  ...Object.keys(CATALOGUE)
    .filter((kind) => kind.startsWith('ftp-'))
    .map((kind) => ({ kind, ...fine, ms: 4_000 })),
];

t.jobs = 8;

t.test('no fault of the catalogue is left out', async (t) => {
  t.same(new Set(ROWS.map(({ kind }) => kind)), new Set(Object.keys(CATALOGUE)));
});

for (const row of ROWS) {
  const how = row.settings ? ` ${JSON.stringify(row.settings)}` : '';
  t.test(
    `under ${row.kind}${how} every caller is answered in time, and no command is sent twice`,
    { buffered: true },
    (t) => meet(t, row),
  );
}

async function meet(t: Test, row: Row): Promise<void> {
  const scene = await openScene(t);
  const { device, meter } = scene;
  if (row.ftp) device.set('FTP', 'On');
  if (row.before !== 'nothing') await scene.until(scene.ask(display()));
  await scene.pass(row.before === 'quiet' ? 61_000 : 2_000);
  device.log.clear();
  const before = { asked: scene.got.length, resent: meter.report().counters.resent };
  const truth = device.read('Frequency Weighting (Main)');
  device.faults.on(row.kind, row.settings);
  const read = await scene.until(scene.ask(frequencyWeighting('Main')));
  t.equal(read.code ?? 'value', row.read, `the read: ${read.text ?? ''}`);
  if (row.read === 'value') t.equal(read.value, truth, 'the value of the meter');
  if (row.text) t.match(read.text, row.text);
  const set = await scene.until(scene.ask(setFrequencyWeighting('Main', 'C')));
  t.ok(row.set.split(' or ').includes(set.code ?? 'value'), `the setting: ${set.code ?? 'value'} ${set.text ?? ''}`);
  if (row.set === 'value') t.equal(device.read('Frequency Weighting (Main)'), 'C', 'it was done');
  const crowd = [1, 2, 3].map(() => scene.ask(batteryLevel()));
  const others = await scene.until(Promise.all([...crowd, scene.ask(measureState()), scene.ask(display(), 3_000)]));
  for (const { code = 'value', deadlineMs } of others) {
    const hasty = deadlineMs < 30_000 ? ['QUEUE_TIMEOUT', 'DEVICE_TIMEOUT'] : [];
    t.ok(['value', ...hasty, ...(row.others ?? [])].includes(code), `others: ${code}`);
  }
  inTime(t, scene.got, row.ms);
  t.ok(device.log.connects <= row.connects, `${device.log.connects} connects`);
  device.faults.clear();
  const took = await wellAgain(scene);
  t.ok(took <= row.recovery, `well again after ${took} ms`);
  await scene.pass(6_000);
  t.equal(scene.states.at(-1), 'online');
  t.same(device.log.spacingViolations(), [], 'never two commands within a second');
  notTwice(t, scene, before);
}

function inTime(t: Test, got: readonly Got[], ms: number): void {
  for (const { command, code, ms: took, deadlineMs } of got) {
    t.ok(took <= Math.min(ms, deadlineMs + 50), `"${command}" answered after ${took} ms`);
    if (code) t.ok(code in ERRORS, `${code} is documented`);
  }
}

/** Callers that ask again and again, nothing else. */
async function wellAgain({ clock, until, ask }: Scene): Promise<number> {
  const since = clock.elapsed();
  for (let tries = 0; tries < 20; tries++) {
    const { value } = await until(ask(frequencyWeighting('Main')));
    if (value !== undefined) return clock.elapsed() - since;
  }
  return Number.POSITIVE_INFINITY;
}

/** Questions of the gateway itself after trouble. */
const QUESTIONS = ['Measure?', 'Pause?', 'Store Name?', 'Clock?'];

/** A setting reaches the meter once for each that was asked for; a request again only where that was counted. */
function notTwice(t: Test, { device, meter, got }: Scene, before: { asked: number; resent: number }): void {
  const since = got.slice(before.asked);
  const resent = meter.report().counters.resent - before.resent;
  for (const { command, kind } of since.filter(({ command }) => !QUESTIONS.includes(command))) {
    const sent = device.log.commands.filter((text) => text === command).length;
    const asked = since.filter((one) => one.command === command).length + (kind === 'setting' ? 0 : resent);
    t.ok(sent <= asked, `"${command}" sent ${sent} times for ${asked}`);
  }
}

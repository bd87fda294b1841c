/**
 * A day of field life, from outside alone: bytes typed and bytes expected stand here as hand has written them. Where curl
 * and bash are at hand, they do what the bare sockets did, with nothing of this project in them.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { FtpClient } from '../support/ftp-client.ts';
import { type Client, happened, type Rig, rig } from './rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OK = 'R+0000\r\n$';
const REFUSED = 'R+0004\r\n$';
const said = (value: string) => `R+0000\r\n${value}\r\n$`;

/** 59 min 20 s ahead, as a meter in the field was, and gaining 8.6 s a day. Thinks and shows as a meter does. */
const FIELD = {
  clock_offset_s: 3_560,
  clock_drift_ppm: 100,
  think_query_ms: [0, 20],
  think_stop_ms: [80, 100],
  display_refresh_ms: 1_000,
  ftp_start_delay_ms: 1_500,
  sleep_after_ms: 10 * MINUTE,
} as const;

const STORE = '/NL-43/Auto_0042';
const LEQ_FILE = `${STORE}/Auto_Leq/NL_0007_SLM_Leq_0042_0001.rnd`;
const lpFile = (number: number) => `${STORE}/Auto_Lp_01/NL_0007_SLM_Lp _0042_${String(number).padStart(4, '0')}.rnd`;

const energy = (db: number) => 10 ** (db / 10);
const meanLevel = (levels: readonly number[]) =>
  10 * Math.log10(levels.reduce((sum, db) => sum + energy(db), 0) / levels.length);

interface Table {
  readonly rows: readonly string[][];
  column(name: string): number[];
}

function readTable(text: string): Table {
  const [first, head = '', ...lines] = text.trimEnd().split('\r\n');
  if (first !== 'CSV') throw new Error(`a file that begins with ${first}`);
  const names = head.split(',');
  const rows = lines.map((line) => line.split(','));
  return { rows, column: (name) => rows.map((row) => Number(row[names.indexOf(name)])) };
}

/** A tool of this computer that nobody here wrote, or null. */
function tool(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
const skipWithout = (name: string) => (tool(name) ? false : `${name} is not installed here`);

function run({ clock }: Rig, name: string, words: readonly string[]): Promise<string> {
  const work = new Promise<string>((resolve, reject) => {
    const child = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { out: '', err: '' };
    child.stdout.setEncoding('latin1').on('data', (text) => {
      printed.out += text;
    });
    child.stderr.on('data', (text) => {
      printed.err += text;
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(printed.out) : reject(new Error(`${name}: ${printed.err}`))));
  });
  return clock.until(work, { stepMs: 1 });
}

/** Types lines and compares each reply with the text beside the line. */
async function dialogue(
  t: Test,
  { clock }: Rig,
  typist: Client,
  lines: readonly (readonly [string, string | RegExp])[],
) {
  for (const [line, reply] of lines) {
    const heard = await clock.until(typist.ask(line), { stepMs: 5 });
    if (typeof reply === 'string') t.equal(heard, reply, line);
    else t.match(heard, reply, line);
  }
}

async function ftp(field: Rig, command: string): Promise<string> {
  const client = await field.clock.until(FtpClient.login(field.meter.ftpPort), { stepMs: 1 });
  const { data } = await field.clock.until(client.fetch(command), { stepMs: 1 });
  await client.close();
  return data.toString('latin1');
}

const ftpAddress = ({ meter }: Rig, path: string) =>
  `ftp://USER:0000@127.0.0.1:${meter.ftpPort}/${path.split('/').map(encodeURIComponent).join('/')}`;
const byCurl = (field: Rig, path: string, ...more: string[]) =>
  run(field, 'curl', [
    '--silent',
    '--show-error',
    '--disable-eprt',
    '--ftp-port',
    '127.0.0.1',
    ...more,
    ftpAddress(field, path),
  ]);

const dial = (port: number) =>
  new Promise<string>((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
  });

t.test('a day of field life', async (t) => {
  const field = await rig(t, FIELD, { soundStepMs: 100, scenario: 'roadside', seed: 11 });
  const { clock, meter } = field;
  const typist = await field.client();
  const leq = { day: 0 };

  await t.test('in the morning: who is there, the wrong clock, the settings of the job', async (t) => {
    await dialogue(t, field, typist, [
      ['Type?', said('NL-43')],
      ['Clock?', said('2025/12/24 02:59:20')],
      ['Clock,2025/12/24,02:00:00', 'R+0002\r\n$'],
      ['clock, 2025/12/24 02:00:00', OK],
      ['Battery Level?', said('Full')],
      ['Frequency Weighting (Main),A', OK],
      ['Time Weighting (Main),F', OK],
      ['Percentile 1,1', OK],
      ['Index Number,7', OK],
      ['Store Mode,Manual', OK],
      ['Measure?', said('Stop')],
      ['Measure,Stop', REFUSED],
      ['Reset', 'R+0001\r\n$'],
    ]);
  });

  await t.test('a look at the live level: ten seconds of frames, then SUB', async (t) => {
    typist.type('DRD?\r\n');
    const heard = await clock.until(typist.take(/^100,.*\r\n/m), { stepMs: 10 });
    const [result, ...frames] = heard.trimEnd().split('\r\n');
    t.equal(result, 'R+0000');
    for (const [index, frame] of frames.entries()) {
      const number = String(index + 1).padStart(3);
      t.match(frame, new RegExp(`^${number}(,[ \\d]{2}\\d\\.\\d){5}, {2}-\\.-,0,0((, {2}-\\.-){6},-,-){3}$`));
    }
    typist.type('\x1a');
    t.match(await clock.until(typist.take('$')), /\$$/);
  });

  await t.test('a store of 24 h: 1 s Lp and 15 min Leq, under a name that is free', async (t) => {
    await dialogue(t, field, typist, [
      ['Store Mode,Auto', OK],
      ['Store Name,42', OK],
      ['Store Name?', said('0042')],
      ['Overwrite?', said('None')],
      ['Measurement Time Preset Auto,24h', OK],
      ['Lp Store Interval,1s', OK],
      ['Leq Calculation Interval Preset,15m', OK],
      ['Measure,Start', OK],
      ['Measure?', said('Start')],
      ['Overwrite?', said('Exist')],
      ['DRD?', REFUSED],
      ['Store Name,43', REFUSED],
      ['Manual Store,Start', REFUSED],
      ['Sleep Mode,On', REFUSED],
      ['FTP,On', OK],
      ['FTP?', said('On')],
    ]);
  });

  await t.test('six hours on: the files grow while it measures', async (t) => {
    await clock.advance(6 * HOUR + MINUTE);
    const before = await ftp(field, `LIST ${STORE}/Auto_Lp_01`);
    t.match(before, /^-rw-rw-rw- +1 root +root +\d+ Dec 24 0[78]:\d\d NL_0007_SLM_Lp _0042_0006\.rnd\r$/m);
    const early = await ftp(field, `RETR ${lpFile(7)}`);
    await clock.advance(MINUTE);
    const late = await ftp(field, `RETR ${lpFile(7)}`);
    t.ok(late.startsWith(early));
    t.ok(readTable(late).rows.length >= readTable(early).rows.length + 60);
  });

  await t.test('a pause of ten minutes: nothing is added, the live level goes on', async (t) => {
    await dialogue(t, field, typist, [
      ['Pause,On', OK],
      ['Pause?', said('On')],
      ['Measure?', said('Start')],
    ]);
    const paused = await clock.until(typist.ask('DOD?'));
    await clock.advance(10 * MINUTE);
    const still = await clock.until(typist.ask('DOD?'));
    t.equal(still.slice(13), paused.slice(13), 'all but Lp');
    await dialogue(t, field, typist, [
      ['Pause,Off', OK],
      ['Pause?', said('Off')],
    ]);
  });

  await t.test('the time runs out by itself; a stop then is refused', async (t) => {
    await clock.advance(17 * HOUR + 50 * MINUTE);
    await dialogue(t, field, typist, [['Measure?', said('Start')]]);
    await clock.advance(20 * MINUTE);
    await dialogue(t, field, typist, [
      ['Measure?', said('Stop')],
      ['Measure,Stop', REFUSED],
    ]);
    const result = (await clock.until(typist.ask('DLC?'))).split('\r\n')[1]?.split(',') ?? [];
    t.equal(result.length, 64);
    t.equal(result[0], '  -.-');
    const [, level = 0, exposure = 0] = result.map(Number);
    t.ok(Math.abs(exposure - level - 10 * Math.log10(86_400)) <= 0.11, 'LE - Leq = 10 lg 86,400');
    leq.day = level;
  });

  await t.test('the card: 96 rows of Leq and 86,400 of Lp that make the Leq of the day', async (t) => {
    const table = readTable(await ftp(field, `RETR ${LEQ_FILE}`));
    t.equal(table.rows.length, 96);
    t.ok(Math.abs(meanLevel(table.column('Leq(Main)')) - leq.day) <= 0.1, 'energy mean of the quarters of an hour');
    const seconds: number[] = [];
    for (let number = 1; number <= 24; number++) {
      seconds.push(...readTable(await ftp(field, `RETR ${lpFile(number)}`)).column('Leq(Main)'));
    }
    t.equal(seconds.length, 86_400);
    t.ok(Math.abs(meanLevel(seconds) - leq.day) <= 0.1, 'energy mean of the seconds');
    t.match(await ftp(field, `RETR ${STORE}/NL_0007_SLM_0042.rnh`), /^CSV\r\n[^$]*\r\nPercentile 1,1\r\n/);
  });

  await t.test('the card is read by curl, too', { skip: skipWithout('curl') }, async (t) => {
    const listing = await byCurl(field, `${STORE}/`);
    t.match(listing, /^drwx.* Auto_Leq\r?$/m);
    t.equal(await byCurl(field, LEQ_FILE), await ftp(field, `RETR ${LEQ_FILE}`));
    t.equal(await byCurl(field, lpFile(24)), await ftp(field, `RETR ${lpFile(24)}`), 'a name with a space');
    await t.rejects(
      run(field, 'curl', ['--silent', '--show-error', ftpAddress(field, LEQ_FILE)]),
      /./,
      'passive mode is refused, and curl says so',
    );
  });

  await t.test('asleep ten minutes after the command; somebody on site wakes it', async (t) => {
    await dialogue(t, field, typist, [
      ['Sleep Mode,On', OK],
      ['Sleep Mode?', said('On')],
    ]);
    await clock.advance(10 * MINUTE + 100);
    typist.type('Measure?\r\n');
    await clock.advance(HOUR);
    t.equal(typist.heard, '', 'silent');
    meter.set('Sleep Mode', 'Off');
    await dialogue(t, field, typist, [['Sleep Mode?', said('Off')]]);
  });

  await t.test('the wedge: the control port refuses while FTP answers; the power is cut; settings stay', async (t) => {
    const listening = meter.log.events.filter((event) => event.kind === 'ftp' && event.text === 'listening').length;
    await clock.advance(2_000);
    await happened(meter, 'ftp', listening);
    meter.faults.on('wedge');
    typist.close();
    await happened(meter, 'disconnect');
    while ((await dial(meter.tcpPort)) === 'connected') await clock.advance(1_000);
    t.equal(await dial(meter.tcpPort), 'ECONNREFUSED');
    t.match(await ftp(field, `LIST ${STORE}`), /Auto_Leq/);
    const back = meter.powerCycle(30_000);
    await clock.advance(29_000);
    t.equal(await dial(meter.tcpPort), 'ECONNREFUSED', 'booting');
    await clock.until(back);
    const again = await field.client();
    await dialogue(t, field, again, [
      ['Store Name?', said('0042')],
      ['Percentile 1?', said('1')],
      ['Overwrite?', said('Exist')],
      ['DLC?', /^R\+0000\r\n( {2}-\.-,){14}0,0,/],
      ['Manual Store,Start', REFUSED],
    ]);
    again.close();
    await happened(meter, 'disconnect', 2);
  });

  await t.test(
    'by the evening the clock has gained its seconds, and bash can set it right',
    { skip: skipWithout('bash') },
    async (t) => {
      const script = [
        `exec 3<>/dev/tcp/127.0.0.1/${meter.tcpPort}`,
        "printf 'Clock?\\r\\n' >&3; IFS= read -r -d '$' reply <&3; printf '%s' \"$reply\"",
        "printf 'Clock,2026/01/01 00:00:00\\r\\n' >&3; IFS= read -r -d '$' reply <&3; printf '%s' \"$reply\"",
      ].join('\n');
      const printed = await run(field, 'bash', ['-c', script]);
      const [result, shown = '', set] = printed.split('\r\n');
      t.same([result, set], ['R+0000', 'R+0000']);
      const gained = Date.parse(`${shown.replaceAll('/', '-').replace(' ', 'T')}Z`) - clock.now();
      t.ok(gained > 7_000 && gained < 10_000, `${gained} ms more than the world since it was set, about a day ago`);
      t.match(meter.read('Clock'), /^2026\/01\/01 00:00:0/);
    },
  );
});

/** The process that prints a report: it delays nobody, and each of its ends has an error text. */
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import type { ReportDocument } from '../../plugins/reports/document.ts';
import { PdfPrinter } from '../../plugins/reports/pdf/printer.ts';
import { VirtualClock } from '../../simulator/index.ts';

const ROWS = 400;
const REPORT: ReportDocument = {
  title: 'Rows',
  template: '',
  lang: 'en',
  zone: 'UTC',
  from: '2025-11-01T00:00:00Z',
  to: '2025-12-01T00:00:00Z',
  period: '',
  remarks: '',
  letterhead: null,
  check: null,
  overview: null,
  units: [
    {
      unit_id: 'roof',
      title: 'Roof',
      channel: 'main',
      sections: [
        {
          section: 'days',
          title: 'Days',
          blocks: [
            {
              block: 'table',
              name: 'Days',
              columns: [{ title: 'Lden', kind: 'level' }],
              rows: Array.from({ length: ROWS }, (_, n) => [n]),
            },
          ],
        },
      ],
    },
  ],
};
const WISH = { report: REPORT, paper: 'a4' } as const;
const patient = () => new AbortController().signal;
/** A printer whose process runs this program in place of its own. */
const printerOf = (program: string, ...args: readonly string[]) =>
  new PdfPrinter(systemClock, { command: ['-e', program, ...args] });
const HANGS = 'setInterval(() => {}, 1_000)';

t.test('others have turns while a long table is printed', async (t) => {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const bytes = await new PdfPrinter(systemClock).print(WISH, patient());
  isDone = true;
  t.equal(bytes.toString('latin1', 0, 8), '%PDF-1.7');
  t.ok(turns > ROWS / 20, `${turns} turns`);
});

t.test('the same report has the same bytes', async (t) => {
  const printer = new PdfPrinter(systemClock);
  const [one, two] = await Promise.all([printer.print(WISH, patient()), printer.print(WISH, patient())]);
  t.ok(one.equals(two));
});

t.test('printing ends with its reason when nobody waits for it, and the next one is printed', async (t) => {
  const reader = new AbortController();
  const printer = printerOf(HANGS);
  const printed = printer.print(WISH, reader.signal);
  const next = printer.print(WISH, reader.signal);
  setImmediate(() => reader.abort(new Error('the reader has left')));
  const left = { message: 'the reader has left' };
  await Promise.all([t.rejects(printed, left), t.rejects(next, left, 'one that waits is not begun')]);
});

t.test('the error for a process that hangs, fails or is killed has its output', async (t) => {
  const failure = (why: string) => ({
    code: 'INTERNAL',
    message: `The report could not be printed: its process ${why}.`,
  });
  const clock = new VirtualClock();
  const hanging = new PdfPrinter(clock, { command: ['-e', HANGS] }).print(WISH, patient());
  await t.rejects(clock.until(hanging, { stepMs: 60_000 }), failure('took more than 300 s'));
  const ended = (by: string) => failure(`ended with ${by} and without a PDF`);
  await t.rejects(printerOf('process.exit(3)').print(WISH, patient()), ended('3'));
  await t.rejects(printerOf('process.exit(0)').print(WISH, patient()), ended('0'), 'nor is nothing a PDF');
  await t.rejects(printerOf('process.kill(process.pid, "SIGKILL")').print(WISH, patient()), ended('SIGKILL'));
  await t.rejects(
    printerOf('console.log("%PDF-1.7"); process.exit(4)').print(WISH, patient()),
    ended('4'),
    'half of one',
  );
  const heard: Error[] = [];
  const throwing = { command: ['-e', 'throw new Error("no room")'], failed: (error: Error) => heard.push(error) };
  const thrown = new PdfPrinter(systemClock, throwing).print(WISH, patient());
  await t.rejects(thrown, { ...ended('1'), cause: { message: /no room/ } });
  t.match(heard, [{ cause: { message: /no room/ } }], 'for the log');
});

t.test('a picture that the library refuses is another error than a process that failed', async (t) => {
  const logo = Buffer.from('no picture');
  const report = { ...REPORT, letterhead: { lines: [], logo: '' } };
  await t.rejects(new PdfPrinter(systemClock).print({ ...WISH, report, logo }, patient()), {
    message: 'The report cannot be printed.',
    cause: { message: /image format/ },
  });
});

t.test('reports are printed one after the other, also after a failure', async (t) => {
  const alone = `
    const fs = require('node:fs');
    fs.closeSync(fs.openSync(process.argv[1], 'wx'));
    process.stdin.resume().on('end', () => { fs.unlinkSync(process.argv[1]); process.stdout.write('alone'); });`;
  const printer = printerOf(alone, join(t.testdir(), 'at-work'));
  const gone = printer.print(WISH, AbortSignal.abort(new Error('gone')));
  const printed = [1, 2, 3, 4].map(() => printer.print(WISH, patient()));
  await t.rejects(gone, { message: 'gone' });
  t.strictSame((await Promise.all(printed)).map(String), ['alone', 'alone', 'alone', 'alone']);
});

t.test('two reports of each caller wait, callers have their turns, and kept reports are first', async (t) => {
  const printer = printerOf("process.stdin.resume().on('end', () => process.stdout.write('done'))");
  const printed: string[] = [];
  const print = (name: string, caller?: string) =>
    printer.print({ ...WISH, ...(caller && { caller }) }, patient()).then(() => printed.push(name));
  const all = [print('a1', 'a'), print('a2', 'a'), print('a3', 'a')];
  await t.rejects(print('a4', 'a'), { code: 'BUSY', headers: { 'Retry-After': '5' } });
  all.push(print('b1', 'b'), print('kept 1'), print('kept 2'), print('kept 3'), print('b2', 'b'));
  await Promise.all(all);
  t.strictSame(printed, ['a1', 'kept 1', 'kept 2', 'kept 3', 'a2', 'b1', 'a3', 'b2']);
});

t.test(
  'a process that takes too much memory beside its heap is ended',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const greedy = 'const all = []; setInterval(() => all.push(Buffer.alloc(50_000_000, 1)), 20)';
    await t.rejects(printerOf(greedy).print(WISH, patient()), {
      message: 'The report could not be printed: its process needed more than 400 MB of memory.',
    });
  },
);

t.test('the process has nothing of the environment of the gateway but where compiled code is kept', async (t) => {
  process.env.SLM_TEST_SECRET = 'a secret';
  t.teardown(() => {
    delete process.env.SLM_TEST_SECRET;
  });
  const names = await printerOf('process.stdout.write(Object.keys(process.env).join())').print(WISH, patient());
  // Variables of tap go to every process of a test.
  const given = String(names)
    .split(',')
    .filter((name) => !/^(_TAPJS_|NODE_OPTIONS$)/.test(name));
  t.strictSame(
    given.filter((name) => !/^(SystemRoot|NODE_COMPILE_CACHE)$/i.test(name)),
    ['MALLOC_ARENA_MAX'],
  );
});

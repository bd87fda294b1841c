/** The PDF of a report: where lines break, how others get their turns, and that nobody waits for one whose reader has left. */
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { ReportDocument } from '../../plugins/reports/document.ts';
import { FontShelf } from '../../plugins/reports/pdf/fonts.ts';
import { brokenLines, cutLines } from '../../plugins/reports/pdf/lines.ts';
import { printReport } from '../../plugins/reports/pdf/print.ts';

const widthOf = (text: string) => [...text].length;
const inLines = (text: string, width: number) => brokenLines(text, width, widthOf);

t.test('lines break between words, behind signs between letters, and between Japanese characters', async (t) => {
  t.strictSame(inLines('on 30 of 31 days', 8), ['on 30 of', '31 days']);
  t.strictSame(inLines('a  b\n\nc ', 9), ['a  b', '', 'c'], 'lines stay lines, without spaces at their ends');
  t.strictSame(inLines('self-made', 6), ['self-', 'made']);
  t.strictSame(inLines('GET /a?from=1&to=2', 12), ['GET /a?', 'from=1&to=2']);
  t.strictSame(inLines('on 2025-11-03', 8), ['on', '2025-11-', '03'], 'a date that has no room alone');
  t.strictSame(inLines('on 2025-11-03', 10), ['on', '2025-11-03'], 'one that has');
  t.strictSame(inLines('to -6.9 dB', 4), ['to', '-6.9', 'dB'], 'a sign stays with its number');
  t.strictSame(inLines('騒音測定。基準値', 4), ['騒音測', '定。基準', '値'], 'no full stop begins a line');
  t.strictSame(inLines('値「基準」', 2), ['値', '「基', '準」'], 'no bracket ends one');
  t.strictSame(inLines('abcdefgh', 3), ['abc', 'def', 'gh'], 'a word that is too long');
  t.strictSame(inLines('ab cdefgh', 3), ['ab', 'cde', 'fgh']);
  t.strictSame(inLines('', 3), ['']);
});

t.test('what has no room is cut, and says so', async (t) => {
  t.strictSame(cutLines(['abc', 'def', 'g'], 2, 3, widthOf), ['abc', 'de…']);
  t.strictSame(cutLines(['abc', 'd', 'g'], 2, 3, widthOf), ['abc', 'd…']);
  t.strictSame(cutLines(['abc', 'def'], 2, 3, widthOf), ['abc', 'def']);
});

const ROWS = 400;
const REPORT: ReportDocument = {
  ...{ title: 'Rows', template: '', lang: 'en', from: '', to: '', period: '', remarks: '', letterhead: null },
  units: [
    {
      ...{ unit_id: 'roof', title: 'Roof', channel: 'main' },
      sections: [
        {
          ...{ section: 'days', title: 'Days' },
          blocks: [
            {
              ...{ block: 'table', name: 'Days', columns: [{ title: 'Lden', kind: 'level' }] },
              rows: Array.from({ length: ROWS }, (_, n) => [n]),
            },
          ],
        },
      ],
    },
  ],
};
const fonts = {
  folder: fileURLToPath(new URL('../../node_modules/@expo-google-fonts/', import.meta.url)),
  isPacked: false,
};
const order = () => ({
  ...{ report: REPORT, paper: 'a4' as const, words: { remarks: '', page: '{page}', unprintable: '' }, createdAt: 0 },
  fonts: new FontShelf(fonts),
});

t.test('others have turns while a long table is printed', async (t) => {
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const bytes = await printReport(order(), new AbortController().signal);
  isDone = true;
  t.equal(bytes.toString('latin1', 0, 8), '%PDF-1.7');
  t.ok(turns > ROWS / 20, `${turns} turns`);
});

t.test('printing ends with its reason when nobody waits for it', async (t) => {
  const reader = new AbortController();
  const printed = printReport(order(), reader.signal);
  reader.abort(new Error('the reader has left'));
  await t.rejects(printed, { message: 'the reader has left' });
});

t.test('fonts that could not be read are read again', async (t) => {
  const shelf = new FontShelf({ ...fonts, folder: '/nowhere' });
  await t.rejects(shelf.read('plain'), { code: 'ENOENT' });
  await t.rejects(shelf.read('plain'), { code: 'ENOENT' });
  const there = new FontShelf(fonts);
  t.equal(await there.read('plain'), await there.read('plain'), 'and one that was read stays');
});

/** The process that prints one report as PDF. Its order comes by standard input, the PDF leaves by standard output. It loads nothing of the gateway, to stay small. */
import { buffer } from 'node:stream/consumers';
import { deserialize } from 'node:v8';
import PDFDocument from 'pdfkit';
import { ReportFonts } from './fonts.ts';
import type { PrintedReport, PrintOrder } from './order.ts';
import { MARGIN, Sheet } from './sheet.ts';

/** Cells of a report that are elements each: more than those of a month of 20 units. */
const MOST_TAGGED = 40_000;

const cellsOf = ({ units }: PrintedReport): number =>
  units
    .flatMap(({ sections }) => sections.flatMap(({ blocks }) => blocks))
    .reduce((sum, block) => sum + (block.block === 'table' ? block.rows.length * block.columns.length : 0), 0);

async function printReport({ report, paper, words, logo, fonts, createdAt }: PrintOrder): Promise<Buffer> {
  const pdf = new PDFDocument({
    size: paper === 'a4' ? 'A4' : 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    lang: report.lang,
    pdfVersion: '1.7',
    displayTitle: true,
    tagged: true,
    font: '',
    // Not the time of printing: the same document has the same bytes.
    info: {
      Title: report.title,
      Creator: 'Sound Level Meter Gateway',
      CreationDate: new Date(createdAt),
    },
  });
  const own = await ReportFonts.open(pdf, fonts, report);
  const pieces: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (piece: Buffer) => pieces.push(piece));
    pdf.on('end', () => resolve(Buffer.concat(pieces)));
    pdf.on('error', reject);
  });
  const sheet = new Sheet(pdf, own, cellsOf(report) <= MOST_TAGGED);
  if (report.letterhead) sheet.letterhead(report.letterhead, logo && Buffer.from(logo));
  write(report, words, sheet, own.missing);
  pdf.end();
  return whole;
}

function write(report: PrintedReport, words: PrintOrder['words'], sheet: Sheet, missing: ReadonlySet<string>): void {
  sheet.heading(report.title, 1);
  sheet.opening(report);
  if (report.overview) sheet.onOnePage(report.overview.title, report.overview.blocks);
  if (report.remarks) {
    sheet.heading(words.remarks, 3);
    sheet.text(report.remarks);
  }
  for (const unit of report.units) {
    sheet.heading(unit.title, 2);
    for (const { title, blocks } of unit.sections) {
      sheet.heading(title, 3);
      for (const block of blocks) sheet.block(block);
    }
  }
  if (missing.size > 0) {
    const codes = [...missing].map(
      (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
    sheet.text(words.unprintable.replace('{characters}', codes.join(', ')));
  }
  sheet.end(words.page);
}

/** As sysexits.h has it: what came in cannot be printed. Anything else is no fault of the order. */
const WRONG_DATA = 65;

/** The library reports some broken pictures in a callback, where nobody could catch the error. A refusal of the system, such as a missing file, is not the fault of the order. */
function refuse(error: unknown): void {
  process.stderr.write(error instanceof Error ? `${error.stack}` : String(error));
  process.exitCode = error instanceof Error && 'syscall' in error ? 1 : WRONG_DATA;
}

process.once('uncaughtException', refuse);
const order: PrintOrder = deserialize(await buffer(process.stdin));
try {
  process.stdout.write(await printReport(order));
} catch (error) {
  refuse(error);
}

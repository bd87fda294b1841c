/** A report as PDF: selectable text, fonts in the file, charts as lines. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportDocument, ReportedUnit } from '../document.ts';
import { type FontShelf, ReportFonts } from './fonts.ts';
import { PdfFile } from './pdf-file.ts';
import { pictureOf } from './picture.ts';
import { type Paper, Sheet } from './sheet.ts';

const CREATOR = 'Sound Level Meter Gateway';

/** What is printed, and on what. */
export interface PrintOrder {
  readonly report: ReportDocument;
  readonly paper: Paper;
  /** A PNG or JPEG. */
  readonly logo?: Buffer | undefined;
  /** In the language of the report, with their gaps. */
  readonly words: Readonly<Record<'remarks' | 'page' | 'unprintable', string>>;
  readonly fonts: FontShelf;
  /** The date in the file, ms since 1970 UTC. */
  readonly createdAt: number;
}

/** The bytes of the PDF, made piece by piece: others are answered meanwhile. Errors: the reason of the signal; Error, where the logo is broken. */
export async function printReport(order: PrintOrder, signal: AbortSignal): Promise<Buffer> {
  const { report, paper, words, logo, createdAt } = order;
  const pause = async () => {
    await nextTurn();
    signal.throwIfAborted();
  };
  const fonts = await ReportFonts.open(order.fonts, report.lang === 'ja');
  const sheet = new Sheet(paper, fonts, report.lang, pause);
  if (report.letterhead) {
    await fonts.prepare(report.letterhead.lines.join(''));
    sheet.letterhead(report.letterhead.lines, logo && (await pictureOf(logo)));
  }
  await fonts.prepare(`${report.title}${report.period}${report.remarks}${words.remarks}`);
  sheet.heading(report.title, 1);
  sheet.text(report.period);
  if (report.remarks) {
    sheet.heading(words.remarks, 3);
    sheet.text(report.remarks);
  }
  for (const unit of report.units) await writeUnit(unit, sheet, fonts, pause);
  if (fonts.missing.size > 0) sheet.text(words.unprintable.replace('{characters}', codesOf(fonts.missing)));
  sheet.numbers(words.page);
  // Not the time of printing: the same document has the same bytes.
  const facts = { title: report.title, creator: CREATOR, createdAt, lang: report.lang };
  return sheet.pages.write(new PdfFile(), fonts.all, facts);
}

async function writeUnit(
  unit: ReportedUnit,
  sheet: Sheet,
  fonts: ReportFonts,
  pause: () => Promise<void>,
): Promise<void> {
  await fonts.prepare(unit.title);
  sheet.heading(unit.title, 2);
  for (const section of unit.sections) {
    // All that is printed but the lines of charts, which are numbers and many.
    await fonts.prepare(JSON.stringify(section, (name, value) => (name === 'points' ? undefined : value)));
    sheet.heading(section.title, 3);
    for (const block of section.blocks) {
      if (block.block === 'text') sheet.text(block.text);
      else if (block.block === 'table') await sheet.table(block);
      else sheet.chart(block);
      await pause();
    }
  }
}

const codesOf = (characters: ReadonlySet<string>): string =>
  [...characters].map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(', ');

/** A report as PDF: selectable text, fonts in the file, charts as lines. Knows nothing of the gateway, so that its thread loads no more than it needs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PDFDocument from 'pdfkit';
import type { ReportDocument } from '../document.ts';
import { say } from '../words.ts';
import { MARGIN, type Paper, type Pdf, Sheet } from './sheet.ts';

const FONTS = Object.freeze({ plain: '400Regular/NotoSans_400Regular.ttf', bold: '700Bold/NotoSans_700Bold.ttf' });

/** What is printed, and on what. */
export interface PrintOrder {
  readonly report: ReportDocument;
  readonly paper: Paper;
  /** The folder of Noto Sans. */
  readonly fonts: string;
  /** The date in the file, ms since 1970 UTC. */
  readonly createdAt: number;
}

/** The bytes of the PDF. */
export async function printReport({ report, paper, fonts, createdAt }: PrintOrder): Promise<Buffer> {
  const [plain, bold] = await Promise.all([readFile(join(fonts, FONTS.plain)), readFile(join(fonts, FONTS.bold))]);
  const pdf = new PDFDocument({
    ...{ size: paper === 'a4' ? 'A4' : 'LETTER', margin: MARGIN, bufferPages: true, lang: report.lang },
    ...{ pdfVersion: '1.7', displayTitle: true, font: '' },
    // Not the time of printing: the same document has the same bytes.
    info: {
      Title: report.title,
      Creator: 'Sound Level Meter Gateway',
      CreationDate: new Date(createdAt),
    },
  });
  pdf.registerFont('plain', plain).registerFont('bold', bold).font('bold').font('plain');
  const pieces: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (piece: Buffer) => pieces.push(piece));
    pdf.on('end', () => resolve(Buffer.concat(pieces)));
    pdf.on('error', reject);
  });
  write(report, new Sheet(pdf, glyphsOf(pdf)));
  pdf.end();
  return whole;
}

function write(report: ReportDocument, sheet: Sheet): void {
  sheet.heading(report.title, 1);
  sheet.text(report.period);
  if (report.remarks) {
    sheet.heading(say('remarks'), 3);
    sheet.text(report.remarks);
  }
  for (const unit of report.units) {
    sheet.heading(unit.title, 2);
    for (const { title, blocks } of unit.sections) {
      sheet.heading(title, 3);
      for (const block of blocks)
        if (block.block === 'text') sheet.text(block.text);
        else if (block.block === 'table') sheet.table(block);
        else sheet.chart(block);
    }
  }
  if (sheet.missing.size > 0) {
    const codes = [...sheet.missing].map(
      (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
    sheet.text(say('unprintable', { characters: codes.join(', ') }));
  }
  sheet.numbers();
}

/** Which characters the present font has. The library does not say it in its types. */
function glyphsOf(pdf: Pdf): (codePoint: number) => boolean {
  const { _font: own } = pdf as Pdf & {
    readonly _font?: { readonly font?: { hasGlyphForCodePoint?(code: number): boolean } };
  };
  const font = own?.font;
  if (!font?.hasGlyphForCodePoint) throw new Error('the font of the report cannot be read');
  return (codePoint) => font.hasGlyphForCodePoint?.(codePoint) ?? false;
}

/** A report as PDF: selectable text, fonts in the file, charts as lines. The same document gives the same bytes. */
import { zones } from '../../../lib/index.ts';
import type { ReportDocument } from '../document.ts';
import { say } from '../words.ts';
import { readFonts } from './fonts.ts';
import { giveWay, MARGIN, type Paper, type Pdf, Sheet } from './sheet.ts';

/** The library and the fonts are loaded with the first report. The event loop gets its turns; the signal ends it. */
export async function printPdf(report: ReportDocument, paper: Paper, signal?: AbortSignal): Promise<Buffer> {
  const [{ default: PDFDocument }, fonts] = await Promise.all([import('pdfkit'), readFonts()]);
  const pdf = new PDFDocument({
    ...{ size: paper === 'a4' ? 'A4' : 'LETTER', margin: MARGIN, bufferPages: true, lang: report.lang },
    ...{ pdfVersion: '1.7', displayTitle: true, font: '' },
    // Not the time of printing: the same document has the same bytes.
    info: {
      Title: report.title,
      Creator: 'Sound Level Meter Gateway',
      CreationDate: new Date(zones.instantOf(report.to)),
    },
  });
  pdf.registerFont('plain', fonts.plain).registerFont('bold', fonts.bold).font('bold').font('plain');
  const pieces: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (piece: Buffer) => pieces.push(piece));
    pdf.on('end', () => resolve(Buffer.concat(pieces)));
    pdf.on('error', reject);
  });
  await write(report, new Sheet(pdf, glyphsOf(pdf), signal), signal);
  pdf.end();
  return whole;
}

async function write(report: ReportDocument, sheet: Sheet, signal?: AbortSignal): Promise<void> {
  sheet.heading(report.title, 1);
  sheet.text(report.period);
  if (report.remarks) {
    sheet.heading(say('remarks'), 3);
    sheet.text(report.remarks);
  }
  for (const unit of report.units) {
    sheet.heading(unit.title, 2);
    for (const { title, blocks } of unit.sections) {
      await giveWay(signal);
      sheet.heading(title, 3);
      for (const block of blocks)
        if (block.block === 'text') sheet.text(block.text);
        else if (block.block === 'table') await sheet.table(block);
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

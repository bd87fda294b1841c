/** Reports as PDF, one after the other. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT, wordsOf, zones } from '../../../lib/index.ts';
import type { ReportDocument } from '../document.ts';
import { type FontPlace, FontShelf } from './fonts.ts';
import { printReport } from './print.ts';
import type { Paper } from './sheet.ts';

/** The build has the fonts in a folder of its own. */
const BUILT = new URL('fonts/', ROOT);

/** What is printed; `logo`: a PNG or JPEG. */
export interface PrintWish {
  readonly report: ReportDocument;
  readonly paper: Paper;
  readonly logo?: Buffer | undefined;
}

/** Two at once would need twice the memory. */
export class PdfPrinter {
  readonly #fonts = new FontShelf(placeOfFonts());
  #last: Promise<unknown> = Promise.resolve();

  /** The same document gives the same bytes. Rejects with the reason of the signal. */
  print({ report, paper, logo }: PrintWish, signal: AbortSignal): Promise<Buffer> {
    const { remarks, page, unprintable } = wordsOf(report.lang).report;
    const words = { remarks, page, unprintable };
    const order = {
      report,
      paper,
      words,
      logo,
      fonts: this.#fonts,
      createdAt: zones.instantOf(report.to),
    };
    const printed = this.#last.then(() => {
      signal.throwIfAborted();
      return printReport(order, signal);
    });
    this.#last = printed.catch(() => {});
    return printed;
  }
}

function placeOfFonts(): FontPlace {
  const isPacked = existsSync(BUILT);
  const folder = isPacked ? BUILT : new URL('node_modules/@expo-google-fonts/', ROOT);
  return { folder: fileURLToPath(folder), isPacked };
}

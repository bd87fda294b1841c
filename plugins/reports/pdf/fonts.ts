/** The fonts of a PDF, and which text is set in which of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type PDFDocument from 'pdfkit';
import type { FontPlace, PrintedReport } from './order.ts';

const FILES = Object.freeze({
  plain: 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: 'noto-sans/700Bold/NotoSans_700Bold.ttf',
  japanese: 'biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf',
});

export type Pdf = InstanceType<typeof PDFDocument>;

/** A text with the font that has most of its characters; `?` stands for each of the others. */
export interface SetText {
  readonly text: string;
  readonly isJapanese: boolean;
}

type Has = (codePoint: number) => boolean;

export class ReportFonts {
  readonly #latin: Has;
  readonly #japanese: Has;
  readonly #isJapanese: boolean;
  /** Characters that no font has. */
  readonly missing = new Set<string>();

  private constructor(latin: Has, japanese: Has, isJapanese: boolean) {
    this.#latin = latin;
    this.#japanese = japanese;
    this.#isJapanese = isJapanese;
  }

  /** Registers `plain`, `bold` and, where the report has such characters, `japanese`. */
  static async open(pdf: Pdf, { folder, isPacked }: FontPlace, report: PrintedReport): Promise<ReportFonts> {
    const read = async (name: keyof typeof FILES) => {
      const path = join(folder, FILES[name]);
      return isPacked ? brotliDecompressSync(await readFile(`${path}.br`)) : readFile(path);
    };
    const [plain, bold] = await Promise.all([read('plain'), read('bold')]);
    pdf.registerFont('plain', plain).registerFont('bold', bold);
    opened(pdf.font('bold'));
    const latin = opened(pdf.font('plain'));
    const isJapanese = report.lang === 'ja';
    const needsMore = isJapanese || [...new Set(wordsOf(report))].some((one) => !latin(codeOf(one)));
    if (!needsMore) return new ReportFonts(latin, () => false, false);
    pdf.registerFont('japanese', await read('japanese'));
    return new ReportFonts(latin, opened(pdf.font('japanese')), isJapanese);
  }

  /** The text with `?` for each character that no font has. */
  set(words: string): SetText {
    const characters = [...words.toWellFormed().normalize('NFC')];
    const lacks = (has: Has) => characters.filter((one) => !has(codeOf(one))).length;
    const isJapanese = this.#isJapanese
      ? lacks(this.#japanese) <= lacks(this.#latin)
      : lacks(this.#japanese) < lacks(this.#latin);
    const has = isJapanese ? this.#japanese : this.#latin;
    const shown = characters.map((one) => {
      if (one === '\n' || has(codeOf(one))) return one;
      this.missing.add(one);
      return '?';
    });
    return { text: shown.join(''), isJapanese };
  }
}

/** All that is printed but the lines of charts, which are numbers and many. */
const wordsOf = (report: PrintedReport): string =>
  JSON.stringify(report, (name, value) => (name === 'points' ? undefined : value));

const MARK = /\p{M}/u;
const NO_MARKS = { mark: false, mkmk: false };

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Methods of fonts that the types of the library do not name. */
interface InnerFont {
  hasGlyphForCodePoint(code: number): boolean;
  layout(text: string, features?: Readonly<Record<string, boolean>>): unknown;
}

/**
 * Which characters the present font has. Where marks stand on letters is looked up for texts that have marks alone: to read these tables, which would change
 * nothing else, needs 3 MB a font.
 */
function opened(pdf: Pdf): Has {
  const { _font: own } = pdf as Pdf & { readonly _font?: { readonly font?: Partial<InnerFont> } };
  const { font } = own ?? {};
  const { hasGlyphForCodePoint: has, layout } = font ?? {};
  if (!font || !has || !layout) throw new Error('the font of the report cannot be read');
  font.layout = (text, features) => layout.call(font, text, MARK.test(text) ? features : NO_MARKS);
  return (codePoint) => has.call(font, codePoint);
}

/** A PDF page by page: texts, tables and charts in their order, and the fonts that have their characters. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type PDFDocument from 'pdfkit';
import { type ChartPlace, chartShape } from '../document.ts';
import type { FontPlace, PrintedChart, PrintedReport, PrintedTable } from './order.ts';

const FILES = Object.freeze({
  plain: 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: 'noto-sans/700Bold/NotoSans_700Bold.ttf',
  japanese: 'biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf',
});

/** A document of the library. */
type Pdf = InstanceType<typeof PDFDocument>;

/** A text with the font that has most of its characters; `?` stands for each of the others. */
interface SetText {
  readonly text: string;
  readonly isJapanese: boolean;
}

type Has = (codePoint: number) => boolean;

/** Which text is set in which font. */
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

/** In points, as all sizes here. */
export const MARGIN = 48;
const TEXT_SIZE = 9.5;
const TABLE_SIZE = 7.5;
const PAD = 4;
const CHART_HEIGHT = 150;
const AXIS = 26;
const LOGO = Object.freeze({ width: 150, height: 56 });
const INK = '#1b1f24';
const GREY = '#57606a';
const LINE = '#c8ccd1';
/** Numbers of an axis need no other. */
const LATIN = Object.freeze({ isJapanese: false });
const SERIES_INK = { light: '#7fb0dd', dark: '#0b3d6b' } as const;
const GAP_INK = '#f3d9b8';
const LIMIT_INK = '#b3261e';
/** A column is at least so wide, and text may need so much more than numbers. */
const LEAST = 30;
const MOST = 170;

/** A weight of the font. */
type Weight = 'plain' | 'bold';

/** Writes on a document from top to bottom. */
export class Sheet {
  readonly #pdf: Pdf;
  readonly #fonts: ReportFonts;

  constructor(pdf: Pdf, fonts: ReportFonts) {
    this.#pdf = pdf;
    this.#fonts = fonts;
    let { page } = pdf;
    pdf.on('pageAdded', () => {
      joinPieces(page);
      ({ page } = pdf);
    });
  }

  /** Lines to the left, the logo to the right, and a line below. */
  letterhead(lines: readonly string[], logo: Buffer | undefined): void {
    const pdf = this.#pdf;
    const [top, side] = [pdf.y, LOGO.width];
    if (logo) pdf.image(logo, MARGIN + this.#width - side, top, { fit: [side, LOGO.height], align: 'right' });
    for (const line of lines) {
      const set = this.#fonts.set(line || ' ');
      this.#font('plain', TEXT_SIZE, set).text(set.text, MARGIN, pdf.y, { width: this.#width - side - PAD });
    }
    pdf.y = Math.max(pdf.y, top + (logo ? LOGO.height : 0)) + PAD;
    pdf
      .moveTo(MARGIN, pdf.y)
      .lineTo(MARGIN + this.#width, pdf.y)
      .lineWidth(0.5)
      .strokeColor(LINE)
      .stroke();
    pdf.y += 3 * PAD;
  }

  heading(words: string, level: 1 | 2 | 3): void {
    const size = [18, 13, 11][level - 1] ?? TEXT_SIZE;
    if (level > 1) this.#room(size * 5);
    const set = this.#fonts.set(words);
    this.#font('bold', size, set).moveDown(level === 1 ? 0 : 0.6);
    this.#pdf.text(set.text, MARGIN, undefined, { width: this.#width }).moveDown(0.3);
  }

  text(words: string): void {
    const set = this.#fonts.set(words);
    this.#font('plain', TEXT_SIZE, set).text(set.text, MARGIN, undefined, { width: this.#width }).moveDown(0.5);
  }

  table({ columns, rows }: PrintedTable): void {
    const cells = rows.map((row) => row.map((cell) => this.#fonts.set(cell)));
    const heads = columns.map(({ title }) => this.#fonts.set(title));
    const widths = this.#widths(heads, cells);
    this.#room(60);
    this.#row(heads, widths, columns, 'bold');
    for (const row of cells) {
      if (this.#room(this.#heightOf(row, widths, 'plain'))) this.#row(heads, widths, columns, 'bold');
      this.#row(row, widths, columns, 'plain');
    }
    this.#pdf.moveDown(0.8);
  }

  chart(chart: PrintedChart): void {
    this.#room(CHART_HEIGHT + 30);
    const pdf = this.#pdf;
    const shape = chartShape(chart, (label) => label);
    const [left, top, width, height] = [MARGIN + AXIS, pdf.y, this.#width - AXIS, CHART_HEIGHT];
    const placed = ([x, y]: ChartPlace): [number, number] => [left + x * width, top + y * height];
    for (const gap of shape.gaps) pdf.rect(left + gap.x * width, top, gap.width * width, height).fill(GAP_INK);
    this.#font('plain', TABLE_SIZE, LATIN).fillColor(GREY).lineWidth(0.5).strokeColor(LINE);
    for (const { y, label } of shape.levels) {
      const [, down] = placed([0, y]);
      pdf
        .moveTo(left, down)
        .lineTo(left + width, down)
        .stroke();
      pdf.text(label, MARGIN, down - 5, { width: AXIS - 6, align: 'right', lineBreak: false });
    }
    for (const { x, label } of shape.days) {
      const [right] = placed([x, 0]);
      pdf
        .moveTo(right, top)
        .lineTo(right, top + height)
        .stroke();
      if (label) pdf.text(label, right + 2, top + height + 2, { lineBreak: false });
    }
    for (const { look, pieces } of shape.lines) {
      pdf.strokeColor(look.startsWith('dark') ? SERIES_INK.dark : SERIES_INK.light).lineWidth(0.7);
      if (look.endsWith('dotted')) pdf.dash(1, { space: 2 });
      for (const piece of pieces) {
        for (const [n, place] of piece.entries()) {
          if (n === 0) pdf.moveTo(...placed(place));
          else pdf.lineTo(...placed(place));
        }
        pdf.stroke();
      }
      pdf.undash();
    }
    if (shape.limit !== null) {
      pdf.moveTo(...placed([0, shape.limit])).lineTo(...placed([1, shape.limit]));
      pdf.dash(4, { space: 3 }).strokeColor(LIMIT_INK).stroke().undash();
    }
    pdf.fillColor(INK);
    pdf.y = top + height + 16;
  }

  /** `1 of 7` at the foot of each page, from `{page} of {pages}`. */
  numbers(form: string): void {
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let n = start; n < start + count; n++) {
      this.#pdf.switchToPage(n);
      const { page } = this.#pdf;
      // Within the margin a text would begin a page of its own.
      page.margins.bottom = 0;
      const set = this.#fonts.set(form.replace('{page}', String(n - start + 1)).replace('{pages}', String(count)));
      this.#font('plain', TABLE_SIZE, set).fillColor(GREY);
      this.#pdf.text(set.text, MARGIN, page.height - MARGIN + 12, {
        width: this.#width,
        align: 'right',
        lineBreak: false,
      });
    }
  }

  #font(weight: Weight, size: number, { isJapanese }: Pick<SetText, 'isJapanese'>): Pdf {
    return this.#pdf
      .font(isJapanese ? 'japanese' : weight)
      .fontSize(size)
      .fillColor(INK);
  }

  get #width(): number {
    return this.#pdf.page.width - 2 * MARGIN;
  }

  /** Begins a page where less than this is left; answers whether it did. */
  #room(height: number): boolean {
    if (this.#pdf.y + height <= this.#pdf.page.height - MARGIN) return false;
    this.#pdf.addPage();
    return true;
  }

  /** As wide as what is in them; what is too much is taken from the widest, but no word of a head is broken for it. */
  #widths(heads: readonly SetText[], cells: readonly (readonly SetText[])[]): readonly number[] {
    const widthOf = (set: SetText) => this.#font('bold', TABLE_SIZE, set).widthOfString(set.text) * 1.08;
    const least = heads.map(({ text, isJapanese }) => {
      const words = text.split(' ').map((word) => widthOf({ text: word, isJapanese }));
      return Math.max(LEAST, ...words) + 2 * PAD;
    });
    const wanted = heads.map((head, n) => {
      const longest = [head, ...cells.flatMap((row) => row[n] ?? [])].reduce((a, b) =>
        b.text.length > a.text.length ? b : a,
      );
      return Math.max(least[n] ?? LEAST, Math.min(MOST, widthOf(longest) + 2 * PAD));
    });
    const free = this.#width - sumOf(wanted);
    if (free >= 0) return wanted.map((width) => width + free / wanted.length);
    const spare = wanted.map((width, n) => width - (least[n] ?? LEAST));
    const share = Math.min(1, -free / Math.max(1, sumOf(spare)));
    return wanted.map((width, n) => width - (spare[n] ?? 0) * share);
  }

  #heightOf(row: readonly SetText[], widths: readonly number[], weight: Weight): number {
    const heights = row.map((cell, n) =>
      this.#font(weight, TABLE_SIZE, cell).heightOfString(cell.text || ' ', { width: (widths[n] ?? LEAST) - 2 * PAD }),
    );
    return Math.min(Math.max(...heights) + 2 * PAD, this.#pdf.page.height - 2 * MARGIN - 40);
  }

  #row(row: readonly SetText[], widths: readonly number[], columns: PrintedTable['columns'], weight: Weight): void {
    const height = this.#heightOf(row, widths, weight);
    const top = this.#pdf.y;
    let left = MARGIN;
    for (const [n, cell] of row.entries()) {
      const width = widths[n] ?? LEAST;
      const align = columns[n]?.isNumeric ? 'right' : 'left';
      this.#font(weight, TABLE_SIZE, cell).text(cell.text, left + PAD, top + PAD, {
        width: width - 2 * PAD,
        height: height - PAD,
        align,
        ellipsis: true,
      });
      left += width;
    }
    const bottom = top + height;
    this.#pdf.moveTo(MARGIN, bottom).lineTo(left, bottom).lineWidth(0.5).strokeColor(LINE).stroke();
    this.#pdf.x = MARGIN;
    this.#pdf.y = bottom;
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Pages stay until their number is known. The library keeps each of their lines as an array of its own, 3 kB for a cell; as one it is a tenth. */
function joinPieces({ content }: Pdf['page']): void {
  const { buffer } = content as typeof content & { buffer: Uint8Array[] };
  if (buffer.length > 1) buffer.splice(0, buffer.length, Buffer.concat(buffer));
}

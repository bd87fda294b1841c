/** A PDF page by page: words, tables and charts that flow from the top of the first page to the end of the last one. */
import type { Language } from '../../../lib/index.ts';
import { cellText, isNumeric, shortDateText } from '../cell-text.ts';
import { type ChartPlace, chartShape } from '../chart-shape.ts';
import type { ReportChart, ReportColumn, ReportTable } from '../document.ts';
import type { FontWeight, ReportFonts, SetText } from './fonts.ts';
import { brokenLines, cutLines } from './lines.ts';
import { type PagePlace, PdfPages } from './pages.ts';
import type { PdfPicture } from './picture.ts';

/** The size of the paper. */
export type Paper = 'a4' | 'letter';

/** In points, as all sizes here. */
const PAPERS: Readonly<Record<Paper, readonly [width: number, height: number]>> = Object.freeze({
  a4: [595.28, 841.89],
  letter: [612, 792],
});
const MARGIN = 48;
const TEXT_SIZE = 9.5;
const TABLE_SIZE = 7.5;
const PAD = 4;
const CHART_HEIGHT = 150;
const AXIS = 26;
const LOGO = Object.freeze({ width: 150, height: 56 });
const INK = '#1b1f24';
const GREY = '#57606a';
const LINE = '#c8ccd1';
const HAIRLINE = 0.5;
const SERIES_INK = ['#7fb0dd', '#0b3d6b'] as const;
/** A column is at least so wide, and text may need so much more than numbers. */
const LEAST = 30;
const MOST = 170;
/** Rows of a table between two turns of other work. */
const ROWS_AT_ONCE = 20;

/** How a text is set. */
interface TextForm {
  readonly weight: FontWeight;
  readonly size: number;
}

/** A cell, set in its column. */
interface SetCell {
  readonly set: SetText;
  readonly lines: readonly string[];
}

const CELL: TextForm = { weight: 'plain', size: TABLE_SIZE };
const HEAD: TextForm = { weight: 'bold', size: TABLE_SIZE };
const BODY: TextForm = { weight: 'plain', size: TEXT_SIZE };

/** Writes on pages from top to bottom. */
export class Sheet {
  readonly pages: PdfPages;
  readonly #fonts: ReportFonts;
  readonly #lang: Language;
  readonly #pause: () => Promise<void>;
  #y = MARGIN;

  /** `lang`: how numbers and days are written; `pause`: lets others have a turn. */
  constructor(paper: Paper, fonts: ReportFonts, lang: Language, pause: () => Promise<void>) {
    this.pages = new PdfPages(...PAPERS[paper]);
    this.pages.add();
    this.#fonts = fonts;
    this.#lang = lang;
    this.#pause = pause;
  }

  /** Lines to the left, the logo to the right, and a line below. */
  letterhead(lines: readonly string[], logo: PdfPicture | undefined): void {
    const [top, side] = [this.#y, LOGO.width];
    const scale = logo ? Math.min(side / logo.width, LOGO.height / logo.height) : 0;
    const right = MARGIN + this.#width;
    if (logo) this.pages.picture(logo, [right - logo.width * scale, top], logo.width * scale, logo.height * scale);
    for (const line of lines) this.#flow(line || ' ', BODY, this.#width - side - PAD);
    this.#y = Math.max(this.#y, top + (logo ? LOGO.height : 0)) + PAD;
    this.pages.stroke(
      [
        [
          [MARGIN, this.#y],
          [right, this.#y],
        ],
      ],
      LINE,
      HAIRLINE,
    );
    this.#y += 3 * PAD;
  }

  heading(words: string, level: 1 | 2 | 3): void {
    const size = [18, 13, 11][level - 1] ?? TEXT_SIZE;
    if (level > 1) this.#room(size * 5);
    const height = this.#fonts.of(this.#fonts.set(words), 'bold').lineHeight(size);
    if (level > 1) this.#y += 0.6 * height;
    this.#flow(words, { weight: 'bold', size });
    this.#y += 0.3 * height;
  }

  text(words: string): void {
    const height = this.#flow(words, BODY);
    this.#y += 0.5 * height;
  }

  async table({ columns, rows }: ReportTable): Promise<void> {
    const heads = columns.map(({ title }) => this.#fonts.set(title));
    const cells: (readonly SetText[])[] = [];
    for (const [n, row] of rows.entries()) {
      if (n % ROWS_AT_ONCE === 0) await this.#pause();
      cells.push(columns.map((column, at) => this.#fonts.set(cellText(row[at] ?? null, column, this.#lang))));
    }
    const widths = this.#widths(heads, cells);
    const head = this.#broken(heads, widths, HEAD);
    this.#room(60);
    this.#row(head, widths, columns, HEAD);
    for (const [n, cell] of cells.entries()) {
      if (n % ROWS_AT_ONCE === 0) await this.#pause();
      const row = this.#broken(cell, widths, CELL);
      if (this.#room(this.#heightOf(row, CELL))) this.#row(head, widths, columns, HEAD);
      this.#row(row, widths, columns, CELL);
    }
    this.#y += 0.8 * this.#fonts.of({ isJapanese: false }, 'plain').lineHeight(TABLE_SIZE);
  }

  chart(chart: ReportChart): void {
    this.#room(CHART_HEIGHT + 30);
    const shape = chartShape(chart, (day) => shortDateText(day, this.#lang));
    const [left, top, width, height] = [MARGIN + AXIS, this.#y, this.#width - AXIS, CHART_HEIGHT];
    const placed = ([x, y]: ChartPlace): PagePlace => [left + x * width, top + y * height];
    const grid = [
      ...shape.levels.map(({ y }) => [placed([0, y]), placed([1, y])]),
      ...shape.days.map(({ x }) => [placed([x, 0]), placed([x, 1])]),
    ];
    this.pages.stroke(grid, LINE, HAIRLINE);
    for (const { y, label } of shape.levels) this.#label(label, [left - 6, top + y * height - 5], { isRight: true });
    for (const { x, label } of shape.days)
      if (label) this.#label(label, [left + x * width + 2, top + height + 2], { isRight: false });
    for (const [index, { pieces }] of shape.lines.entries()) {
      const places = pieces.map((piece) => piece.map(placed));
      if (places.length > 0) this.pages.stroke(places, SERIES_INK[index % SERIES_INK.length] ?? INK, 0.7);
    }
    this.#y = top + height + 16;
  }

  /** `1 of 7` at the foot of each page, from `{page} of {pages}`. */
  numbers(form: string): void {
    const { count, height } = this.pages;
    for (let n = 0; n < count; n++) {
      const words = form.replace('{page}', String(n + 1)).replace('{pages}', String(count));
      this.#label(words, [MARGIN + this.#width, height - MARGIN + 12], { isRight: true, page: n });
    }
  }

  get #width(): number {
    return this.pages.width - 2 * MARGIN;
  }

  /** Begins a page where less than this is left; answers whether it did. */
  #room(height: number): boolean {
    if (this.#y + height <= this.pages.height - MARGIN) return false;
    this.pages.add();
    this.#y = MARGIN;
    return true;
  }

  /** Words in as many lines, and pages, as they need. Answers the height of a line. */
  #flow(words: string, { weight, size }: TextForm, width = this.#width): number {
    const set = this.#fonts.set(words);
    const font = this.#fonts.of(set, weight);
    const height = font.lineHeight(size);
    for (const text of brokenLines(set.text, width, (part) => font.widthOf(part, size))) {
      this.#room(height);
      this.pages.line({ text, font, size, ink: INK, place: [MARGIN, this.#y + font.ascent(size)] });
      this.#y += height;
    }
    return height;
  }

  /** One small line, from its upper left or to its upper right corner. */
  #label(words: string, [x, y]: PagePlace, { isRight, page }: { isRight: boolean; page?: number }): void {
    const set = this.#fonts.set(words);
    const font = this.#fonts.of(set, 'plain');
    const from = isRight ? x - font.widthOf(set.text, TABLE_SIZE) : x;
    const place = [from, y + font.ascent(TABLE_SIZE)] as const;
    this.pages.line({ text: set.text, font, size: TABLE_SIZE, ink: GREY, place }, page);
  }

  /** As wide as what is in them; what is too much is taken from the widest, but no word of a head is broken for it. */
  #widths(heads: readonly SetText[], cells: readonly (readonly SetText[])[]): readonly number[] {
    const widthOf = (set: SetText) => this.#fonts.of(set, 'bold').widthOf(set.text, TABLE_SIZE) * 1.08;
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

  /** What does not fit on a page is cut, and says so. */
  #broken(row: readonly SetText[], widths: readonly number[], { weight, size }: TextForm): readonly SetCell[] {
    const room = this.pages.height - 2 * MARGIN - 40 - 2 * PAD;
    return row.map((set, n) => {
      const font = this.#fonts.of(set, weight);
      const widthOf = (text: string) => font.widthOf(text, size);
      const width = (widths[n] ?? LEAST) - 2 * PAD;
      return {
        set,
        lines: cutLines(
          brokenLines(set.text, width, widthOf),
          Math.floor(room / font.lineHeight(size)),
          width,
          widthOf,
        ),
      };
    });
  }

  #heightOf(row: readonly SetCell[], { weight, size }: TextForm): number {
    const heights = row.map(({ set, lines }) => lines.length * this.#fonts.of(set, weight).lineHeight(size));
    return Math.max(...heights) + 2 * PAD;
  }

  #row(row: readonly SetCell[], widths: readonly number[], columns: readonly ReportColumn[], form: TextForm): void {
    const [top, { weight, size }] = [this.#y, form];
    let left = MARGIN;
    for (const [n, { set, lines }] of row.entries()) {
      const width = widths[n] ?? LEAST;
      const font = this.#fonts.of(set, weight);
      const isRight = columns[n] !== undefined && isNumeric(columns[n]);
      for (const [at, text] of lines.entries()) {
        const from = isRight ? left + width - PAD - font.widthOf(text, size) : left + PAD;
        const place = [from, top + PAD + at * font.lineHeight(size) + font.ascent(size)] as const;
        if (text !== '') this.pages.line({ text, font, size, ink: INK, place });
      }
      left += width;
    }
    this.#y = top + this.#heightOf(row, form);
    this.pages.stroke(
      [
        [
          [MARGIN, this.#y],
          [left, this.#y],
        ],
      ],
      LINE,
      HAIRLINE,
    );
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

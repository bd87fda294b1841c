/** A PDF page by page: texts, tables and charts in their order, each with its place in the structure. */
import { type ChartPlace, chartShape, codeShape, MARK_INKS, stripInk, type VerdictMark } from '../document.ts';
import type { Pdf, ReportFonts, SetText } from './fonts.ts';
import type { PrintedBlock, PrintedChart, PrintedReport, PrintedStrip, PrintedTable } from './order.ts';

/** In points, as all sizes here. */
export const MARGIN = 48;
const TEXT_SIZE = 9.5;
const TABLE_SIZE = 7.5;
const PAD = 4;
const CHART_HEIGHT = 150;
/** Of a chart on the first page, and what is above and below it. */
const [LEAST_CHART, MOST_CHART, AROUND_CHART] = [70, 250, 32];
/** Below a text and a table. */
const [TEXT_GAP, TABLE_GAP] = [6, 10];
const CELL_HEIGHT = 18;
const MARK_WIDTH = 3;
/** A page without an end: what is on it is made smaller until it fits. */
const ENDLESS = -1e6;
const MOST_TITLE_LINES = 3;
const AXIS = 26;
const LOGO = Object.freeze({ width: 150, height: 56 });
/** A QR code with its white border: modules of 0.7 mm, which a phone reads from paper. */
const CODE_SIDE = 72;
const INK = '#1b1f24';
const GREY = '#57606a';
const LINE = '#c8ccd1';
const LOOKS = {
  usual: { weight: 'plain', size: TEXT_SIZE, ink: INK },
  lead: { weight: 'bold', size: 13, ink: INK },
  note: { weight: 'plain', size: TABLE_SIZE, ink: GREY },
} as const;
/** Numbers of an axis need no other. */
const LATIN = Object.freeze({ isJapanese: false });
const SERIES_INK = { light: '#7fb0dd', dark: '#0b3d6b' } as const;
const SHADE_INKS = { night: '#e9eef6', excluded: '#d0d3d6', gap: '#f3d9b8' } as const;
const LIMIT_INK = '#b3261e';
/** A column is at least so wide, and text may need so much more than numbers. */
const LEAST = 30;
const MOST = 170;

type Weight = 'plain' | 'bold';

type Structure = ReturnType<Pdf['struct']>;
/** The types of the library do not name all of them. */
interface StructureOptions {
  readonly alt?: string;
  readonly bbox?: readonly number[];
  readonly scope?: 'Row' | 'Column';
}

/** Writes on a document from top to bottom. Each text is an element of its structure, for people who hear it. */
export class Sheet {
  readonly #pdf: Pdf;
  readonly #fonts: ReportFonts;
  readonly #root: Structure;
  readonly #tagsCells: boolean;

  /** `tagsCells`: each cell is an element, not each row: many cells need more memory than this process may have. */
  constructor(pdf: Pdf, fonts: ReportFonts, tagsCells: boolean) {
    this.#tagsCells = tagsCells;
    this.#pdf = pdf;
    this.#fonts = fonts;
    this.#root = pdf.struct('Document');
    pdf.addStructure(this.#root);
    let { page } = pdf;
    pdf.on('pageAdded', () => {
      joinPieces(page);
      ({ page } = pdf);
    });
  }

  letterhead(lines: readonly string[], logo: Buffer | undefined): void {
    const pdf = this.#pdf;
    const [top, side] = [pdf.y, LOGO.width];
    if (logo)
      this.#decoration(() =>
        pdf.image(logo, MARGIN + this.#width - side, top, { fit: [side, LOGO.height], align: 'right' }),
      );
    pdf.y = top;
    for (const line of lines) {
      const set = this.#fonts.set(line || ' ');
      this.#element('P', () =>
        this.#font('plain', TEXT_SIZE, set).text(set.text, MARGIN, pdf.y, { width: this.#width - side - PAD }),
      );
    }
    pdf.y = Math.max(pdf.y, top + (logo ? LOGO.height : 0)) + PAD;
    this.#line(MARGIN + this.#width);
    pdf.y += 3 * PAD;
  }

  heading(words: string, level: 1 | 2 | 3): void {
    const size = [18, 13, 11][level - 1] ?? TEXT_SIZE;
    if (level > 1) this.#room(size * 5);
    const set = this.#fonts.set(words);
    const pdf = this.#font('bold', size, set).moveDown(level === 1 ? 0 : 0.6);
    const height = level === 1 ? MOST_TITLE_LINES * pdf.currentLineHeight(true) : undefined;
    const options = { width: this.#width, ellipsis: true, ...(height !== undefined && { height }) };
    this.#element(`H${level}`, () => pdf.text(set.text, MARGIN, undefined, options));
    pdf.moveDown(0.3);
  }

  /** The span; to its right the QR code of the page that compares files, where there is one. */
  opening({ period, check }: Pick<PrintedReport, 'period' | 'check'>): void {
    if (!check) {
      this.text(period);
      return;
    }
    const pdf = this.#pdf;
    const [left, top, width] = [MARGIN + this.#width - CODE_SIDE, pdf.y, this.#width - CODE_SIDE - PAD];
    this.text(period, 'usual', width);
    this.text(`${check.text}\n${check.address}`, 'note', width);
    const bottom = Math.max(pdf.y, top + CODE_SIDE + PAD);
    const { path, side } = codeShape(check.address);
    const draw = () =>
      pdf
        .save()
        .translate(left, top)
        .scale(CODE_SIDE / side)
        .path(path)
        .fill(INK)
        .restore();
    const bbox = [left, top, left + CODE_SIDE, top + CODE_SIDE];
    this.#element('Figure', draw, this.#root, { alt: check.address, bbox });
    pdf.y = bottom;
  }

  text(words: string, look: keyof typeof LOOKS = 'usual', width = this.#width): void {
    const { weight, size, ink } = LOOKS[look];
    const set = this.#fonts.set(words);
    const pdf = this.#font(weight, size, set).fillColor(ink);
    this.#element('P', () => pdf.text(set.text, MARGIN, undefined, { width }));
    pdf.y += TEXT_GAP;
  }

  block(block: PrintedBlock, chartHeight = CHART_HEIGHT): void {
    if (block.block === 'table') this.#table(block);
    else if (block.block === 'chart') this.#chart(block, chartHeight);
    else if (block.block === 'strip') this.#strip(block);
    else this.text(block.text, block.look);
  }

  /** Charts take what the other blocks leave. Where that is too little, all becomes smaller. The next block begins a page. */
  onOnePage(title: string, blocks: readonly PrintedBlock[]): void {
    const pdf = this.#pdf;
    this.heading(title, 2);
    const charts = blocks.filter(({ block }) => block === 'chart').length;
    const others = sumOf(blocks.map((block) => this.#heightOfBlock(block)));
    const free = pdf.page.height - MARGIN - pdf.y;
    const ofChart = Math.min(MOST_CHART, Math.max(LEAST_CHART, (free - others) / Math.max(1, charts) - AROUND_CHART));
    const scale = Math.min(1, free / (others + charts * (ofChart + AROUND_CHART)));
    pdf.page.margins.bottom = ENDLESS;
    pdf.save().scale(scale, scale, { origin: [MARGIN, pdf.y] });
    for (const block of blocks) this.block(block, ofChart);
    pdf.restore();
    pdf.page.margins.bottom = MARGIN;
    pdf.addPage();
  }

  /** Of all but charts. */
  #heightOfBlock(block: PrintedBlock): number {
    if (block.block === 'chart') return 0;
    if (block.block === 'strip') return (block.rows.length + 1) * CELL_HEIGHT + TABLE_GAP;
    if (block.block === 'table') {
      const { heads, cells, widths } = this.#laidOut(block);
      return sumOf([heads, ...cells].map((row) => this.#heightOf(row, widths, 'bold'))) + TABLE_GAP;
    }
    const set = this.#fonts.set(block.text);
    const { weight, size } = LOOKS[block.look ?? 'usual'];
    return this.#font(weight, size, set).heightOfString(set.text, { width: this.#width }) + TEXT_GAP;
  }

  #laidOut({ columns, rows }: PrintedTable) {
    const cells = rows.map((row) => row.map((cell) => this.#fonts.set(cell)));
    const heads = columns.map(({ title }) => this.#fonts.set(title));
    return { heads, cells, widths: this.#widths(heads, cells) };
  }

  #table(printed: PrintedTable): void {
    const { columns, marks } = printed;
    const { heads, cells, widths } = this.#laidOut(printed);
    this.#room(60);
    const table = this.#pdf.struct('Table');
    this.#root.add(table);
    const row = (set: readonly SetText[], weight: Weight, mark: VerdictMark | null = null) =>
      this.#row(table, { row: set, widths, columns, weight, mark });
    row(heads, 'bold');
    for (const [n, set] of cells.entries()) {
      if (this.#room(this.#heightOf(set, widths, 'plain'))) row(heads, 'bold');
      row(set, 'plain', marks[n]);
    }
    table.end();
    this.#pdf.y += TABLE_GAP;
  }

  #strip({ name, days, rows }: PrintedStrip): void {
    this.#room((rows.length + 1) * CELL_HEIGHT);
    const pdf = this.#pdf;
    const left = Math.min(130, this.#width / 3);
    const width = (this.#width - left) / Math.max(1, days.length);
    const every = Math.ceil(44 / width);
    const table = pdf.struct('Table');
    this.#root.add(table);
    const line = (texts: readonly string[], isHead: boolean, draw: (n: number) => string = () => INK) => {
      const { y: top } = pdf;
      const tr = this.#child(table, 'TR');
      for (const [n, text] of texts.entries()) {
        const isLabel = n === 0 || isHead;
        const ink = n === 0 ? INK : draw(n - 1);
        const place = { x: n === 0 ? MARGIN : MARGIN + left + (n - 1) * width, width: n === 0 ? left - PAD : width };
        const set = this.#fonts.set(isHead && n > 0 && (n - 1) % every > 0 ? '' : text);
        const room = isHead && n > 0 ? place.width * every : place.width;
        const options = { width: room, height: CELL_HEIGHT, ellipsis: true, lineBreak: isLabel } as const;
        this.#element(
          isLabel ? 'TH' : 'TD',
          () =>
            this.#font(isHead && n === 0 ? 'bold' : 'plain', TABLE_SIZE, set)
              .fillColor(ink)
              .text(set.text, place.x, top + 3, { ...options, align: n === 0 || every > 1 ? 'left' : 'center' }),
          tr,
          isLabel ? { scope: isHead ? 'Column' : 'Row' } : {},
        );
      }
      tr.end();
      pdf.y = top + CELL_HEIGHT;
    };
    line([name, ...days], true);
    for (const row of rows) {
      this.#cells(row.cells, left, width);
      line([row.name, ...row.cells.map(({ text }) => text)], false, (n) => {
        const cell = row.cells[n];
        return cell ? stripInk(cell).ink : INK;
      });
    }
    table.end();
    pdf.y += TABLE_GAP;
  }

  #cells(cells: PrintedStrip['rows'][number]['cells'], left: number, width: number): void {
    const pdf = this.#pdf;
    this.#decoration(() => {
      for (const [n, cell] of cells.entries()) {
        if (cell.look === 'plain') continue;
        const [x, y] = [MARGIN + left + n * width, pdf.y];
        const [inner, height] = [width - (width > 4 ? 1 : 0), CELL_HEIGHT - 2];
        pdf.rect(x, y, inner, height).fill(stripInk(cell).fill);
        if (cell.look === 'excluded') {
          pdf.save().rect(x, y, inner, height).clip().lineWidth(0.4).strokeColor(GREY);
          for (let at = -height; at < inner; at += 5)
            pdf
              .moveTo(x + at, y + height)
              .lineTo(x + at + height, y)
              .stroke();
          pdf.restore();
        }
        if (cell.mark) pdf.rect(x, y + height - MARK_WIDTH, inner, MARK_WIDTH).fill(MARK_INKS[cell.mark]);
      }
    });
  }

  #chart(chart: PrintedChart, height: number): void {
    this.#room(height + AROUND_CHART);
    const pdf = this.#pdf;
    const set = this.#fonts.set(chart.name);
    const shape = chartShape(chart, (label) => label);
    const levels = chart.series.flatMap(({ points }) => points.flatMap(([, level]) => level ?? []));
    const range = `${Math.min(...rangeOf(levels))}–${Math.max(...rangeOf(levels))} dB`;
    this.#element('P', () => this.#font('bold', TABLE_SIZE, set).text(set.text, MARGIN, pdf.y, { width: this.#width }));
    const [left, top, width] = [MARGIN + AXIS, pdf.y + PAD, this.#width - 2 * AXIS];
    const bbox = [MARGIN, top, MARGIN + this.#width, top + height + 14];
    this.#element('Figure', () => this.#draw(shape, { left, top, width, height }), this.#root, {
      alt: `${chart.name}: ${range}`,
      bbox: bbox,
    });
    pdf.y = top + height + AROUND_CHART - 12;
  }

  #draw(shape: ReturnType<typeof chartShape>, { left, top, width, height }: Readonly<Record<Side, number>>): void {
    const pdf = this.#pdf;
    const placed = ([x, y]: ChartPlace): [number, number] => [left + x * width, top + y * height];
    for (const { look, x, width: wide } of shape.shades)
      pdf.rect(left + x * width, top, wide * width, height).fill(SHADE_INKS[look]);
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
      const set = this.#fonts.set(label);
      if (label)
        this.#font('plain', TABLE_SIZE, set)
          .fillColor(GREY)
          .text(set.text, right + 2, top + height + 2, { lineBreak: false });
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
    pdf.lineWidth(1.1).dash(4, { space: 2 }).strokeColor(LIMIT_INK);
    for (const { x, y, width: wide } of shape.limits) pdf.moveTo(...placed([x, y])).lineTo(...placed([x + wide, y]));
    pdf.stroke().undash();
    this.#font('bold', TABLE_SIZE, LATIN).fillColor(LIMIT_INK);
    const named = new Map(shape.limits.map(({ y, label }) => [label, y]));
    for (const [label, y] of named)
      pdf.text(label, left + width + 3, top + y * height - 5, { width: AXIS - 3, lineBreak: false });
    pdf.fillColor(INK);
  }

  /** `1 of 7` at the foot of each page, from `{page} of {pages}`. Nothing is written after it. */
  end(form: string): void {
    this.#root.end();
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let n = start; n < start + count; n++) {
      this.#pdf.switchToPage(n);
      const { page } = this.#pdf;
      // Within the margin a text would begin a page of its own.
      page.margins.bottom = 0;
      const set = this.#fonts.set(form.replace('{page}', String(n - start + 1)).replace('{pages}', String(count)));
      this.#decoration(() =>
        this.#font('plain', TABLE_SIZE, set)
          .fillColor(GREY)
          .text(set.text, MARGIN, page.height - MARGIN + 12, { width: this.#width, align: 'right', lineBreak: false }),
      );
    }
  }

  /** All that `draw` writes is an element of the structure. */
  #element(type: string, draw: () => unknown, parent = this.#root, options: StructureOptions = {}): void {
    const element = this.#pdf.struct(type, options);
    parent.add(element);
    element.add(() => draw());
    element.end();
  }

  #child(parent: Structure, type: string): Structure {
    const element = this.#pdf.struct(type);
    parent.add(element);
    return element;
  }

  /** All that `draw` writes has no meaning: a screen reader leaves it out. */
  #decoration(draw: () => unknown): void {
    this.#pdf.markContent('Artifact');
    draw();
    this.#pdf.endMarkedContent();
  }

  #line(right: number): void {
    const pdf = this.#pdf;
    this.#decoration(() => pdf.moveTo(MARGIN, pdf.y).lineTo(right, pdf.y).lineWidth(0.5).strokeColor(LINE).stroke());
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
    if (this.#pdf.y + height <= this.#pdf.page.maxY()) return false;
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
    const full = heads.map((head, n) => {
      const longest = [head, ...cells.flatMap((row) => row[n] ?? [])].reduce((a, b) =>
        b.text.length > a.text.length ? b : a,
      );
      return Math.max(least[n] ?? LEAST, widthOf(longest) + 2 * PAD);
    });
    const wanted = full.map((width, n) => Math.max(least[n] ?? LEAST, Math.min(MOST, width)));
    const free = this.#width - sumOf(wanted);
    const cut = full.map((width, n) => width - (wanted[n] ?? 0));
    // First to the columns whose texts would be broken into lines.
    const toCut = Math.min(free, sumOf(cut)) / Math.max(1, sumOf(cut));
    if (free >= 0)
      return wanted.map((width, n) => width + (cut[n] ?? 0) * toCut + Math.max(0, free - sumOf(cut)) / wanted.length);
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

  #row(table: Structure, { row, widths, columns, weight, mark }: PrintedRow): void {
    const pdf = this.#pdf;
    const height = this.#heightOf(row, widths, weight);
    const top = pdf.y;
    const bottom = top + height;
    if (mark) this.#decoration(() => pdf.rect(MARGIN, top + 1, MARK_WIDTH, height - 2).fill(MARK_INKS[mark]));
    const element = this.#child(table, 'TR');
    const isHead = weight === 'bold';
    let left = MARGIN;
    const writes: (() => unknown)[] = [];
    for (const [n, cell] of row.entries()) {
      const width = widths[n] ?? LEAST;
      const options = {
        width: width - 2 * PAD,
        height: height - PAD,
        align: columns[n]?.isNumeric ? ('right' as const) : ('left' as const),
        ellipsis: true,
      };
      const place = left + PAD;
      writes.push(() =>
        this.#font(mark && n === 0 ? 'bold' : weight, TABLE_SIZE, cell).text(cell.text, place, top + PAD, options),
      );
      left += width;
    }
    const all = () => {
      for (const write of writes) write();
    };
    for (const write of this.#tagsCells ? writes : [all])
      this.#element(isHead ? 'TH' : 'TD', write, element, isHead ? { scope: 'Column' } : {});
    element.end();
    pdf.y = bottom;
    this.#line(left);
    pdf.x = MARGIN;
    pdf.y = bottom;
  }
}

interface PrintedRow {
  readonly row: readonly SetText[];
  readonly widths: readonly number[];
  readonly columns: PrintedTable['columns'];
  readonly weight: Weight;
  readonly mark: VerdictMark | null;
}
type Side = 'left' | 'top' | 'width' | 'height';

/** The least and the greatest, in whole dB. */
const rangeOf = (levels: readonly number[]): readonly number[] =>
  levels.reduce<readonly [number, number]>(
    ([low, high], level) => [Math.min(low, Math.floor(level)), Math.max(high, Math.ceil(level))],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );

const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Pages stay until their number is known. The library keeps each of their lines as an array of its own, 3 kB for a cell; as one it is a tenth. */
function joinPieces({ content }: Pdf['page']): void {
  const { buffer } = content as typeof content & { buffer: Uint8Array[] };
  if (buffer.length > 1) buffer.splice(0, buffer.length, Buffer.concat(buffer));
}

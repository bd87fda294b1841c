/** A font in a document: texts as numbers of its glyphs, and in the file what the texts used of it (ISO 32000-1, 9.7). */
import { createHash } from 'node:crypto';
import type { FontFile } from './font-file.ts';
import { type PdfFile, pdfNumber } from './pdf-file.ts';
import { fontOf } from './subset.ts';

/** Letters of the tag in front of the name of a font that is there in part. */
const TAG_LETTERS = 6;
/** Entries of one list of characters. */
const MOST_CHARACTERS = 100;
/** Signs of no own set, and the thickness of a stem that no reader needs where the font is in the file. */
const [SYMBOLIC, STEM] = [4, 80];

/** One font of one document. */
export class SetFont {
  /** As pages name it: `F1`. */
  readonly name: string;
  readonly #file: FontFile;
  /** Characters by their numbers in the file of the document, and their glyphs in that of the font. The first one is for what is not there. */
  readonly #codes: number[] = [0];
  readonly #glyphs: number[] = [0];
  readonly #numbers = new Map<number, number>();

  constructor(name: string, file: FontFile) {
    this.name = name;
    this.#file = file;
  }

  has(code: number): boolean {
    return this.#file.glyphOf(code) !== 0;
  }

  /** In points. */
  widthOf(text: string, size: number): number {
    let width = 0;
    for (const one of text) width += this.#file.widthOf(this.#file.glyphOf(one.codePointAt(0) ?? 0));
    return (width * size) / this.#file.metrics.unitsPerEm;
  }

  /** From one line to the next, in points. */
  lineHeight(size: number): number {
    const { ascender, descender, lineGap, unitsPerEm } = this.#file.metrics;
    return ((ascender - descender + lineGap) * size) / unitsPerEm;
  }

  /** From the top of a line to where its letters stand, in points. */
  ascent(size: number): number {
    return (this.#file.metrics.ascender * size) / this.#file.metrics.unitsPerEm;
  }

  /** The text as a page has it. */
  encode(text: string): string {
    const numbers = [...text].map((one) =>
      this.#numberOf(one.codePointAt(0) ?? 0)
        .toString(16)
        .padStart(4, '0'),
    );
    return `<${numbers.join('')}>`;
  }

  /** Writes what was used. Answers the number of the font. */
  async write(file: PdfFile): Promise<number> {
    const { name, metrics } = this.#file;
    const part = fontOf(this.#file, this.#glyphs);
    const full = `/${tagOf(part)}+${name}`;
    const scaled = (value: number) => pdfNumber((value * 1_000) / metrics.unitsPerEm);
    const bytes = await file.addStream(part, `/Length1 ${part.length}`);
    const sizes = `/Ascent ${scaled(metrics.ascender)} /Descent ${scaled(metrics.descender)} /CapHeight ${scaled(metrics.capHeight)}`;
    const box = `/FontBBox [${metrics.box.map(scaled).join(' ')}] /ItalicAngle 0 /StemV ${STEM} /Flags ${SYMBOLIC}`;
    const described = file.add(`<< /Type /FontDescriptor /FontName ${full} ${box} ${sizes} /FontFile2 ${bytes} 0 R >>`);
    const widths = this.#glyphs.map((glyph) => scaled(this.#file.widthOf(glyph)));
    const system = '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity';
    const descendant = file.add(
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${full} ${system} /FontDescriptor ${described} 0 R /W [0 [${widths.join(' ')}]] >>`,
    );
    const characters = await file.addStream(charactersOf(this.#codes));
    return file.add(
      `<< /Type /Font /Subtype /Type0 /BaseFont ${full} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${characters} 0 R >>`,
    );
  }

  /** Two characters may share a glyph, and are still told apart when the text is copied. */
  #numberOf(code: number): number {
    const known = this.#numbers.get(code);
    if (known !== undefined) return known;
    const number = this.#codes.push(code) - 1;
    this.#glyphs.push(this.#file.glyphOf(code));
    this.#numbers.set(code, number);
    return number;
  }
}

/** Six letters by what is in it. */
function tagOf(part: Buffer): string {
  const hash = createHash('sha256').update(part).digest();
  return Array.from(hash.subarray(0, TAG_LETTERS), (byte) => String.fromCharCode(65 + (byte % 26))).join('');
}

/** Which character each number is, for search and copies. */
function charactersOf(codes: readonly number[]): string {
  const hex = (number: number) => number.toString(16).padStart(4, '0');
  const rows = codes.flatMap((code, number) =>
    number === 0
      ? []
      : [`<${hex(number)}> <${Buffer.from(String.fromCodePoint(code), 'utf16le').swap16().toString('hex')}>`],
  );
  const lists = Array.from({ length: Math.ceil(rows.length / MOST_CHARACTERS) }, (_, n) => {
    const some = rows.slice(n * MOST_CHARACTERS, (n + 1) * MOST_CHARACTERS);
    return `${some.length} beginbfchar\n${some.join('\n')}\nendbfchar\n`;
  });
  return [
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n',
    '/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n',
    '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n',
    ...lists,
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend',
  ].join('');
}

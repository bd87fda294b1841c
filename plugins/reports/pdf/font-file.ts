/** A TrueType font as its file has it: which glyph a character has, how wide it is, and its outline (OpenType 1.9: `cmap`, `hmtx`, `glyf`). */

/** Bits of a glyph that is put together of others (OpenType, `glyf`). */
const COMPOSITE = Object.freeze({ words: 0x1, scale: 0x8, more: 0x20, scales: 0x40, matrix: 0x80 });
const NAME_OF_POSTSCRIPT = 6;

/** Numbers of the whole font, in its own units. */
export interface FontMetrics {
  readonly unitsPerEm: number;
  readonly ascender: number;
  readonly descender: number;
  readonly lineGap: number;
  readonly capHeight: number;
  readonly box: readonly [left: number, bottom: number, right: number, top: number];
}

/** Errors: RangeError or Error, where the file is no such font. */
export class FontFile {
  readonly #tables = new Map<string, Buffer>();
  readonly #glyphs = new Map<number, number>();
  readonly #lookUp: (code: number) => number;
  readonly metrics: FontMetrics;
  /** As PDF names it: `NotoSans-Regular`. */
  readonly name: string;

  constructor(bytes: Buffer) {
    for (let n = 0, at = 12; n < bytes.readUInt16BE(4); n += 1, at += 16) {
      const from = bytes.readUInt32BE(at + 8);
      this.#tables.set(bytes.toString('latin1', at, at + 4), bytes.subarray(from, from + bytes.readUInt32BE(at + 12)));
    }
    const [head, hhea, os2] = [this.table('head'), this.table('hhea'), this.table('OS/2')];
    this.metrics = {
      unitsPerEm: head.readUInt16BE(18),
      ascender: hhea.readInt16BE(4),
      descender: hhea.readInt16BE(6),
      lineGap: hhea.readInt16BE(8),
      capHeight: os2.length >= 90 ? os2.readInt16BE(88) : hhea.readInt16BE(4),
      box: [head.readInt16BE(36), head.readInt16BE(38), head.readInt16BE(40), head.readInt16BE(42)],
    };
    this.#lookUp = lookUpIn(this.table('cmap'));
    this.name = nameIn(this.table('name'));
  }

  /** Errors: Error where there is none. */
  table(tag: string): Buffer {
    const table = this.#tables.get(tag);
    if (!table) throw new Error(`the font has no table ${tag}`);
    return table;
  }

  has(tag: string): boolean {
    return this.#tables.has(tag);
  }

  /** 0: the font does not have the character. */
  glyphOf(code: number): number {
    const known = this.#glyphs.get(code);
    if (known !== undefined) return known;
    const glyph = this.#lookUp(code);
    // What the font lacks is not kept: there is no end of it.
    if (glyph !== 0) this.#glyphs.set(code, glyph);
    return glyph;
  }

  /** In units of the font. */
  widthOf(glyph: number): number {
    return this.#metricOf(glyph).readUInt16BE(0);
  }

  /** From the origin to the left end of its outline. */
  bearingOf(glyph: number): number {
    const wide = this.table('hhea').readUInt16BE(34);
    return glyph < wide
      ? this.#metricOf(glyph).readInt16BE(2)
      : this.table('hmtx').readInt16BE(wide * 4 + (glyph - wide) * 2);
  }

  /** Empty: there is nothing to draw. */
  outlineOf(glyph: number): Buffer {
    const [loca, glyf] = [this.table('loca'), this.table('glyf')];
    const isLong = this.table('head').readInt16BE(50) === 1;
    const placeOf = (n: number) => (isLong ? loca.readUInt32BE(n * 4) : loca.readUInt16BE(n * 2) * 2);
    return glyf.subarray(placeOf(glyph), placeOf(glyph + 1));
  }

  /** The last of those that say their width is that of all others. */
  #metricOf(glyph: number): Buffer {
    const last = this.table('hhea').readUInt16BE(34) - 1;
    return this.table('hmtx').subarray(Math.min(glyph, last) * 4);
  }
}

/** Where an outline names the glyphs that it is put together of; none for one with an own outline. */
export function partsOfOutline(outline: Buffer): readonly number[] {
  if (outline.length === 0 || outline.readInt16BE(0) >= 0) return [];
  const places: number[] = [];
  for (let at = 10, isMore = true; isMore; ) {
    const flags = outline.readUInt16BE(at);
    places.push(at + 2);
    at += flags & COMPOSITE.words ? 8 : 6;
    if (flags & COMPOSITE.scale) at += 2;
    else if (flags & COMPOSITE.scales) at += 4;
    else if (flags & COMPOSITE.matrix) at += 8;
    isMore = (flags & COMPOSITE.more) !== 0;
  }
  return places;
}

/** By segments of all characters (format 12), or of those up to U+FFFF (format 4). */
function lookUpIn(cmap: Buffer): (code: number) => number {
  const tables = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => cmap.subarray(cmap.readUInt32BE(8 + n * 8)));
  const ofFormat = (format: number) => tables.find((table) => table.readUInt16BE(0) === format);
  const [all, first] = [ofFormat(12), ofFormat(4)];
  if (all) return (code) => glyphOfGroups(all, code);
  if (first) return (code) => glyphOfSegments(first, code);
  throw new Error('the characters of the font cannot be read');
}

function glyphOfGroups(table: Buffer, code: number): number {
  let [low, high] = [0, table.readUInt32BE(12) - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = 16 + middle * 12;
    const begin = table.readUInt32BE(at);
    if (code < begin) high = middle - 1;
    else if (code > table.readUInt32BE(at + 4)) low = middle + 1;
    else return table.readUInt32BE(at + 8) + code - begin;
  }
  return 0;
}

function glyphOfSegments(table: Buffer, code: number): number {
  const bytes = table.readUInt16BE(6);
  for (let at = 14; at < 14 + bytes; at += 2) {
    if (code > table.readUInt16BE(at)) continue;
    const begin = table.readUInt16BE(at + bytes + 2);
    if (code < begin) return 0;
    const [delta, place] = [table.readUInt16BE(at + 2 * bytes + 2), at + 3 * bytes + 2];
    const offset = table.readUInt16BE(place);
    const glyph = offset === 0 ? code : table.readUInt16BE(place + offset + 2 * (code - begin));
    return glyph === 0 ? 0 : (glyph + delta) & 0xff_ff;
  }
  return 0;
}

/** Of Windows in UTF-16, else one byte a letter. */
function nameIn(table: Buffer): string {
  const texts = table.subarray(table.readUInt16BE(4));
  for (let n = 0, at = 6; n < table.readUInt16BE(2); n += 1, at += 12) {
    if (table.readUInt16BE(at + 6) !== NAME_OF_POSTSCRIPT) continue;
    const from = table.readUInt16BE(at + 10);
    const text = Buffer.from(texts.subarray(from, from + table.readUInt16BE(at + 8)));
    const isWide = table.readUInt16BE(at) === 3 || table.readUInt16BE(at) === 0;
    return (isWide ? text.swap16().toString('utf16le') : text.toString('latin1')).replaceAll(/[^\w-]/g, '');
  }
  throw new Error('the font has no name');
}

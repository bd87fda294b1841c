/** The fonts of a report: Latin, Greek and Cyrillic letters in two weights, and one with Japanese characters where a text needs it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { FontFile } from './font-file.ts';
import { SetFont } from './set-font.ts';

const FILES = Object.freeze({
  plain: 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  bold: 'noto-sans/700Bold/NotoSans_700Bold.ttf',
  japanese: 'biz-udpgothic/400Regular/BIZUDPGothic_400Regular.ttf',
});
const unpacked = promisify(brotliDecompress);

/** A weight of the font. */
export type FontWeight = 'plain' | 'bold';

/** A text with the font that has most of its characters; `?` stands for each of the others. */
export interface SetText {
  readonly text: string;
  readonly isJapanese: boolean;
}

/** Where the packages of the fonts are. */
export interface FontPlace {
  readonly folder: string;
  /** Compressed with Brotli, as the build has them. */
  readonly isPacked: boolean;
}

/** The files of the fonts, each read when it is first needed. They stay: new ones for each report would be garbage that is collected late. */
export class FontShelf {
  readonly #place: FontPlace;
  readonly #files = new Map<keyof typeof FILES, Promise<FontFile>>();

  constructor(place: FontPlace) {
    this.#place = place;
  }

  /** Errors: those of the file system. */
  read(name: keyof typeof FILES): Promise<FontFile> {
    const known = this.#files.get(name);
    if (known) return known;
    const reading = readFont(this.#place, name);
    this.#files.set(name, reading);
    // A file that could not be read now may be there later.
    reading.catch(() => this.#files.delete(name));
    return reading;
  }
}

/** Which text is set in which font. */
export class ReportFonts {
  readonly #latin: Readonly<Record<FontWeight, SetFont>>;
  readonly #shelf: FontShelf;
  readonly #isJapanese: boolean;
  #japanese: SetFont | undefined;
  /** Characters that no font has. */
  readonly missing = new Set<string>();

  private constructor(latin: Readonly<Record<FontWeight, SetFont>>, shelf: FontShelf, isJapanese: boolean) {
    this.#latin = latin;
    this.#shelf = shelf;
    this.#isJapanese = isJapanese;
  }

  /** Reads those that every report needs. `isJapanese`: of two that have a text, that for Japanese sets it. */
  static async open(shelf: FontShelf, isJapanese: boolean): Promise<ReportFonts> {
    const [plain, bold] = [await shelf.read('plain'), await shelf.read('bold')];
    const fonts = new ReportFonts(
      { plain: new SetFont('F1', plain), bold: new SetFont('F2', bold) },
      shelf,
      isJapanese,
    );
    if (isJapanese) await fonts.#readJapanese();
    return fonts;
  }

  /** Reads the other font, where these words need it. */
  async prepare(words: string): Promise<void> {
    if (this.#japanese) return;
    for (const one of words)
      if (one > '~' && !this.#latin.plain.has(codeOf(one))) {
        await this.#readJapanese();
        return;
      }
  }

  /** What the fonts can show of it. */
  set(words: string): SetText {
    const characters = [...words.toWellFormed().normalize('NFC')];
    const lacks = (font: SetFont | undefined) =>
      font ? characters.filter((one) => !font.has(codeOf(one))).length : characters.length + 1;
    const isJapanese = this.#isJapanese
      ? lacks(this.#japanese) <= lacks(this.#latin.plain)
      : lacks(this.#japanese) < lacks(this.#latin.plain);
    const font = (isJapanese && this.#japanese) || this.#latin.plain;
    const shown = characters.map((one) => {
      if (one === '\n' || font.has(codeOf(one))) return one;
      this.missing.add(one);
      return '?';
    });
    return { text: shown.join(''), isJapanese };
  }

  /** The Japanese one has one weight. */
  of({ isJapanese }: Pick<SetText, 'isJapanese'>, weight: FontWeight): SetFont {
    return (isJapanese && this.#japanese) || this.#latin[weight];
  }

  get all(): readonly SetFont[] {
    const { plain, bold } = this.#latin;
    return this.#japanese ? [plain, bold, this.#japanese] : [plain, bold];
  }

  async #readJapanese(): Promise<void> {
    this.#japanese = new SetFont('F3', await this.#shelf.read('japanese'));
  }
}

async function readFont({ folder, isPacked }: FontPlace, name: keyof typeof FILES): Promise<FontFile> {
  const path = join(folder, FILES[name]);
  return new FontFile(isPacked ? await unpacked(await readFile(`${path}.br`)) : await readFile(path));
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

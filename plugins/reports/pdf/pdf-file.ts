/** The file of a PDF: objects with their numbers, streams packed, and where each object begins (ISO 32000-1, 7.5). */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const packed = promisify(deflate);
// The second line says that the file is not text.
const HEAD = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

/** Written from its head to its end; the same objects in the same order give the same bytes. */
export class PdfFile {
  readonly #pieces: Buffer[] = [HEAD];
  /** Where each object begins, from number 1. */
  readonly #places: number[] = [];
  #length = HEAD.length;

  /** The number of an object that is written later. */
  reserve(): number {
    return this.#places.push(0);
  }

  /** `words`: the object as PDF writes it. Answers its number. */
  add(words: string, id = this.reserve()): number {
    this.#object(id, [Buffer.from(`${words}\n`, 'latin1')]);
    return id;
  }

  /** `entries` of its dictionary; packed here. Answers its number. */
  async addStream(bytes: Buffer | string, entries = '', id = this.reserve()): Promise<number> {
    return this.addPacked(await packed(bytes), `${entries} /Filter /FlateDecode`, id);
  }

  /** A stream that is packed already, as `entries` say. Answers its number. */
  addPacked(bytes: Buffer, entries: string, id = this.reserve()): number {
    const head = `<< ${entries.trim()} /Length ${bytes.length} >>\nstream\n`;
    this.#object(id, [Buffer.from(head, 'latin1'), bytes, Buffer.from('\nendstream\n', 'latin1')]);
    return id;
  }

  /** The whole file, by the numbers of its catalogue and of what it says of itself. */
  end(root: number, info: number): Buffer {
    const hash = createHash('sha256');
    for (const piece of this.#pieces) hash.update(piece);
    const id = hash.digest('hex').slice(0, 32);
    const [count, begin] = [this.#places.length + 1, this.#length];
    const rows = this.#places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`);
    const trailer = `trailer\n<< /Size ${count} /Root ${root} 0 R /Info ${info} 0 R /ID [<${id}> <${id}>] >>`;
    const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}${trailer}\nstartxref\n${begin}\n%%EOF\n`;
    return Buffer.concat([...this.#pieces, Buffer.from(table, 'latin1')]);
  }

  #object(id: number, content: readonly Buffer[]): void {
    this.#places[id - 1] = this.#length;
    const pieces = [Buffer.from(`${id} 0 obj\n`, 'latin1'), ...content, Buffer.from('endobj\n', 'latin1')];
    for (const piece of pieces) this.#length += piece.length;
    this.#pieces.push(...pieces);
  }
}

/** A text of the document's own, in UTF-16. */
export const pdfText = (text: string): string => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;

/** Hundredths are finer than any printer; no exponent, which PDF does not know. */
export const pdfNumber = (value: number): string => String(Math.round(value * 100) / 100 || 0);

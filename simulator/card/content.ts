/**
 * The content of a file on the card: given bytes, rows of text that grow, or bytes made while they are read. Only given bytes
 * and rows are kept in memory. Knows nothing of names, folders or free space.
 */

export interface Content {
  readonly size: number;
  /** The bytes from the first to the last one there is when the reader gets to it: a file read while it grows comes longer. */
  read(): Iterable<Uint8Array>;
}

const PIECE = 65_536;
const ROWS_PIECE = 8_192;
const SECTOR = 512;

export const givenBytes = (bytes: Uint8Array): Content => ({
  size: bytes.length,
  *read() {
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
  },
});

/** Content made on every read: the same seed gives the same bytes. */
export const generated = (bytes: number, seed: number): Content => ({
  size: bytes,
  read: () => generate(bytes, seed),
});

/**
 * Pseudo-random bytes in pieces of at most 64 KiB: xorshift32, little-endian words, one stream per seed. For a check sum of
 * a large file without the file.
 */
export function* generate(bytes: number, seed: number): Generator<Uint8Array> {
  let state = Math.imul(seed | 0, 0x9e3779b1) ^ 0x6d2b79f5 || 1;
  for (let left = bytes; left > 0; left -= PIECE) {
    const words = new Uint32Array(PIECE / 4);
    for (let i = 0; i < words.length; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      words[i] = state;
    }
    yield new Uint8Array(words.buffer, 0, Math.min(PIECE, left));
  }
}

/** Rows of text, a character a byte. Full pieces are packed, so a long store costs what its file weighs. */
export class GrowingText implements Content {
  /** While it is written, only full sectors of it are there. */
  #sectors: boolean;
  readonly #packed: Buffer[] = [];
  #tail = '';
  #size = 0;

  constructor(sectors = false) {
    this.#sectors = sectors;
  }

  get size(): number {
    return this.#sectors ? this.#size - (this.#size % SECTOR) : this.#size;
  }

  close(): void {
    this.#sectors = false;
  }

  append(text: string): void {
    this.#tail += text;
    this.#size += text.length;
    if (this.#tail.length < ROWS_PIECE) return;
    this.#packed.push(Buffer.from(this.#tail, 'latin1'));
    this.#tail = '';
  }

  *read(): Generator<Uint8Array> {
    if (!this.#sectors) return yield* this.#pieces();
    let left = this.size;
    for (const piece of this.#pieces()) {
      if (left <= 0) return;
      yield piece.subarray(0, left);
      left -= piece.length;
    }
  }

  *#pieces(): Generator<Uint8Array> {
    let given = 0; // bytes given of the piece at hand; the tail may become a packed piece between two of them
    for (let piece = 0; ; ) {
      const packed = this.#packed[piece];
      if (packed) {
        if (given < packed.length) yield packed.subarray(given);
        piece++;
        given = 0;
      } else if (given < this.#tail.length) {
        const bytes = Buffer.from(this.#tail.slice(given), 'latin1');
        given += bytes.length;
        yield bytes;
      } else return;
    }
  }
}

/** Whole numbers from 0 in as few half bytes as they need: numbers below 15 in one, others below 65,536 in five. */
const ESCAPE = 15;
/** One buffer for all calls: minutes are packed three times a second, each with a few hundred numbers. */
const scratch = new Uint8Array(4_096);

/** `bytes` returns the output since the last call. */
export class NibbleWriter {
  #length = 0;

  write(value: number): void {
    if (value < ESCAPE) {
      this.#half(value);
      return;
    }
    this.#half(ESCAPE);
    for (let shift = 0; shift < 16; shift += 4) this.#half((value >> shift) & 15);
  }

  /** A copy. */
  bytes(): Uint8Array {
    return scratch.slice(0, (this.#length + 1) >> 1);
  }

  #half(value: number): void {
    const at = this.#length >> 1;
    scratch[at] = this.#length % 2 === 0 ? value : (scratch[at] ?? 0) | (value << 4);
    this.#length += 1;
  }
}

/** Reads the output of `NibbleWriter`. */
export class NibbleReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(): number {
    const value = this.#half();
    return value < ESCAPE ? value : this.#half() | (this.#half() << 4) | (this.#half() << 8) | (this.#half() << 12);
  }

  #half(): number {
    const byte = this.#bytes[this.#at >> 1] ?? 0;
    const half = this.#at % 2 === 0 ? byte & 15 : byte >> 4;
    this.#at += 1;
    return half;
  }
}

/** Notes about an import for people: the first notes in words, and the number of further notes. */
const MOST = 100;

/** Keeps the first 100. */
export class ImportNotes {
  readonly #lines: string[] = [];
  #more = 0;

  add(line: string): void {
    if (this.#lines.length < MOST) this.#lines.push(line);
    else this.#more += 1;
  }

  list(): string[] {
    return this.#more === 0 ? [...this.#lines] : [...this.#lines, `And ${this.#more} more.`];
  }
}

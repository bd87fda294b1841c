/**
 * The bytes of a file on their way into a response, without a copy and without a stage between: a few chunks are held, and more are
 * asked for when the network has taken one. If the number of bytes differs from the announced size, it ends with an error: a short file
 * never looks complete.
 */
import { finished, Readable } from 'node:stream';

/** The source, and the callback at its end. */
export interface FileBodyParts {
  readonly source: Readable;
  /** Bytes that were announced; undefined where the length is not known. */
  readonly size: number | undefined;
  /** Called with each chunk when the network has it. */
  readonly release: ((chunk: Uint8Array) => void) | undefined;
}

/** Bytes that the network has not taken yet. */
const MOST_UNSENT = 262_144;

/**
 * Reads the source as fast as the network takes it. Ends with an error if the source is shorter or longer than
 * announced.
 */
export class FileBody extends Readable {
  readonly #parts: FileBodyParts;
  #passed = 0;
  #unsent = 0;

  constructor(parts: FileBodyParts) {
    super();
    this.#parts = parts;
    finished(parts.source, { writable: false }, (error) => this.#end(error));
  }

  /** Sends the bytes directly; the stream itself only ends. */
  override pipe<To extends NodeJS.WritableStream>(to: To): To {
    const { source, size, release } = this.#parts;
    source.on('data', (given: Buffer | string) => {
      const chunk = typeof given === 'string' ? Buffer.from(given) : given;
      this.#passed += chunk.length;
      if (size !== undefined && this.#passed > size) {
        this.destroy(new Error(`more than the ${size} bytes that were announced`));
        return;
      }
      this.#unsent += chunk.length;
      if (this.#unsent >= MOST_UNSENT) source.pause();
      const { length } = chunk;
      to.write(chunk, (error) => {
        if (error) return;
        release?.(chunk);
        this.#unsent -= length;
        source.resume();
      });
    });
    return to;
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#parts.source.destroy(error ?? undefined);
    done(error);
  }

  #end(error: Error | null | undefined): void {
    const { size } = this.#parts;
    const isShort = size !== undefined && this.#passed < size;
    if (error) this.destroy(error);
    else if (isShort) this.destroy(new Error(`ended after ${this.#passed} of ${size} bytes`));
    else {
      this.push(null);
      // Nobody reads it, but its end must be noticed.
      this.resume();
    }
  }
}

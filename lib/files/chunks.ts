/** The memory of the chunks that a file comes in: at most 64 KB each, and new for each. */

/**
 * Frees the memory of a chunk that nobody reads any more. The chunk is empty then. The garbage collector would let about 50 MB collect.
 * A chunk that shares its memory is left as it is.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

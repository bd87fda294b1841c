/** The memory of the chunks of a file: at most 64 KB each, and new for each chunk. */

/**
 * Frees the memory of a chunk that has been read. The chunk is then empty. Without this, the garbage collector would
 * let about 50 MB collect. A chunk that shares its memory is not changed.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) buffer.transfer(0);
}

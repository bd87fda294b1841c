/** The length of the sound in a WAV file, from its header. It reads the chunks before the samples, but not the samples. */
import { type FileHandle, open } from 'node:fs/promises';

/** A header has a few chunks: a file with more is not a WAV file. */
const MOST_CHUNKS = 64;
/** A chunk begins with four letters and its size. */
const CHUNK = 8;
/** `RIFF`, a size, `WAVE`. */
const HEAD = 12;
const FORMAT_BYTES = 12;

/** ms; a text, after "The file", if the length is not known. `path`: on this disk. */
export async function lengthOfWave(path: string): Promise<number | string> {
  const file = await open(path, 'r');
  try {
    const head = await read(file, 0, HEAD);
    if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
      return 'is no WAV file: it does not begin as one.';
    const { size } = await file.stat();
    return await lengthIn(file, size);
  } finally {
    await file.close();
  }
}

async function lengthIn(file: FileHandle, size: number): Promise<number | string> {
  let bytesPerSecond = 0;
  for (let at = HEAD, chunks = 0; at + CHUNK <= size && chunks < MOST_CHUNKS; chunks += 1) {
    const chunk = await read(file, at, CHUNK);
    const name = chunk.toString('latin1', 0, 4);
    const said = chunk.readUInt32LE(4);
    at += CHUNK;
    if (name === 'fmt ') {
      const format = await read(file, at, FORMAT_BYTES);
      bytesPerSecond = format.length < FORMAT_BYTES ? 0 : format.readUInt32LE(8);
    }
    if (name === 'data') {
      // After a power loss, the recorder leaves an empty size, or the planned size.
      const bytes = said === 0 ? size - at : Math.min(said, size - at);
      return bytesPerSecond > 0 && bytes > 0
        ? Math.round((bytes / bytesPerSecond) * 1_000)
        : 'does not say how long its sound is.';
    }
    // Chunks begin at even offsets.
    at += said + (said % 2);
  }
  return 'has no sound.';
}

async function read(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}

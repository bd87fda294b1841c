/**
 * Files of a card beside its stores: a recording of sound as the option NX-43WR leaves it on a card: 16 bits, one channel, 8 kHz, so that a long one stays small. The sound
 * is noise that swells and ebbs, from a seed. That the name has the time of its beginning, and the folder, are known from public readers
 * of such files (docs/protocol.md); the last two numbers of the name are made up.
 *
 * A screenshot: a BMP of 400 x 240 at 16 bits, 192,054 bytes, made row by row while it is read. The size is inferred from the time of a
 * screenshot over LTE (1.6 s against 0.84 s for a tiny file). The picture is a dark screen with a bar of level.
 */
import { seeded } from '../random.ts';
import type { Content } from './content.ts';
import { recordingFile, storeFolder } from './names.ts';

const RATE = 8_000;
const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;
const FULL = 32_767;

interface RecordingOptions {
  readonly at: number;
  readonly seconds: number;
  readonly seed: number;
  readonly model: string;
  readonly storeName?: number;
}

/** A file for a card: its path, its bytes, and the device time that the card lists. */
export function recording({ at, seconds, seed, model, storeName = 19 }: RecordingOptions) {
  const path = `/${model}/${storeFolder('Auto', storeName)}/SOUND/${recordingFile(1, at, storeName)}`;
  return { path, bytes: waveOf(seconds, seed), modifiedAt: at + seconds * 1_000 };
}

function waveOf(seconds: number, seed: number): Buffer {
  const samples = seconds * RATE;
  const wave = Buffer.alloc(HEADER_BYTES + samples * SAMPLE_BYTES);
  wave.write('RIFF', 0, 'latin1');
  wave.writeUInt32LE(wave.length - 8, 4);
  wave.write('WAVEfmt ', 8, 'latin1');
  wave.writeUInt32LE(16, 16);
  wave.writeUInt16LE(1, 20); // PCM
  wave.writeUInt16LE(1, 22);
  wave.writeUInt32LE(RATE, 24);
  wave.writeUInt32LE(RATE * SAMPLE_BYTES, 28);
  wave.writeUInt16LE(SAMPLE_BYTES, 32);
  wave.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  wave.write('data', 36, 'latin1');
  wave.writeUInt32LE(samples * SAMPLE_BYTES, 40);
  const random = seeded(seed);
  let low = 0;
  for (let sample = 0; sample < samples; sample++) {
    low += 0.2 * (2 * random() - 1 - low);
    const swell = 0.55 - 0.45 * Math.cos((2 * Math.PI * sample) / (6 * RATE));
    wave.writeInt16LE(Math.round(FULL * swell * low), HEADER_BYTES + sample * SAMPLE_BYTES);
  }
  return wave;
}

const WIDTH = 400;
const HEIGHT = 240;
const ROW = WIDTH * 2;
const HEAD = 54;

const DARK = 0x0842;
const GREY = 0x318c;
const LIGHT = 0x7fff;

export const screenshot = (seed: number): Content => ({
  size: HEAD + HEIGHT * ROW,
  *read() {
    yield head();
    for (let y = 0; y < HEIGHT; y++) yield line(y, 80 + ((seed * 37) % 240));
  },
});

function head(): Uint8Array {
  const bytes = Buffer.alloc(HEAD);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(HEAD + HEIGHT * ROW, 2);
  bytes.writeUInt32LE(HEAD, 10);
  bytes.writeUInt32LE(40, 14); // BITMAPINFOHEADER
  bytes.writeInt32LE(WIDTH, 18);
  bytes.writeInt32LE(HEIGHT, 22); // positive: the bottom row comes first
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(16, 28);
  bytes.writeUInt32LE(HEIGHT * ROW, 34);
  return bytes;
}

function line(y: number, reach: number): Uint8Array {
  const bytes = Buffer.alloc(ROW);
  for (let x = 0; x < WIDTH; x++) bytes.writeUInt16LE(pixel(x, y, reach), x * 2);
  return bytes;
}

function pixel(x: number, y: number, reach: number): number {
  const inBar = y >= 40 && y < 70 && x >= 20 && x < WIDTH - 20;
  if (!inBar) return y >= HEIGHT - 20 ? GREY : DARK;
  return x < reach ? LIGHT : GREY;
}

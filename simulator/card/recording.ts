/**
 * A recording of sound as the option NX-43WR leaves it on a card: 16 bits, one channel, 8 kHz, so that a long one stays small. The sound
 * is noise that swells and ebbs, from a seed. That the name has the time of its beginning, and the folder, are known from public readers
 * of such files (docs/protocol.md); the last two numbers of the name are made up.
 */
import { seeded } from '../random.ts';
import { recordingFile, storeFolder } from './names.ts';

const RATE = 8_000;
const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;
const FULL = 32_767;

interface RecordingOptions {
  /** Device time at which it begins. */
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

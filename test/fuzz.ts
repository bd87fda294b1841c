/**
 * Random input, until the time is over, for everything that reads what a meter or its card sends: the framer of lines, the
 * decoders of replies, the reader of listings. Runs beside CI: `npm run fuzz -- 600` for ten minutes, with a seed behind it to
 * repeat a run. Begins with real lines and breaks them. Ends with 1 and the smallest input that broke a promise.
 */
import fc from 'fast-check';
import { LineFramer, LineTooLong, MAX_LINE_BYTES } from '../lib/drivers/lines.ts';
import { decodeDisplay, decodeFrame, decodeStatusFrame } from '../lib/drivers/nl43/decode.ts';
import { DecodeError } from '../lib/drivers/wire/contract.ts';
import { readListing } from '../lib/files/listing.ts';
import { dod, drd } from './drivers/nl43/lines.ts';

const SECONDS = Number(process.argv[2] ?? 60);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const NOW = Date.UTC(2025, 11, 24, 2);

const LINES = [
  dod(),
  drd(),
  'R+0000\r\n$',
  '-rw-rw-rw-   1 root  root      1482 Dec 24 02:13 NL_0001_SLM_Lp _0019_0001.rnd',
];

/** A real line with some of its characters replaced, cut or doubled; or anything at all. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(
      fc.constantFrom(...LINES),
      fc.array(fc.tuple(fc.nat(120), fc.string({ unit: 'binary', maxLength: 6 }), fc.nat(6)), { maxLength: 8 }),
    )
    .map(([line, changes]) =>
      changes.reduce((now, [at, put, cut]) => now.slice(0, at) + put + now.slice(at + cut), line),
    ),
);

const decoders = [decodeDisplay, decodeFrame, decodeStatusFrame];

const TARGETS: Readonly<Record<string, fc.IProperty<unknown>>> = {
  // However the bytes are cut: the same lines, and never more than one line in memory.
  framer: fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.array(fc.nat(400), { maxLength: 10 }), (bytes, sizes) => {
    const whole = new LineFramer().feed(bytes).map(String);
    const framer = new LineFramer();
    let from = 0;
    const pieces = [...sizes, bytes.length].flatMap((size) => {
      const found = framer.feed(bytes.subarray(from, from + size));
      from += size;
      return found.map(String);
    });
    return String(whole) === String(pieces) && framer.rest.length <= MAX_LINE_BYTES;
  }),
  'framer without line ends': fc.property(fc.integer({ min: 1, max: 3 * MAX_LINE_BYTES }), (length) => {
    const framer = new LineFramer();
    const found = framer.feed(Buffer.alloc(length, '9'));
    return framer.rest.length <= MAX_LINE_BYTES && found.every((line) => line instanceof LineTooLong);
  }),
  // Values or the one error that says why not.
  decoders: fc.property(text, fc.constantFrom(...decoders), (line, decode) => {
    try {
      return typeof decode(line) === 'object';
    } catch (error) {
      return error instanceof DecodeError;
    }
  }),
  // Every name that is handed out is one name in the folder that was asked for.
  listing: fc.property(fc.array(text, { maxLength: 20 }), (lines) => {
    try {
      const { entries } = readListing(lines.join('\r\n'), '/NL-43', NOW);
      return entries.every(({ name, path }) => path === `/NL-43/${name}` && !/[/\\\p{Cc}]|^\.\.?$/u.test(name));
    } catch (error) {
      return error instanceof RangeError;
    }
  }),
};

const each = (SECONDS * 1_000) / Object.keys(TARGETS).length;
for (const [name, property] of Object.entries(TARGETS)) {
  const result = fc.check(property, {
    seed: SEED,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: each,
    markInterruptAsFailure: false,
  });
  console.log(`${name}: ${result.numRuns} inputs, seed ${SEED}${result.failed ? ', BROKEN' : ''}`);
  if (result.failed) {
    console.log(fc.defaultReportMessage(result));
    process.exitCode = 1;
  }
}

/** Reports as PDF, made in a thread that ends with each of them: what library and fonts need goes with it, and nobody else waits. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ROOT, wordsOf, zones } from '../../../lib/index.ts';
import type { ReportDocument } from '../document.ts';
import type { PrintOrder } from './print.ts';
import type { Paper } from './sheet.ts';

// By its place below the root, as the build has it among its entries, with the ending of this file.
const THREAD = new URL(`plugins/reports/pdf/thread${extname(import.meta.url)}`, ROOT);
/** The build has the fonts in a folder of its own. */
const BUILT = new URL('fonts/', ROOT);
/** A report that needs more memory than this ends with an error, and the gateway goes on. */
const LIMITS = Object.freeze({ maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 });

/** What is printed; `logo`: a PNG or JPEG. */
export interface PrintWish {
  readonly report: ReportDocument;
  readonly paper: Paper;
  readonly logo?: Buffer | undefined;
}

/** One after the other: two at once would need twice the memory. */
export class PdfPrinter {
  #last: Promise<unknown> = Promise.resolve();

  /** The same document gives the same bytes. Rejects with the reason of the signal. */
  print({ report, paper, logo }: PrintWish, signal: AbortSignal): Promise<Buffer> {
    const isPacked = existsSync(BUILT);
    const folder = isPacked ? BUILT : new URL('node_modules/@expo-google-fonts/', ROOT);
    const { remarks, page, unprintable } = wordsOf(report.lang).report;
    const words = { remarks, page, unprintable };
    const order = {
      report,
      paper,
      words,
      logo,
      fonts: { folder: fileURLToPath(folder), isPacked },
      createdAt: zones.instantOf(report.to),
    };
    const printed = this.#last.then(() => inThread(order, signal));
    this.#last = printed.catch(() => {});
    return printed;
  }
}

async function inThread(order: PrintOrder, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const worker = new Worker(THREAD, { workerData: order, execArgv: [], resourceLimits: LIMITS });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  worker.once('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the thread of a report ended without one')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', leave);
    await worker.terminate();
  }
}

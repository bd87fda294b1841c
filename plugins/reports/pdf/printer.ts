/** Reports as PDF, made in a process that ends with each of them: what library and fonts need goes with it, and nobody else waits. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { CallersInTurn, ROOT, unlessAborted, wordsFor, zones } from '../../../lib/built-in.ts';
import { type Clock, GatewayError, within } from '../../../lib/index.ts';
import type { ReportDocument } from '../document.ts';
import { type Paper, type PrintOrder, printedReport } from './order.ts';

// By its place below the root, as the build has it among its entries, with the ending of this file.
const PROGRAM = fileURLToPath(new URL(`plugins/reports/pdf/process${extname(import.meta.url)}`, ROOT));
/** The build has the fonts in a folder of its own. */
const BUILT = new URL('fonts/', ROOT);
/**
 * Small before fast: without the optimizing compilers it needs 16 MB less, with young objects of 1 MB 27 MB less
 * (docs/adr/0060-pdf-is-printed-in-a-process-of-its-own.md). A report that needs more than 256 MB ends with an error, and the gateway goes on.
 */
const FLAGS = [
  ...['--no-opt', '--no-maglev', '--max-semi-space-size=1'],
  ...['--heap-growing-percent=20', '--max-old-space-size=256'],
];
/** A process that prints for so long has hung. */
const MOST_MS = 300_000;
/** Of memory, also beside the heap, where pictures are unpacked; bytes. Only Linux tells how much a process has. */
const MOST_BYTES = 400 * 1_048_576;
const LOOK_MS = 100;
/** Waiting reports of one caller, beside the report in print. */
const MOST_WAITING = 2;
const RETRY_S = 5;
/** Kept reports, which nobody waits for: one after the other, and before all callers. */
const KEPT = '';
/** Of what it says of an error. */
const MOST_WORDS = 4_000;
const WRONG_DATA = 65;

/** A report to print; `logo`: a PNG or JPEG. */
interface PrintWish {
  readonly report: ReportDocument;
  readonly paper: Paper;
  readonly logo?: Buffer | undefined;
  /** The name of the waiting caller (`callerOf`); absent: a kept report. */
  readonly caller?: string;
}

interface PrinterOptions {
  /** How the process is started: flags of Node, the program, and its arguments. */
  readonly command?: readonly string[];
  /** Hears of what was not printed, with what the process said; not of readers that have left. */
  readonly failed?: (error: Error) => void;
}

/** The library refuses something in the report, such as its logo; `cause` has what it said. */
export class UnprintableError extends GatewayError {}

/** One after the other: two at once would need twice the memory. Kept reports are first, then the callers in turn. */
export class PdfPrinter {
  readonly #clock: Clock;
  readonly #command: readonly string[];
  readonly #failed: (error: Error) => void;
  readonly #waiting = new CallersInTurn<() => void>();
  #isPrinting = false;

  constructor(clock: Clock, { command = [...FLAGS, PROGRAM], failed = () => {} }: PrinterOptions = {}) {
    this.#clock = clock;
    this.#command = command;
    this.#failed = failed;
  }

  /**
   * The same document gives the same bytes. Rejects with the reason of the signal. Errors: {@link UnprintableError}; BUSY where two reports
   * of this caller wait already; INTERNAL when the process could not be started, was killed, took too long or needed too much memory.
   */
  async print({ report, paper, logo, caller = KEPT }: PrintWish, signal: AbortSignal): Promise<Buffer> {
    const isPacked = existsSync(BUILT);
    const folder = isPacked ? BUILT : new URL('node_modules/@expo-google-fonts/', ROOT);
    const words = {
      remarks: wordsFor(report.lang, 'Remarks'),
      page: wordsFor(report.lang, '{page} of {pages}'),
      unprintable: wordsFor(
        report.lang,
        'Not printable with the fonts of this document, and shown as "?": {characters}.',
      ),
    };
    const order = {
      paper,
      words,
      logo,
      fonts: { folder: fileURLToPath(folder), isPacked },
      createdAt: zones.instantOf(report.to),
    };
    const late = () => notPrinted(`took more than ${MOST_MS / 1_000} s`);
    const work = async (inTime: AbortSignal) =>
      inProcess({ ...order, report: await printedReport(report) }, this.#command, this.#clock, inTime);
    await this.#turn(caller, signal);
    try {
      return await within(this.#clock, MOST_MS, late, work, signal);
    } catch (error) {
      if (!signal.aborted && error instanceof Error) this.#failed(error);
      throw error;
    } finally {
      this.#isPrinting = false;
      this.#next();
    }
  }

  async #turn(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isPrinting) {
      this.#isPrinting = true;
      return;
    }
    if (caller !== KEPT && this.#waiting.countOf(caller) >= MOST_WAITING) throw busy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(caller, resolve);
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      if (!this.#waiting.remove(caller, resolve)) {
        // Its turn came at the same moment.
        this.#isPrinting = false;
        this.#next();
      }
      throw error;
    }
  }

  #next(): void {
    const all = [...this.#waiting.firsts()];
    const [caller, begin] = all.find(([name]) => name === KEPT) ?? all[0] ?? [];
    if (this.#isPrinting || caller === undefined || !begin) return;
    this.#isPrinting = true;
    this.#waiting.take(caller, begin);
    begin();
  }
}

interface Ending {
  readonly by: number | string | null;
  readonly pdf: Buffer;
  readonly words: string;
}

async function inProcess(
  order: PrintOrder,
  command: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, command, { env: environment(), stdio: 'pipe', windowsHide: true });
  const kill = () => child.kill('SIGKILL');
  let isTooLarge = false;
  let unwatch = () => {};
  const watch = () => {
    isTooLarge = residentBytes(child.pid) > MOST_BYTES;
    if (isTooLarge) kill();
    else unwatch = clock.after(LOOK_MS, watch);
  };
  watch();
  signal.addEventListener('abort', kill, { once: true });
  try {
    // A process that ends before it has read all says why by its exit code.
    child.stdin.on('error', () => {}).end(serialize(order));
    const { by, pdf, words } = await endOf(child);
    signal.throwIfAborted();
    if (isTooLarge) throw notPrinted(`needed more than ${MOST_BYTES / 1_048_576} MB of memory`);
    if (by === 0 && pdf.length > 0) return pdf;
    const cause = new Error(words || `it ended with ${by}`);
    if (by === WRONG_DATA) throw new UnprintableError('INTERNAL', 'The report cannot be printed.', { cause });
    throw notPrinted(`ended with ${by} and without a PDF`, cause);
  } finally {
    unwatch();
    signal.removeEventListener('abort', kill);
  }
}

/** 0 where the system does not tell, or the process has ended. */
function residentBytes(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  } catch {
    return 0;
  }
}

function endOf(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const pieces: Buffer[] = [];
  let words = '';
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.stderr.on('data', (piece: Buffer) => {
    words = `${words}${piece}`.slice(0, MOST_WORDS);
  });
  child.once('error', (error) => reject(notPrinted('could not be started', error)));
  child.once('close', (code, by) => resolve({ by: code ?? by, pdf: Buffer.concat(pieces), words }));
  return promise;
}

/** Nothing of the gateway's that may be secret. One arena of the allocator, as it has one thread; Windows needs to know where it is; and where Node keeps what it has compiled. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot, NODE_COMPILE_CACHE } = process.env;
  return {
    MALLOC_ARENA_MAX: '1',
    ...(SystemRoot && { SystemRoot }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  };
}

const notPrinted = (what: string, cause?: Error) =>
  new GatewayError('INTERNAL', `The report could not be printed: its process ${what}.`, { cause });

const busy = () =>
  new GatewayError('BUSY', `Too many of your reports wait to be printed; try again in ${RETRY_S} s.`, {
    headers: { 'Retry-After': String(RETRY_S) },
  });

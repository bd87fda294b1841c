/** The process that prints one report: its order comes by standard input, the PDF leaves by standard output. */
import { buffer } from 'node:stream/consumers';
import { deserialize } from 'node:v8';
import type { PrintOrder } from './order.ts';
import { printReport } from './print.ts';

/** As sysexits.h has it: what came in cannot be printed. Anything else is no fault of the order. */
const WRONG_DATA = 65;

/** The library tells of some pictures in a callback, where nobody could catch it. What the system refuses, such as a file, is not the fault of the order. */
function refuse(error: unknown): void {
  process.stderr.write(error instanceof Error ? `${error.stack}` : String(error));
  process.exitCode = error instanceof Error && 'syscall' in error ? 1 : WRONG_DATA;
}

process.once('uncaughtException', refuse);
const order: PrintOrder = deserialize(await buffer(process.stdin));
try {
  process.stdout.write(await printReport(order));
} catch (error) {
  refuse(error);
}

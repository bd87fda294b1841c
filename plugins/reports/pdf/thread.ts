/** The thread that prints one report. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PrintOrder, printReport } from './print.ts';

const bytes = new Uint8Array(await printReport(workerData as PrintOrder));
parentPort?.postMessage(bytes, [bytes.buffer]);

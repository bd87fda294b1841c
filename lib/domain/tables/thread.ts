/** The thread of one workbook: gets its sheets, answers with its bytes, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TableSheet } from './sheet.ts';
import { workbookOf } from './written-xlsx.ts';

const { sheets, at }: { readonly sheets: readonly TableSheet[]; readonly at: number } = workerData;
parentPort?.postMessage(await workbookOf(sheets, at));

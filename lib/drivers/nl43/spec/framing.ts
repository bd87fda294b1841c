/**
 * Bytes and times of the line protocol. Facts only.
 * Source: the field log of an NL-43 and the VM-55/56 manual's description of the same language.
 */

/** Ends every command and every reply line. Captured. */
export const LINE_END = '\r\n';

/** Ends a DRD stream. Sent alone, without a line end. Code (public readers of the meter). */
export const SUB = 0x1a;

/** Between a name and its parameter. Captured. */
export const SEPARATOR = ',';

/** Ends the name of a request. Captured. */
export const REQUEST_MARK = '?';

/** First line of every reply. Meanings: VM manual p.150; the cases: captured, except R+0003 (manual only). */
export const RESULTS = Object.freeze({
  'R+0000': 'done',
  'R+0001': 'command not recognised',
  'R+0002': 'parameter wrong: count, type or value',
  'R+0003': 'designation error: a setting sent to a request-only command, or the reverse',
  'R+0004': 'status error: cannot be executed in the present state',
} as const);

export type ResultCode = keyof typeof RESULTS;
export type RefusalCode = Exclude<ResultCode, 'R+0000'>;

/** How a job that failed is kept and shown. Pure. */
import { isGatewayError } from '../errors.ts';
import type { JobRow } from './table.ts';

/** The columns of a job that failed. `code`: of the error table. */
export const failure = (detail: string, code = 'INTERNAL'): Partial<JobRow> => ({
  state: 'failed',
  message: detail,
  error: { code, detail },
});

/** The text of a bug in the gateway is not shown. */
export const detailOf = (error: unknown): string =>
  isGatewayError(error) ? error.message : 'An error in the gateway ended the job; the log has the cause.';

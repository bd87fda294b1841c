/** What the periods of reports are called. Data only. */
import type { schemas } from '../../client/index.ts';

/** The word of the API, and what a person reads. */
export const PERIODS = [
  ['none', 'when somebody asks'],
  ['day', 'every day'],
  ['week', 'every week, on Monday'],
  ['month', 'every month, on its first day'],
] as const satisfies readonly (readonly [schemas.KeptReport['period'], string])[];

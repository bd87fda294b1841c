/** Names of the periods of reports. */
import type { schemas } from '../../client/index.ts';
import { say } from '../words/say.ts';

/** The word of the API, and what a person reads. */
export const reportPeriods = () =>
  [
    ['none', say('when somebody asks')],
    ['day', say('every day')],
    ['week', say('every week, on Monday')],
    ['month', say('every month, on its first day')],
  ] as const satisfies readonly (readonly [schemas.KeptReport['period'], string])[];

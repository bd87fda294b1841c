/** The noise that a rule still allows in the present window, as the API shows it. Data only. */
import { named, type Schema, TIME, TIME_OR_NULL } from '../../../lib/index.ts';
import { ID, VALUE } from '../schemas.ts';

/** Levels in dB, times in seconds. */
export interface RuleBudget {
  readonly rule: string;
  readonly name: string;
  readonly quantity: string;
  readonly channel: string;
  readonly limit_db: number;
  readonly window_from: string;
  readonly window_to: string;
  readonly elapsed_s: number;
  readonly measured_s: number;
  readonly leq_so_far: number | null;
  readonly remaining_may_average_db: number | null;
  readonly will_exceed_at: string | null;
  readonly state: 'ok' | 'warning' | 'exceeded' | 'no_data';
  readonly note: string | null;
}

const FIELDS: Readonly<Record<string, Schema>> = {
  rule: ID,
  name: { type: 'string' },
  quantity: { type: 'string' },
  channel: { type: 'string', description: 'Channel of the meter that the limit is for.' },
  limit_db: { type: 'number' },
  window_from: TIME,
  window_to: TIME,
  elapsed_s: { type: 'number' },
  measured_s: { type: 'number' },
  leq_so_far: { ...VALUE, description: 'For another quantity than leq: its value so far.' },
  remaining_may_average_db: {
    ...VALUE,
    description: 'dB that the rest of the window may average; null: nothing is left, or there is no budget.',
  },
  will_exceed_at: {
    ...TIME_OR_NULL,
    description: 'If the noise of the last five minutes goes on; null: not within this window.',
  },
  state: {
    type: 'string',
    enum: ['ok', 'warning', 'exceeded', 'no_data'],
    description:
      'no_data: nothing was measured in this window so far, half a minute after its beginning or later; or less than min_coverage of the rule, and note says what is missing.',
  },
  note: { type: ['string', 'null'], description: 'Why there is no budget; null if there is one.' },
};
export const BUDGET: Schema = named('Budget', FIELDS);
export const UNIT_BUDGET: Schema = named('UnitBudget', { unit_id: { type: 'string' }, ...FIELDS });

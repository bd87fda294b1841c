/** Schemas that several endpoints of alerts share. Data only. */
import { named, type Schema } from '../../lib/index.ts';
import { DAYS } from './rules/rule.ts';

export const ID = { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'an id, a whole number' } as const;
export const ID_PARAM = { id: ID } as const;

export const SENTENCES: Schema = {
  type: 'object',
  description:
    'English texts of this object by the names of their fields, each for readers of other languages: a code for programs, the text with gaps and the values. A text that is not here is only in English.',
  additionalProperties: named('Sentence', {
    code: {
      type: 'string',
      description: 'For programs, such as level_above: it stays the same when the words change.',
    },
    text: {
      type: 'string',
      description: 'English, with gaps such as {limit}; behind | the plural, for the value count.',
    },
    values: {
      type: 'object',
      additionalProperties: true,
      description: 'For each gap a number, a time, a name, a sentence of this form, or a list of these.',
    },
  }),
};

export const VALUE: Schema = { type: ['number', 'null'] };

/** For a value whose place in its window is not certain. */
export const IS_BOUND: Schema = {
  type: 'boolean',
  description:
    'worst is the maximum of a row that reaches over the end of the window (of the meter, or of an import). The true maximum of the window is at most this value.',
};

/** Times of a week, by the clock of the unit. */
export const SCHEDULE: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: 20,
  description: 'Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight.',
  items: named('RuleSchedule', {
    days: { type: 'array', minItems: 1, maxItems: 7, uniqueItems: true, items: { type: 'string', enum: [...DAYS] } },
    from: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'a time such as 07:00' },
    to: {
      type: 'string',
      pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
      description: 'a time such as 19:00, or 24:00',
    },
  }),
};

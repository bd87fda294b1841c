import type { Schema } from '../../lib/index.ts';

/** A file or folder of the card in answers. */
export const CARD_FILE: Schema = {
  title: 'CardFile',
  type: 'object',
  properties: {
    name: { type: 'string' },
    path: { type: 'string', description: 'Full path on the card.' },
    size: { type: 'integer', minimum: 0, description: 'Bytes; 0 for a folder.' },
    modified: { type: 'string', description: '<Mon> <DD> <YYYY>, date of the meter.' },
    modified_at: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      description: 'Time of the meter, no zone; only if the listing had a time.',
    },
    is_dir: { type: 'boolean' },
  },
  required: ['name', 'path', 'size', 'modified', 'is_dir'],
  additionalProperties: false,
};

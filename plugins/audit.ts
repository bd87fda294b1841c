/** The audit log, read only: who changed what, when and from where, the latest first. */
import type { Plugin, Schema } from '../lib/index.ts';

const ANYTHING: Schema = {
  description: 'As it was asked for or answered, secrets masked; null where nothing is known.',
};
const TEXT: Schema = { type: 'string' };
const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const RECORD: Schema = {
  type: 'object',
  required: ['n', 'at', 'kind', 'prev', 'hash'],
  properties: {
    n: { type: 'integer', description: 'Counts up without a gap.' },
    at: { type: 'string', description: 'UTC.' },
    kind: { type: 'string', enum: ['request', 'anchor'], description: 'anchor: old months were taken away.' },
    request: { ...TEXT, description: 'X-Request-Id of the request.' },
    who: { ...TEXT, description: 'Name of the API key.' },
    key_id: { type: ['string', 'null'] },
    address: TEXT,
    method: TEXT,
    route: TEXT,
    unit_id: TEXT,
    body: ANYTHING,
    before: ANYTHING,
    status: { type: 'integer' },
    code: { type: ['string', 'null'] },
    answer: ANYTHING,
    lost: { type: 'integer', description: 'Records before this one that could not be kept.' },
    removed_through: { type: 'integer' },
    removed_hash: HASH,
    prev: HASH,
    hash: HASH,
  },
};

interface Wanted {
  readonly unit?: string;
  readonly before?: number;
  readonly limit: number;
}

const plugin: Plugin = {
  name: 'audit',
  register(host) {
    host.route<unknown, Wanted>({
      method: 'GET',
      path: '/_audit',
      access: 'admin',
      summary: 'Show the audit log',
      description:
        'Every request that may change something, with its outcome. Check the chain of hashes with npm run audit.',
      query: {
        unit: { type: 'string', maxLength: 64, description: 'Only about this unit.' },
        before: { type: 'integer', minimum: 1, description: 'Only records with a smaller number: the next page.' },
        limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
      },
      filtersUnits: true,
      answer: {
        records: { type: 'array', items: RECORD },
        next: { type: ['integer', 'null'], description: 'Value of `before` for the next page; null: there is none.' },
      },
      errors: [],
      async handle({ query: { unit, before, limit }, identity: { units } }) {
        const records = await host.audit.read({ unitId: unit, before, limit, units });
        return { records, next: records.length === limit ? (records.at(-1)?.n ?? null) : null };
      },
    });
  },
};
export default plugin;

/** The audit log, read only: who changed what, when and from where, the latest first. */
import { listQuery, type PageQuery, pageOf } from '../lib/built-in.ts';
import type { Plugin, Schema } from '../lib/index.ts';

const ANYTHING: Schema = {
  description: 'As in the request or the answer, with secrets masked; null if nothing is known.',
};
const TEXT: Schema = { type: 'string' };
const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

const RECORD: Schema = {
  title: 'AuditRecord',
  type: 'object',
  required: ['n', 'at', 'kind', 'prev', 'hash'],
  properties: {
    n: { type: 'integer', description: 'Counts up without a gap.' },
    at: { type: 'string', description: 'UTC.' },
    kind: {
      type: 'string',
      enum: ['request', 'anchor', 'seal', 'key'],
      description:
        'anchor: old months were removed. seal: the levels of a local day, as one hash. key: a new key signs packages of evidence from now on.',
    },
    request: { ...TEXT, description: 'X-Request-Id of the request.' },
    who: { ...TEXT, description: 'Name of the API key.' },
    key_id: { type: ['string', 'null'] },
    address: TEXT,
    method: TEXT,
    route: TEXT,
    unit_id: TEXT,
    params: {
      type: 'object',
      description:
        'Further parameters of path and query, such as the id of a rule or a span of time. Absent without such parameters.',
    },
    body: ANYTHING,
    before: ANYTHING,
    status: { type: 'integer' },
    code: { type: ['string', 'null'] },
    answer: ANYTHING,
    lost: { type: 'integer', description: 'Number of records before this one that were lost.' },
    removed_through: { type: 'integer' },
    removed_hash: HASH,
    day: { ...TEXT, format: 'date', description: 'Of a seal: the local day.' },
    version: { type: 'integer', description: 'Of a seal: 1, and a higher number for each later change of the day.' },
    root: { ...HASH, description: 'Of a seal.' },
    rows: { type: 'integer', description: 'Of a seal: stored rows of the day.' },
    replaces: {
      type: ['string', 'null'],
      description: 'Of a seal: the root of the previous version. Of a key: the fingerprint of the previous key.',
    },
    fingerprint: { ...TEXT, description: 'Of a key: the fingerprint of the new key.' },
    reason: { ...TEXT, description: 'Of a key: first, rotated or lost.' },
    prev: HASH,
    hash: HASH,
  },
};

interface Wanted extends PageQuery {
  readonly unit?: string;
  readonly before?: number;
}

const plugin: Plugin = {
  name: 'audit',
  about: 'The log of changes',
  register(host) {
    host.route<unknown, Wanted>({
      method: 'GET',
      path: '/_audit',
      access: 'admin',
      summary: 'Show the audit log',
      description:
        'Every request that may change something, with its outcome. Check the chain of hashes with npm run audit.',
      query: listQuery({
        unit: { type: 'string', maxLength: 64, description: 'Only about this unit.' },
        before: { type: 'integer', minimum: 1, description: 'Only records with a smaller number: as cursor.' },
      }),
      filtersUnits: true,
      answer: {
        records: { type: 'array', items: RECORD },
        next: {
          type: ['integer', 'null'],
          description: 'Value of `cursor` or `before` for the next page; null: no further page.',
        },
      },
      errors: [],
      async handle({ query: { unit, cursor, before, limit }, identity: { units } }) {
        const last = before ?? (cursor === undefined ? undefined : Number(cursor));
        const records = await host.audit.read({ unitId: unit, before: last, limit: limit + 1, units });
        const { page, next } = pageOf(records, limit, ({ n }) => n);
        return { records: page, next: next && Number(next) };
      },
    });
  },
};
export default plugin;

/** `GET /{unit_id}/settings/changes`: the settings of the meter in a span, as far as the gateway saw them. */
import {
  type Host,
  iso,
  listQuery,
  NEXT,
  named,
  type PageQuery,
  pageOf,
  type Schema,
  SPAN,
  spanOf,
  TIME,
} from '../../../lib/index.ts';
import type { SettingChangeRow } from '../tables.ts';
import type { LastValues } from './last-values.ts';

interface ChangesQuery extends PageQuery {
  readonly from: string;
  readonly to: string;
}

const NAME: Schema = { type: 'string', description: 'As in the list of all settings.', example: 'lp_interval' };
const VALUE: Schema = { type: 'string', description: 'As in the list of all settings.', example: '100ms' };
const CHANGE: Schema = named('SettingChange', {
  name: NAME,
  value: VALUE,
  before: { ...VALUE, type: ['string', 'null'], description: 'The value before; null: no value was seen.' },
  at: {
    ...TIME,
    description: 'When the value was read or set: the change itself may be earlier if it was made at the keys.',
  },
});
const IN_FORCE: Schema = named('SettingInForce', {
  name: NAME,
  value: VALUE,
  since: { ...TIME, description: 'The first time at which this value was seen.' },
});

/** Asks no meter. */
export function addChangeRoute(host: Host, values: LastValues): void {
  host.route<unknown, ChangesQuery>({
    method: 'GET',
    path: '/{unit_id}/settings/changes',
    access: 'viewer',
    operation: 'listSettingChanges',
    summary: 'List how the settings of the meter changed, the first change first',
    description:
      'As far as the gateway read or set them; the meter is not asked. The last 10,000 changes of a unit are kept.',
    query: listQuery({ ...SPAN }, { type: 'string', pattern: '^\\d{1,15}$' }),
    answer: {
      data: { type: 'array', items: CHANGE },
      in_force: {
        type: 'array',
        items: IN_FORCE,
        description: 'The value of each setting at `from`, if it was seen before.',
      },
      next: NEXT,
    },
    etag: true,
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      const { from, to } = spanOf(query);
      const before = new Map<string, SettingChangeRow>();
      const inForce = new Map<string, SettingChangeRow>();
      const changes: (SettingChangeRow & { readonly was: string | null })[] = [];
      for (const row of await values.changes(unitId)) {
        if (row.at <= from) inForce.set(row.name, row);
        else if (row.at < to && row.n > Number(query.cursor ?? 0))
          changes.push({ ...row, was: before.get(row.name)?.value ?? null });
        before.set(row.name, row);
      }
      const { page, next } = pageOf(changes, query.limit, ({ n }) => n);
      return {
        data: page.map(({ name, value, was, at }) => ({ name, value, before: was, at: iso(at) })),
        in_force: [...inForce.values()]
          .sort((one, other) => (one.name < other.name ? -1 : 1))
          .map(({ name, value, at }) => ({ name, value, since: iso(at) })),
        next,
      };
    },
  });
}

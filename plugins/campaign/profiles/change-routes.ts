/** The settings of a meter as the gateway saw them: the last value of each, and the changes of a span. Asks no meter. */
import { listQuery, NEXT, type PageQuery, pageOf } from '../../../lib/built-in.ts';
import { type Host, iso, named, type Schema, SPAN, spanOf, TIME } from '../../../lib/index.ts';
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
const LAST: Schema = named('LastSetting', {
  name: NAME,
  value: VALUE,
  at: { ...TIME, description: 'When it was last read or set.' },
});

export function addChangeRoutes(host: Host, values: LastValues): void {
  host.route({
    method: 'GET',
    path: '/{unit_id}/settings/last',
    access: 'viewer',
    operation: 'listLastSettings',
    summary: 'List the settings of the meter as they were last read or set',
    description:
      'Each with its time, whoever read or set it; the meter is not asked. A setting that was never read is absent.',
    answer: { data: { type: 'array', items: LAST } },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      host.configs.of(unitId);
      return { data: [...values.of(unitId)].map(([name, { value, at }]) => ({ name, value, at: iso(at) })) };
    },
  });

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

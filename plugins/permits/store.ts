/** The permits in the database, the units that they are for, and the callers who may see them. */
import {
  type Clock,
  columns,
  type DeviceConfig,
  defineTable,
  GatewayError,
  type Identity,
  NamedRows,
  reaches,
  type TableMigration,
  type Tables,
} from '../../lib/index.ts';
import type { PermitBody } from './contract.ts';

const MOST_PERMITS = 500;

const FIELDS = { name: columns.text(), body: columns.json<PermitBody>(), changedAt: columns.integer() };
export const PERMITS = defineTable('permits_permit', ['name'], FIELDS);
export const PERMIT_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-permits',
    statements: [
      'create table permits_permit (name text not null primary key, body json not null, changed_at integer not null)',
    ],
  },
];

export type PermitStore = ReturnType<typeof permitStore>;

export const permitStore = (tables: Tables, clock: Clock) =>
  new NamedRows(tables, clock, {
    table: PERMITS,
    most: MOST_PERMITS,
    full: () => new GatewayError('INVALID', `There are ${MOST_PERMITS} permits already; remove one.`),
  });

export type Permit = NonNullable<ReturnType<PermitStore['find']>>;

export const isFor = (
  { body: { units, tag } }: Permit,
  { unitId, tags }: Pick<DeviceConfig, 'unitId' | 'tags'>,
): boolean => units?.includes(unitId) ?? (tag !== undefined && tags.includes(tag));

/** A caller who may see one of its units may see the permit. */
export const isSeen = (permit: Permit, identity: Identity, configs: readonly DeviceConfig[]): boolean =>
  identity.units === null || configs.some((config) => isFor(permit, config) && reaches(identity, config.unitId));

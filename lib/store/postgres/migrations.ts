/**
 * The store's own tables on PostgreSQL. A change of them is one step here and one in `../migrations.ts`. A step only adds
 * what the earlier release tolerates; an unused column is removed a release later. A released name never changes.
 */
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { TableMigration } from '../contract.ts';
import { StoreError } from '../problem.ts';
import { APART, JSON_TEXT, LOCK_TABLES, SORTED_TEXT } from './schema.ts';

const DONE = 'store_migration';

/** Lease and members. An instance needs them before it may open the store, so that it makes them itself (`lease-store.ts`). */
export const LEASE_TABLES: readonly string[] = [
  `create table if not exists store_owner (
    id integer not null primary key check (id = 1), member text not null, name text not null, incarnation bigint not null,
    beat bigint null
  )`,
  'alter table store_owner add column if not exists alone boolean not null default false, add column if not exists timeline text null',
  `create table if not exists cluster_instance (
    id text not null primary key, name text not null, address text not null, version text not null, place text not null,
    beat bigint not null, has_left boolean not null
  )`,
];

/** In this order, each once. */
const serverMigrations: readonly TableMigration[] = [
  {
    name: '0001-first-tables',
    statements: [
      `create domain ${JSON_TEXT} as ${SORTED_TEXT}`,
      `create table device_config (
        unit_id ${SORTED_TEXT} not null primary key,
        host ${SORTED_TEXT} not null,
        tcp_port bigint not null, tcp_enabled boolean not null, ftp_enabled boolean not null, web_enabled boolean not null,
        ftp_port bigint not null, ftp_mode ${SORTED_TEXT} not null, ftp_username ${SORTED_TEXT} null, ftp_password ${SORTED_TEXT} null,
        poll_enabled boolean not null default false, poll_interval_seconds bigint not null default 60,
        name ${SORTED_TEXT} null, place ${SORTED_TEXT} null, latitude double precision null, longitude double precision null,
        timezone ${SORTED_TEXT} null, tags json null, history ${SORTED_TEXT} not null default 'off', mirror json null,
        family ${SORTED_TEXT} not null default 'nl43'
      )`,
      `create table snapshot (
        unit_id ${SORTED_TEXT} not null primary key,
        measurement_state text null,
        lp text null, leq text null, le text null, lmax text null, lmin text null, lpeak text null,
        ln1 text null, ln2 text null, ln3 text null, ln4 text null, ln5 text null,
        over_range boolean null, under_range boolean null,
        battery_level text null, battery_state text null, power_source text null, sd_remaining_mb text null, sd_free_ratio text null,
        measurement_start_time bigint null, last_seen bigint null, state_at bigint null, lp_at bigint null, levels_at bigint null,
        battery_at bigint null, power_at bigint null, card_at bigint null, unchanged_since bigint null,
        meter json null, measurement_start_source text null, levels json null
      )`,
      `create table store_fact (name ${SORTED_TEXT} not null primary key, value text not null)`,
      `create table plugin_migration (name ${SORTED_TEXT} not null primary key)`,
      `create table if not exists store_owner (
        id integer not null primary key check (id = 1), member text not null, name text not null, incarnation bigint not null,
        beat bigint null
      )`,
    ],
  },
  {
    name: '0002-channels-of-the-history',
    statements: ['alter table device_config add column history_channels json null'],
  },
  // Instances of a release before this one do not know it: they refuse to start beside one of this release, which has another lease.
  { name: '0003-lease', statements: LEASE_TABLES },
  {
    name: '0004-last-days-of-a-meter',
    statements: ['verified_until', 'sim_valid_until'].map(
      (name) => `alter table device_config add column ${name} ${SORTED_TEXT} null`,
    ),
  },
];

export type Before = 'nothing' | 'ours';

/** All tables that a gateway would see. */
export const TABLE_NAMES =
  'select table_name as name from information_schema.tables where table_schema = current_schema() order by 1';

/** Throws StoreError `other` if there are only foreign tables. */
export function lookAtTables(names: readonly string[], where: string): Before {
  if (names.includes(DONE)) return 'ours';
  const first = names.find((name) => !APART.test(name));
  if (first === undefined) return 'nothing';
  throw new StoreError(
    'other',
    `the database ${where} has tables of something else (${first}): give the gateway a database of its own`,
  );
}

export async function lookBefore(em: SqlEntityManager, where: string): Promise<Before> {
  const rows = await em.execute<{ name: string }[]>(TABLE_NAMES);
  return lookAtTables(
    rows.map(({ name }) => name),
    where,
  );
}

export const DONE_NAMES = `select name from ${DONE}`;

/** Throws StoreError `newer` where this release does not know one of them. */
export function refuseNewer(done: readonly string[], where: string): void {
  const unknown = done.find((name) => !serverMigrations.some((known) => known.name === name));
  if (unknown)
    throw new StoreError(
      'newer',
      `the database ${where} was written by a newer release (${unknown}): start that release, or restore a backup`,
    );
}

/** All that are missing, in the transaction of `em`. Throws StoreError `newer`. */
export async function migrateServer(em: SqlEntityManager, where: string): Promise<void> {
  await em.execute(LOCK_TABLES);
  await em.execute(`create table if not exists ${DONE} (name ${SORTED_TEXT} not null primary key)`);
  const done = (await em.execute<{ name: string }[]>(DONE_NAMES)).map(({ name }) => name);
  refuseNewer(done, where);
  for (const { name, statements } of serverMigrations.filter((one) => !done.includes(one.name))) {
    for (const statement of statements) await em.execute(statement);
    await em.execute(`insert into ${DONE} (name) values ('${name}')`);
  }
}

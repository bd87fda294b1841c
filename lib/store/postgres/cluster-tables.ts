/** The tables of a cluster: members, owners, small files that all have, the secret that they share. */
import type pg from 'pg';

/** Statements that make what is missing, in their order. */
const TABLES = [
  `create table if not exists cluster_member (
     id text primary key, epoch integer not null, beat bigint not null, open boolean not null, leaving boolean not null,
     sites jsonb not null, name text not null, address text not null, version text not null,
     place text not null)`,
  `create table if not exists cluster_owner (
     unit text primary key, site text not null, pinned text, member text references cluster_member (id))`,
  'create table if not exists cluster_file (name text primary key, version integer not null, text text not null)',
  // Of the server, as it was seen last.
  'create table if not exists cluster_timeline (is_only boolean primary key default true check (is_only), timeline text not null)',
  'create table if not exists cluster_secret (is_only boolean primary key default true check (is_only), secret bytea not null)',
];

/** Columns that came with later releases, by table. Those of before write rows without them. */
const COLUMNS = [
  ['cluster_member', 'voters', 'jsonb'],
  // The row stays: a member without one would mean that the database has gone back in time, and its epoch must not begin anew.
  ['cluster_member', 'removed', 'boolean not null default false'],
  // Not linked under this epoch: a member of a release that knows nothing of it is linked.
  ['cluster_member', 'unlinked_epoch', 'integer not null default 0'],
  ['cluster_owner', 'removed', 'boolean not null default false'],
] as const;

const PRESENT = `select table_name || ' ' || column_name as name from information_schema.columns
  where table_schema = current_schema() and table_name = any($1)`;

/** Makes what is missing. A column that is there is not asked for: that would wait for everybody who reads. */
export async function makeClusterTables(client: pg.Client): Promise<void> {
  for (const table of TABLES) await client.query(table);
  const { rows } = await client.query<{ name: string }>(PRESENT, [COLUMNS.map(([table]) => table)]);
  const present = new Set(rows.map(({ name }) => name));
  for (const [table, name, type] of COLUMNS)
    if (!present.has(`${table} ${name}`)) await client.query(`alter table ${table} add column ${name} ${type}`);
}

/** The tables of a cluster: members, owners, small files that all have, the secret that they share. */

/** Statements that make what is missing, in their order. */
export const CLUSTER_TABLES = [
  `create table if not exists cluster_member (
     id text primary key, epoch integer not null, beat bigint not null, open boolean not null, leaving boolean not null,
     sites jsonb not null, name text not null, address text not null, version text not null,
     place text not null)`,
  'alter table cluster_member add column if not exists voters jsonb',
  // The row stays: a member without one would mean that the database has gone back in time, and its epoch must not begin anew.
  'alter table cluster_member add column if not exists removed boolean not null default false',
  `create table if not exists cluster_owner (
     unit text primary key, site text not null, pinned text, member text references cluster_member (id))`,
  'alter table cluster_owner add column if not exists removed boolean not null default false',
  'create table if not exists cluster_file (name text primary key, version integer not null, text text not null)',
  // Of the server, as it was seen last.
  'create table if not exists cluster_timeline (is_only boolean primary key default true check (is_only), timeline text not null)',
  'create table if not exists cluster_secret (is_only boolean primary key default true check (is_only), secret bytea not null)',
];

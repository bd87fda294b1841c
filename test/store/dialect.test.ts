/** Statements of plugins as PostgreSQL takes them. Nothing is connected to. */
import t from 'tap';
import { translated } from '../../lib/store/postgres/schema.ts';

t.test('types stand behind the names of columns, and names may be words of types', async (t) => {
  t.equal(
    translated(
      'create table a (text text not null, "real" real null, at integer, n integer, body json not null, primary key (text, at))',
    ),
    'create table a (text text collate "C" not null, "real" double precision null, at bigint, n bigint, body json_text not null, primary key (text, at))',
  );
  t.equal(
    translated("alter table a add column problems json not null default '[]'"),
    "alter table a add column problems json_text not null default '[]'",
  );
  t.equal(translated('alter table a add column x integer'), 'alter table a add column x bigint');
  t.equal(
    translated('create table a (id integer not null primary key) without rowid'),
    'create table a (id bigint not null primary key)',
  );
});

t.test('a statement without a table is not changed', async (t) => {
  for (const sql of [
    'create index a_text on a (text, integer)',
    "update a set text = 'x integer not null'",
    'insert into a select text from b',
  ])
    t.equal(translated(sql), sql);
});

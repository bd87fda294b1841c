/**
 * Promises of every store about tables of plugins: made once, by the plugin's own migrations, and read and written in
 * transactions.
 */
import type { Test } from 'tap';
import { defineTable, field } from '../../../lib/domain/fields/field.ts';
import { config } from '../../store/setup.ts';
import type { Place, PlaceOf } from './index.ts';

const RULES = defineTable('alerts_rule', ['id'], {
  id: field<string>({ column: 'text', fresh: '', schema: {} }),
  limit: field<number>({ column: 'real', fresh: 0, schema: {} }),
  enabled: field<boolean>({ column: 'boolean', fresh: true, schema: {} }),
  units: field<readonly string[]>({ column: 'json', fresh: [], schema: {} }),
  note: field<string | null>({ column: 'text', nullable: true, fresh: null, schema: {} }),
});
const FIRST = {
  name: '0001-rules',
  statements: [
    'create table alerts_rule (id text not null primary key, "limit" real not null, enabled integer not null, units json not null)',
  ],
};
const SECOND = { name: '0002-note', statements: ['alter table alerts_rule add column note text null'] };
const BOTH = [FIRST, SECOND];

const rule = (id: string, limit: number, more = {}) => ({
  id,
  limit,
  enabled: true,
  units: ['roof'],
  note: null,
  ...more,
});

async function rules(place: Place) {
  const store = await place.open();
  const tables = await store.tables('alerts', [RULES], BOTH);
  return { place, store, tables };
}

export function tableContract(t: Test, placeOf: PlaceOf): void {
  t.test('rows are there again after a restart, with their types', async (t) => {
    const { place, store, tables } = await rules(placeOf(t));
    const rows = [rule('a', 55.5), rule('b', 60, { enabled: false, units: [], note: 'night' })];
    await tables.write((own) => own.put(RULES, rows));
    await store.close();
    const again = await rules(place);
    t.same(await again.tables.read((own) => own.find(RULES, { order: { id: 'asc' } })), rows);
  });

  t.test('rows are found by value, by several values and by spans, in order and in parts', async (t) => {
    const { tables } = await rules(placeOf(t));
    await tables.write((own) =>
      own.put(
        RULES,
        Array.from({ length: 9 }, (_, index) => rule(`r${index}`, index)),
      ),
    );
    const ids = (selection: object) =>
      tables.read(async (own) => (await own.find(RULES, selection)).map(({ id }) => id));
    t.same(await ids({ where: { id: 'r3' } }), ['r3']);
    t.same(await ids({ where: { id: ['r3', 'r5', 'none'] }, order: { id: 'desc' } }), ['r5', 'r3']);
    t.same(await ids({ where: { limit: { atLeast: 2, below: 4 } }, order: { id: 'asc' } }), ['r2', 'r3']);
    t.same(await ids({ where: { note: null }, order: { limit: 'asc' }, limit: 2, offset: 3 }), ['r3', 'r4']);
    t.equal(await tables.read((own) => own.count(RULES, { limit: { above: 6 } })), 2);
    t.equal(await tables.write((own) => own.change(RULES, { limit: { atMost: 1 } }, { note: 'low' })), 2);
    t.equal(await tables.write((own) => own.remove(RULES, { note: 'low' })), 2);
    await tables.write((own) => own.put(RULES, [rule('r3', 99)]));
    t.match(await tables.read((own) => own.find(RULES, { where: { id: 'r3' } })), [{ limit: 99 }]);
  });

  t.test(
    'texts are in the order of their bytes, rows without a value come first, and an empty list finds no row',
    async (t) => {
      const { tables } = await rules(placeOf(t));
      const rows = [
        rule('b', 1, { note: 'é' }),
        rule('B', 2),
        rule('a', 3, { note: 'Z' }),
        rule('ä', 4, { note: 'a' }),
      ];
      await tables.write((own) => own.put(RULES, rows));
      const ids = (selection: object) =>
        tables.read(async (own) => (await own.find(RULES, selection)).map(({ id }) => id));
      t.same(await ids({ order: { id: 'asc' } }), ['B', 'a', 'b', 'ä']);
      t.same(await ids({ order: { note: 'asc' } }), ['B', 'a', 'ä', 'b']);
      t.same(await ids({ order: { note: 'desc' } }), ['b', 'ä', 'a', 'B']);
      t.same(await ids({ where: { id: { above: 'Z', below: 'c' } }, order: { id: 'asc' } }), ['a', 'b']);
      t.same(await ids({ order: { id: 'asc' }, offset: 3 }), ['ä']);
      t.same(await ids({ where: { id: [] } }), []);
      t.equal(await tables.write((own) => own.remove(RULES, { note: [] })), 0);
    },
  );

  t.test('a transaction that throws leaves nothing behind', async (t) => {
    const { tables } = await rules(placeOf(t));
    const failing = tables.write(async (own) => {
      await own.put(RULES, [rule('a', 1)]);
      throw new Error('no');
    });
    await t.rejects(failing, { message: 'no' });
    t.equal(await tables.read((own) => own.count(RULES)), 0);
  });

  t.test('a row that was read belongs to the reader', async (t) => {
    const { tables } = await rules(placeOf(t));
    const given = rule('a', 1, { units: ['roof'] });
    await tables.write((own) => own.put(RULES, [given]));
    const [row] = await tables.read((own) => own.find(RULES));
    t.ok(row);
    Object.assign(row ?? {}, { units: ['gate'] });
    t.match(await tables.read((own) => own.find(RULES)), [{ units: ['roof'] }]);
  });

  t.test('units of rows that have no config are known', async (t) => {
    const store = await placeOf(t).open();
    const table = defineTable('alerts_unit', ['unitId', 'n'], {
      unitId: field<string>({ column: 'text', fresh: '', schema: {} }),
      n: field<number>({ column: 'integer', fresh: 0, schema: {} }),
    });
    const statement = 'create table alerts_unit (unit_id text not null, n integer not null, primary key (unit_id, n))';
    const tables = await store.tables('alerts', [table], [{ name: '0001-unit', statements: [statement] }]);
    const left = () => tables.read((own) => own.unitsWithoutConfig(table));
    t.strictSame(await left(), []);
    for (const unitId of ['gate', 'roof']) await store.configs.change(unitId, () => config(unitId));
    const unitIds = ['Roof', 'cellar', 'gate', 'roof', 'yard'];
    await tables.write((own) =>
      own.put(
        table,
        unitIds.flatMap((unitId) => [1, 2].map((n) => ({ unitId, n }))),
      ),
    );
    t.strictSame((await left()).sort(), ['Roof', 'cellar', 'yard']);
    await store.configs.remove('gate');
    t.strictSame((await left()).sort(), ['Roof', 'cellar', 'gate', 'yard']);
  });

  t.test('each migration of a plugin runs once, and two plugins do not know of each other', async (t) => {
    const place = placeOf(t);
    const first = await place.open();
    await first.tables('alerts', [RULES], [FIRST, SECOND]);
    const other = defineTable('alerts2', ['id'], { id: field<string>({ column: 'text', fresh: '', schema: {} }) });
    const same = { name: '0001-rules', statements: ['create table alerts2 (id text not null primary key)'] };
    const own = await first.tables('alerts2', [other], [same]);
    await own.write((rows) => rows.put(other, [{ id: 'x' }]));
    t.equal(await own.read((rows) => rows.count(other)), 1);
    await t.rejects(
      own.read((rows) => rows.count(RULES)),
      /not among those/,
    );
    await first.close();
    const second = await place.open();
    await second.tables('alerts', [RULES], BOTH);
    await t.rejects(second.tables('alerts2', [other], []), { problem: 'newer', message: /plugin alerts2/ });
  });

  t.test('a migration that fails changes nothing, and names of tables stay with their plugin', async (t) => {
    const place = placeOf(t);
    const store = await place.open();
    const wrong = { name: '0002-wrong', statements: ['alter table alerts_rule add column x text', 'no sql'] };
    await t.rejects(store.tables('alerts', [RULES], [FIRST, wrong]));
    await t.resolves(store.tables('alerts', [RULES], BOTH));
    await t.rejects(store.tables('mirror', [RULES], []), /must be named mirror/);
  });
}

/** Keys and seals that an earlier release kept in tables of other names: they are found by their present names, and nothing is lost. */
import t from 'tap';
import { columns, defineTable } from '../../lib/index.ts';
import { openSigningKeys, SIGNING_KEYS, signingKeyMigrations } from '../../lib/signing/keys.ts';
import { DAY_SEALS, sealMigrations } from '../../plugins/evidence/seals/sealer.ts';
import { folder } from '../store/setup.ts';

const { text, integer, integerOrNull, textOrNull } = columns;
const OLD_KEYS = defineTable('evidence_key', ['fingerprint'], {
  fingerprint: text(),
  pem: text(),
  since: integer(),
  retiredAt: integerOrNull(),
  reason: textOrNull(),
});
const OLD_SEALS = { ...DAY_SEALS, name: 'seals_day' };
const madeBy = (migrations: typeof sealMigrations, name: string) =>
  migrations.slice(-1).map(({ statements }) => ({ name, statements: statements.slice(0, 1) }));

t.test(
  'when the tables of an earlier release are opened, keys and seals are there, also after another start',
  async (t) => {
    const { open, clock } = folder(t);
    const store = await open();
    const keys = await store.tables('evidence', [OLD_KEYS], madeBy(signingKeyMigrations, '0001-keys'));
    const seals = await store.tables('seals', [OLD_SEALS], madeBy(sealMigrations, '0001-seals'));
    const key = { fingerprint: 'sha256:00', pem: 'PEM', since: 7, retiredAt: 9, reason: 'rotated' };
    const seal = {
      unitId: 'roof',
      day: '2026-11-20',
      version: 1,
      root: '00',
      rows: 3,
      replaces: null,
      kinds: [],
      digest: 'd',
    };
    const record = { n: 1, at: '2026-11-21T00:00:00.000Z', kind: 'seal' as const, prev: '0', hash: '1' };
    await keys.write((rows) => rows.put(OLD_KEYS, [key]));
    await seals.write((rows) => rows.put(OLD_SEALS, [{ ...seal, sealedAt: 5, record }]));
    await store.close();

    for (const start of ['first', 'second']) {
      const later = await open();
      const signing = await openSigningKeys(later, { note: async () => undefined }, clock);
      t.match(signing.retired(), [key], `${start} start`);
      signing.close();
      const tables = await later.tables('evidence', [DAY_SEALS], sealMigrations);
      t.match(await tables.read((rows) => rows.find(DAY_SEALS, {})), [seal], `${start} start`);
      const own = await later.tables('signing', [SIGNING_KEYS], signingKeyMigrations);
      t.equal((await own.read((rows) => rows.find(SIGNING_KEYS, {}))).length, 1);
      await later.close();
    }
  },
);

/** A key of evidence that the database stored without an answer: it signs when the database answers, and the audit log speaks of it once. */
import t from 'tap';
import { openSigningKeys, SIGNING_KEYS, signingKeyMigrations } from '../../lib/signing/keys.ts';
import { folder, until } from '../store/setup.ts';
import { unanswered } from '../support/unanswered.ts';

for (const stores of [true, false])
  t.test(`a key that was ${stores ? '' : 'not '}listed without an answer`, async (t) => {
    const { clock, open } = folder(t);
    const store = await open();
    const { tables, state } = unanswered(await store.tables('signing', [SIGNING_KEYS], signingKeyMigrations));
    const noted: unknown[] = [];
    const note = async (_kind: string, { fingerprint }: { readonly fingerprint?: unknown }) => {
      noted.push(fingerprint);
      return undefined;
    };
    const keys = await openSigningKeys({ tables: async () => tables, secrets: store.secrets }, { note }, clock);
    t.teardown(() => keys.close());
    const first = await keys.present();
    state.answers = false;
    state.stores = stores;
    await t.rejects(keys.rotate(), { code: 'STORAGE_FAILED' });
    t.equal(keys.fingerprint, first.fingerprint);
    await clock.advance(60_000);
    state.answers = state.stores = true;
    await clock.advance(5_000);
    await until(() => noted.length > 1);
    t.not(keys.fingerprint, first.fingerprint);
    t.strictSame(noted, [first.fingerprint, keys.fingerprint]);
    t.match(keys.retired(), [{ fingerprint: first.fingerprint, reason: 'rotated' }]);
    const last = await keys.rotate();
    t.equal(keys.retired().length, 2, 'one alone signs');
    t.equal(keys.fingerprint, last.fingerprint);
  });

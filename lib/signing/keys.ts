/**
 * The key of the gateway: Ed25519, made at its first use, its private half encrypted at rest like a password. Public
 * halves are kept for ever: a signature of an old key must stay recognisable.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AuditNotes } from '../audit/contract.ts';
import type { Clock } from '../clock.ts';
import { integer, integerOrNull, text, textOrNull } from '../domain/fields/columns.ts';
import { defineTable } from '../domain/fields/field.ts';
import type { Secrets, Store, TableMigration, Tables } from '../store/contract.ts';
import { SureChanges } from '../store/sure-changes.ts';
import type { GatewayKey, GatewayKeys } from './contract.ts';

/** Public keys as rows; private ones are secrets of the store. */
export const SIGNING_KEYS = defineTable('signing_key', ['fingerprint'], {
  fingerprint: text(),
  pem: text(),
  since: integer(),
  retiredAt: integerOrNull(),
  reason: textOrNull<'rotated' | 'lost'>(),
});

/** Migrations of the table. It belonged to the plugin `evidence`, and keeps its rows. */
export const signingKeyMigrations: readonly TableMigration[] = [
  {
    name: '0001-keys',
    statements: [
      `create table if not exists evidence_key (
        fingerprint text not null primary key,
        pem text not null,
        since integer not null,
        retired_at integer null,
        reason text null
      )`,
      'alter table evidence_key rename to signing_key',
    ],
  },
];

interface KeyParts {
  readonly tables: Tables;
  readonly secrets: Secrets;
  readonly audit: AuditNotes;
  readonly clock: Clock;
}

/** The owner and the name of the secret (PKCS #8, PEM), as 0.2.0 wrote them. */
const OWNER = 'evidence';
const SECRET = 'signing-key';

/**
 * Reads the keys. If the private half of the present key is lost, a new key replaces it, and the audit log records
 * that.
 */
export async function openSigningKeys(
  store: Pick<Store, 'tables' | 'secrets'>,
  audit: AuditNotes,
  clock: Clock,
): Promise<GatewayKeys & { close(): void }> {
  const tables = await store.tables('signing', [SIGNING_KEYS], signingKeyMigrations);
  const keys = new Keys({ tables, secrets: store.secrets(OWNER), audit, clock });
  await keys.load();
  return keys;
}

class Keys implements GatewayKeys {
  readonly #parts: KeyParts;
  #all: readonly GatewayKey[] = [];
  #private: KeyObject | undefined;
  readonly #changes: SureChanges;
  /** The key that the audit log has spoken of last. */
  #noted: string | undefined;

  constructor(parts: KeyParts) {
    this.#parts = parts;
    this.#changes = new SureChanges(parts.clock, () => this.#look());
  }

  get fingerprint(): string | null {
    return this.#present?.fingerprint ?? null;
  }

  async load(): Promise<void> {
    const { tables, secrets } = this.#parts;
    this.#all = await tables.read((rows) => rows.find(SIGNING_KEYS, { order: { since: 'asc' } }));
    const key = privateKeyOf(await secrets.get(SECRET));
    if (key) await this.#adopt(key, 'rotated');
    else if (this.#present) await this.#make('lost');
  }

  present(): Promise<GatewayKey> {
    return this.#changes.inTurn(async () => this.#present ?? this.#make('rotated'));
  }

  retired(): readonly GatewayKey[] {
    return this.#all.filter(({ retiredAt }) => retiredAt !== null).reverse();
  }

  sign(fingerprint: string, message: Uint8Array): Uint8Array {
    if (!this.#private || fingerprint !== this.fingerprint) throw new Error('the signing key was changed meanwhile');
    return signEd25519(message, this.#private);
  }

  rotate(): Promise<GatewayKey> {
    return this.#changes.inTurn(() => this.#make('rotated'));
  }

  get #present(): GatewayKey | undefined {
    return this.#all.find(({ retiredAt }) => retiredAt === null);
  }

  close(): void {
    this.#changes.close();
  }

  /** A key that was stored without an answer signs from now on. */
  async #look(): Promise<void> {
    const before = this.fingerprint;
    await this.load();
    const now = this.fingerprint;
    if (now !== null && now !== before && now !== this.#noted) await this.#note(now, before, 'rotated');
  }

  async #note(fingerprint: string, replaces: string | null, reason: 'rotated' | 'lost'): Promise<void> {
    this.#noted = fingerprint;
    await this.#parts.audit.note('key', { fingerprint, replaces, reason: replaces === null ? 'first' : reason });
  }

  /** The private half is on the disk first: a key that is listed can sign. */
  async #make(reason: 'rotated' | 'lost'): Promise<GatewayKey> {
    const { privateKey } = generateKeyPairSync('ed25519');
    await this.#parts.secrets.put(SECRET, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    return this.#adopt(privateKey, reason);
  }

  /** Lists the key and retires the others, if that is not done yet: a process may have ended in between. */
  async #adopt(privateKey: KeyObject, reason: 'rotated' | 'lost'): Promise<GatewayKey> {
    const { tables, clock } = this.#parts;
    const publicKey = createPublicKey(privateKey);
    const fingerprint = fingerprintOf(publicKey);
    const present = this.#present;
    if (present?.fingerprint === fingerprint) {
      this.#private = privateKey;
      return present;
    }
    const at = clock.now();
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const fresh: GatewayKey = { fingerprint, pem, since: at, retiredAt: null, reason: null };
    const retired = this.#all.map((key) => (key.retiredAt === null ? { ...key, retiredAt: at, reason } : key));
    await tables.write((rows) => rows.put(SIGNING_KEYS, [...retired, fresh]));
    this.#all = [...retired, fresh];
    this.#private = privateKey;
    await this.#note(fingerprint, present?.fingerprint ?? null, reason);
    return fresh;
  }
}

function privateKeyOf(pem: string | undefined): KeyObject | undefined {
  return pem === undefined ? undefined : createPrivateKey(pem);
}

/** `sha256:` and the hex SHA-256 of the public key (DER, SPKI). */
export function fingerprintOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

/** The 64 bytes of a signature (RFC 8032). */
export const signEd25519 = (message: Uint8Array, privateKey: KeyObject): Uint8Array => sign(null, message, privateKey);

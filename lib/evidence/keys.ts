/**
 * The key that signs packages of evidence: Ed25519, made at first use, its private half sealed at rest like a password. Public halves are kept for
 * ever, so that old packages can be told from foreign ones.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AuditNotes } from '../audit/contract.ts';
import type { Clock } from '../clock.ts';
import type { Secrets, Store, Tables } from '../store/contract.ts';
import { SureChanges } from '../store/sure-changes.ts';
import type { EvidenceKey, EvidenceKeys, Predicate, SignedManifest } from './contract.ts';
import { EVIDENCE_KEYS, evidenceKeyMigrations } from './key-table.ts';
import { fingerprintOf, signManifest } from './signature.ts';

/** What the keys need. */
interface KeyParts {
  readonly tables: Tables;
  readonly secrets: Secrets;
  readonly audit: AuditNotes;
  readonly clock: Clock;
}

/** The name of the secret: PKCS #8, PEM. */
const SECRET = 'signing-key';

/** Reads the keys. Where the private half of the present key is gone, a new one takes its place, and the audit log says so. */
export async function openEvidenceKeys(
  store: Pick<Store, 'tables' | 'secrets'>,
  audit: AuditNotes,
  clock: Clock,
): Promise<EvidenceKeys & { close(): void }> {
  const tables = await store.tables('evidence', [EVIDENCE_KEYS], evidenceKeyMigrations);
  const keys = new Keys({ tables, secrets: store.secrets('evidence'), audit, clock });
  await keys.load();
  return keys;
}

class Keys implements EvidenceKeys {
  readonly #parts: KeyParts;
  #all: readonly EvidenceKey[] = [];
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
    this.#all = await tables.read((rows) => rows.find(EVIDENCE_KEYS, { order: { since: 'asc' } }));
    const key = privateKeyOf(await secrets.get(SECRET));
    if (key) await this.#adopt(key, 'rotated');
    else if (this.#present) await this.#make('lost');
  }

  present(): Promise<EvidenceKey> {
    return this.#changes.inTurn(async () => this.#present ?? this.#make('rotated'));
  }

  retired(): readonly EvidenceKey[] {
    return this.#all.filter(({ retiredAt }) => retiredAt !== null).reverse();
  }

  sign(fingerprint: string, manifest: Uint8Array, predicate: Predicate): SignedManifest {
    if (!this.#private || fingerprint !== this.fingerprint)
      throw new Error('the key of evidence was changed meanwhile');
    return signManifest(manifest, predicate, this.#private);
  }

  rotate(): Promise<EvidenceKey> {
    return this.#changes.inTurn(() => this.#make('rotated'));
  }

  get #present(): EvidenceKey | undefined {
    return this.#all.find(({ retiredAt }) => retiredAt === null);
  }

  /** Nothing is looked up by itself any more. */
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
  async #make(reason: 'rotated' | 'lost'): Promise<EvidenceKey> {
    const { privateKey } = generateKeyPairSync('ed25519');
    await this.#parts.secrets.put(SECRET, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    return this.#adopt(privateKey, reason);
  }

  /** Lists the key and retires the others, if that is not done yet: a process may have ended in between. */
  async #adopt(privateKey: KeyObject, reason: 'rotated' | 'lost'): Promise<EvidenceKey> {
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
    const fresh: EvidenceKey = { fingerprint, pem, since: at, retiredAt: null, reason: null };
    const retired = this.#all.map((key) => (key.retiredAt === null ? { ...key, retiredAt: at, reason } : key));
    await tables.write((rows) => rows.put(EVIDENCE_KEYS, [...retired, fresh]));
    this.#all = [...retired, fresh];
    this.#private = privateKey;
    await this.#note(fingerprint, present?.fingerprint ?? null, reason);
    return fresh;
  }
}

/** Undefined: there is none that can be read. */
function privateKeyOf(pem: string | undefined): KeyObject | undefined {
  return pem === undefined ? undefined : createPrivateKey(pem);
}

/** Checks that the key of the credentials is the key of the database. A refusal says what to do. */
import { type DatabaseAddress, databaseWords } from '../domain/database-address.ts';
import { adoptDraft, draftedKey, keyFromFile, keyFromText } from './keys.ts';
import { StoreError } from './problem.ts';
import type { Database } from './rows.ts';
import { createSealer, KEY_PROOF, proofOf, proves, type Sealer } from './secrets.ts';

export interface KeySource {
  /** The data folder, in which the key must not lie. Absolute. */
  readonly dataDir: string;
  readonly keyFile: string;
  /** In place of the file. */
  readonly secretKey?: string | undefined;
}

/** Words about a database with sealed values. */
export interface SealedPlace {
  readonly name: string;
  /** Advice about the database if its key is lost. */
  readonly away: string;
}

export const serverPlace = (server: DatabaseAddress): SealedPlace => ({
  name: `the database ${databaseWords(server)}`,
  away: 'use another database',
});

/** The first start stores an encrypted proof; every later start must decrypt it first. Throws StoreError `key`. */
export async function sealerFor(
  database: Pick<Database, 'fact' | 'putFact'>,
  source: KeySource,
  place: SealedPlace,
): Promise<Sealer> {
  const proof = await database.fact(KEY_PROOF);
  const sealer = await givenSealer(source, proof === undefined);
  if (proof === undefined) await database.putFact(KEY_PROOF, proofOf(sealer));
  else if (!proves(sealer, proof)) {
    const drafted = await draftedSealer(source, proof);
    if (!drafted) throw otherKey(source, place);
    // Completes a rotation that was interrupted between the database and the key file: the draft is then the key.
    await adoptDraft(source.keyFile);
    return drafted;
  }
  return sealer;
}

/** Throws StoreError `key` where `sealerFor` would, for a database with this proof; changes nothing. */
export async function refuseOtherKey(proof: string, source: KeySource, place: SealedPlace): Promise<void> {
  if (proves(await givenSealer(source, false), proof)) return;
  if (!(await draftedSealer(source, proof))) throw otherKey(source, place);
}

async function givenSealer({ secretKey, keyFile, dataDir }: KeySource, mayCreate: boolean): Promise<Sealer> {
  return createSealer(await (secretKey ? keyFromText(secretKey) : keyFromFile(keyFile, dataDir, mayCreate)));
}

async function draftedSealer({ secretKey, keyFile }: KeySource, proof: string): Promise<Sealer | undefined> {
  const drafted = secretKey ? undefined : await draftedKey(keyFile);
  const sealer = drafted && createSealer(drafted);
  return sealer && proves(sealer, proof) ? sealer : undefined;
}

const otherKey = ({ secretKey, keyFile }: KeySource, { name, away }: SealedPlace) =>
  new StoreError(
    'key',
    `${name} was written with another key than ${secretKey ? 'SLM_SECRET_KEY' : `the file ${keyFile}`}: ` +
      `start with the key it was written with; if that is lost, ${away}, start once with --accept-loss, and enter the configs again`,
  );

/** A key that signs links and buttons, and checks them when they come back: made at the first use, kept encrypted. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../../lib/index.ts';

const KEY_BYTES = 32;

/** HMAC-SHA-256. */
export class SigningKey {
  readonly #secrets: Secrets;
  readonly #name: string;
  #key: Promise<string> | undefined;

  /** `name`: the name of the key in the store of secrets. */
  constructor(secrets: Secrets, name: string) {
    this.#secrets = secrets;
    this.#name = name;
  }

  /** Base64url. Errors: those of the store of secrets. */
  async sign(signed: readonly unknown[]): Promise<string> {
    return createHmac('sha256', await this.#read())
      .update(JSON.stringify(signed))
      .digest('base64url');
  }

  /** The comparison takes the same time for every wrong signature. */
  async isOf(signature: string, signed: readonly unknown[]): Promise<boolean> {
    const right = Buffer.from(await this.sign(signed));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #read(): Promise<string> {
    this.#key ??= this.#open().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #open(): Promise<string> {
    const kept = await this.#secrets.get(this.#name);
    if (kept !== undefined) return kept;
    const made = randomBytes(KEY_BYTES).toString('base64url');
    await this.#secrets.put(this.#name, made);
    return made;
  }
}

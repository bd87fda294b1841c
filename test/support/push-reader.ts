/** A browser's side of Web Push, written from RFC 8188, 8291 and 8292 with `node:crypto` alone: nothing of it is used by the gateway. */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';

const TAG_BYTES = 16;
const RAW_POINT = 65;

const hkdf = (key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/** The content of `aes128gcm` (RFC 8188): salt, size of records, id of the key, records. */
export function decoded(body: Buffer, keyOf: (keyId: Buffer, salt: Buffer) => Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const recordBytes = body.readUInt32BE(16);
  const start = 21 + (body[20] ?? 0);
  const key = keyOf(body.subarray(21, start), salt);
  const secret = hkdf(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const base = hkdf(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const parts: Buffer[] = [];
  for (let at = start, count = 0; at < body.length; at += recordBytes, count++) {
    const record = body.subarray(at, at + recordBytes);
    const nonce = Buffer.from(base);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ count) >>> 0, 8);
    const decipher = createDecipheriv('aes-128-gcm', secret, nonce).setAuthTag(record.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
    const end = plain.findLastIndex((byte) => byte !== 0);
    const isLast = at + recordBytes >= body.length;
    if (plain[end] !== (isLast ? 2 : 1)) throw new Error(`record ${count} ends with ${plain[end]}`);
    parts.push(plain.subarray(0, end));
  }
  return Buffer.concat(parts);
}

/** A browser that has subscribed. `keys`: of a published example. */
export class PushBrowser {
  readonly #ecdh = createECDH('prime256v1');
  readonly #auth: Buffer;

  constructor(keys?: { readonly privateKey: string; readonly auth: string }) {
    if (keys) this.#ecdh.setPrivateKey(Buffer.from(keys.privateKey, 'base64url'));
    else this.#ecdh.generateKeys();
    this.#auth = keys ? Buffer.from(keys.auth, 'base64url') : randomBytes(16);
  }

  get keys() {
    return { p256dh: this.#ecdh.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
  }

  /** RFC 8291, 3.4 */
  read(body: Buffer): string {
    return decoded(body, (sender) => {
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#ecdh.getPublicKey(), sender]);
      return hkdf(this.#ecdh.computeSecret(sender), this.#auth, info, 32);
    }).toString();
  }
}

/** Checks of a push service (RFC 8292): the claims and the key. Throws on a wrong signature. */
export function vapidOf(authorization: string): { readonly claims: Record<string, unknown>; readonly key: string } {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== RAW_POINT) throw new Error(`a key of ${point.length} bytes`);
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const public_ = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = Buffer.from(`${head}.${claims}`);
  const isRight = verify(
    'sha256',
    signed,
    { key: public_, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isRight) throw new Error('the signature of the token is wrong');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key };
}

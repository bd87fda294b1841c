/** Signs a manifest: Ed25519 (RFC 8032) over a statement of in-toto in an envelope of DSSE. */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../domain/canonical-json.ts';
import type { Predicate, SignedManifest } from './contract.ts';
import { base64Of, PAYLOAD_TYPE, preAuthenticationEncoding, statementText } from './manifest.ts';

/** By its private key. The key stays in its object. */
export function signManifest(manifest: Uint8Array, predicate: Predicate, privateKey: KeyObject): SignedManifest {
  const payload = Buffer.from(statementText(manifest, predicate));
  const publicKey = createPublicKey(privateKey);
  const signature = signEd25519(preAuthenticationEncoding(PAYLOAD_TYPE, payload), privateKey);
  const envelope = canonicalJson({
    payloadType: PAYLOAD_TYPE,
    payload: base64Of(payload),
    signatures: [{ keyid: fingerprintOf(publicKey), sig: base64Of(signature) }],
  });
  return { envelope, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), signature };
}

/** `sha256:` and the hex SHA-256 of the public key (DER, SPKI). */
export function fingerprintOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

/** The 64 bytes of a signature. */
export function signEd25519(message: Uint8Array, privateKey: KeyObject): Uint8Array {
  return sign(null, message, privateKey);
}

/** Whether the signature is of this message and key. */
export function verifyEd25519(message: Uint8Array, signature: Uint8Array, publicKey: KeyObject): boolean {
  return verify(null, message, publicKey, signature);
}

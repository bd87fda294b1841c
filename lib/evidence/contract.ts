/** The keys of evidence and what they sign, as the rest of the gateway sees them. */

/** When, and for what: the part of the statement that is this project's own. */
export interface Predicate {
  /** RFC 3339 in UTC. */
  readonly signed_at: string;
  readonly unit_id: string;
  readonly from: string;
  readonly to: string;
  /** `ATTACHED`, or why there is no time stamp. Packages of earlier versions do not say it. */
  readonly stamp?: string;
}

/** A signed manifest. */
export interface SignedManifest {
  /** The text of `signature/envelope.json`. */
  readonly envelope: string;
  /** PEM, SPKI. */
  readonly publicKey: string;
  /** 64 bytes: a time stamp is over their SHA-256. */
  readonly signature: Uint8Array;
}

/** A public key that signs, or once did. */
export interface EvidenceKey {
  /** `sha256:` and the hex SHA-256 of the key (DER, SPKI). */
  readonly fingerprint: string;
  /** SPKI. */
  readonly pem: string;
  /** Ms since 1970 UTC. */
  readonly since: number;
  /** Null: it signs now. */
  readonly retiredAt: number | null;
  /** Why it signs no more; `lost`: its private half could not be read. */
  readonly reason: 'rotated' | 'lost' | null;
}

/** Whose key it is, as everybody in the gateway may see it. */
export interface EvidenceKeys {
  /** Of the key that signs; null while none was needed yet. */
  readonly fingerprint: string | null;
  /** The key that signs; the first call of a gateway makes it. Errors: STORAGE_FULL, STORAGE_FAILED. */
  present(): Promise<EvidenceKey>;
  /** Those that sign no more, the latest first. */
  retired(): readonly EvidenceKey[];
  /** Signs with the key of this fingerprint. Throws when it is not the present one any more. */
  sign(fingerprint: string, manifest: Uint8Array, predicate: Predicate): SignedManifest;
  /** Makes another key; the present one, if there is one, signs no more. Errors: STORAGE_FULL, STORAGE_FAILED. */
  rotate(): Promise<EvidenceKey>;
}

/** The signing keys of the gateway, for the rest of the gateway. */

/** A public key that signs, or once did. */
export interface GatewayKey {
  /** `sha256:` and the hex SHA-256 of the key (DER, SPKI). */
  readonly fingerprint: string;
  readonly pem: string;
  readonly since: number;
  /** Null: it signs now. */
  readonly retiredAt: number | null;
  /** Why it signs no more; `lost`: its private half could not be read. */
  readonly reason: 'rotated' | 'lost' | null;
}

/** The key of this gateway (Ed25519), and earlier keys. The private half never leaves it. */
export interface GatewayKeys {
  /** Fingerprint of the signing key; null while no key was needed yet. */
  readonly fingerprint: string | null;
  /** The key that signs; the first call of a gateway makes it. Errors: STORAGE_FULL, STORAGE_FAILED. */
  present(): Promise<GatewayKey>;
  /** The keys that sign no more, the latest first. */
  retired(): readonly GatewayKey[];
  /** The 64 bytes of a signature by the key of this fingerprint. Throws when another key signs now. */
  sign(fingerprint: string, message: Uint8Array): Uint8Array;
  /** Makes another key; the present one, if there is one, signs no more. Errors: STORAGE_FULL, STORAGE_FAILED. */
  rotate(): Promise<GatewayKey>;
}

/** The keys with which the gateway signs what it hands over, as the rest of the gateway sees them. */

/** A public key that signs, or once did. */
export interface GatewayKey {
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

/** The key of this gateway (Ed25519), and those before it. The private half leaves it in no case. */
export interface GatewayKeys {
  /** Of the key that signs; null while none was needed yet. */
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

/**
 * Content of the audit log, its writers and readers. Records are only added; each has the hash of the record before.
 */

/** Facts about a finished request that may change something. May contain secrets: the log masks them. */
export interface AuditEntry {
  readonly request: string;
  /** Name of the API key; `anybody` if no key is needed. */
  readonly who: string;
  readonly keyId: string | null;
  readonly role: string;
  readonly address: string;
  readonly method: string;
  /** As the route is defined: `/{unit_id}/clock`. */
  readonly route: string;
  /** Empty on a route without a unit. */
  readonly unitId: string;
  /** Parameters of path and query besides the unit, such as rule or span. Undefined if they were malformed. */
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
  readonly before: unknown;
  readonly status: number;
  /** Only for a refusal. */
  readonly code: string | undefined;
  /** The answer without its status word, or the text of a refusal, with the words of the meter. */
  readonly answer: unknown;
}

/** Where changes are recorded. */
export interface AuditWriter {
  /**
   * Adds a record, at once in memory. Resolves when it is on the disk, together with others that arrived meanwhile.
   * Resolves also when the disk cannot be written or the audit log is full: changes continue then, and the log reports
   * the fault. Never rejects.
   */
  add(entry: AuditEntry): Promise<void>;
}

/** One line of the log. Times are UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export interface AuditRecord {
  /** 1, 2, 3 ... without a gap. */
  readonly n: number;
  readonly at: string;
  /**
   * `request`: a request. `anchor`: older records were removed regularly. `seal`: see `DaySeal`. `key`: see
   * `AuditNotes`.
   */
  readonly kind: 'request' | 'anchor' | 'seal' | 'key';
  readonly prev: string;
  /** SHA-256, hex, over `prev` and the record in canonical JSON without this field. */
  readonly hash: string;
  readonly [field: string]: unknown;
}

/** Stored data of a unit on a finished local day, as one hash: later changes of a row can be detected. */
export interface DaySeal {
  readonly unit_id: string;
  /** Local day, `YYYY-MM-DD`. */
  readonly day: string;
  /** 1, and one more each time the day was changed after its seal. */
  readonly version: number;
  /** Hex: the tree over the tables of the day. */
  readonly root: string;
  readonly rows: number;
  /** The root of the version before; null for the first. */
  readonly replaces: string | null;
}

/** Records the seals of days. */
export interface AuditSealer {
  /**
   * Resolves with the record when it is on the disk. Rejects when the disk cannot be written or the audit log is full:
   * the day stays unsealed, and the caller asks again for the same seal.
   */
  seal(seal: DaySeal): Promise<AuditRecord>;
}

/** Records actions of the gateway itself. */
export interface AuditNotes {
  /**
   * `key`: the gateway has a new signing key from now on. Resolves with the record when it is on the disk, or
   * when the disk cannot be written, as `AuditWriter.add`; undefined: the log is full. Never rejects.
   */
  note(kind: 'key', fields: Readonly<Record<string, unknown>>): Promise<AuditRecord | undefined>;
}

/** Filter for records. */
export interface AuditQuery {
  readonly unitId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
  /** Only records about these units; null: all. */
  readonly units: readonly string[] | null;
}

/** Reads records. */
export interface AuditReader {
  read(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

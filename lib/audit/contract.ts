/** What is in the audit log, and who writes and reads it. Records are only added; each has the hash of the one before. */

/** What is known of one request that may change something, when it is over. Secrets may be in here: the log masks them. */
export interface AuditEntry {
  /** The id of the request, as in the log and in X-Request-Id. */
  readonly request: string;
  /** Name of the API key, `anybody` where none is needed. */
  readonly who: string;
  readonly keyId: string | null;
  /** `viewer`, `operator` or `admin`. */
  readonly role: string;
  readonly address: string;
  readonly method: string;
  /** As the route is defined: `/{unit_id}/clock`. */
  readonly route: string;
  /** Empty on a route without one. */
  readonly unitId: string;
  /** What the path and the query name in addition to the unit: which rule, which span. Undefined if it was not well formed. */
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** The body of the request. Undefined if it was not well formed. */
  readonly body: unknown;
  /** The value before, if the gateway knows it. */
  readonly before: unknown;
  readonly status: number;
  /** Only for a refusal. */
  readonly code: string | undefined;
  /** The answer without its status word, or the text of a refusal: what the meter said is in there. */
  readonly answer: unknown;
}

/** Where changes are recorded. */
export interface AuditWriter {
  /**
   * Adds a record, at once in memory. Resolves when it is on the disk, together with others that came meanwhile; or when the disk
   * cannot be written or the audit log is full: changes go on then, and the log names it. Never rejects.
   */
  add(entry: AuditEntry): Promise<void>;
}

/** One line of the log. Times are UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export interface AuditRecord {
  /** 1, 2, 3 ... without a gap. */
  readonly n: number;
  readonly at: string;
  /** `request`: somebody asked for something. `anchor`: older records were removed, on purpose. `seal`: see `DaySeal`. `key`: see `AuditNotes`. */
  readonly kind: 'request' | 'anchor' | 'seal' | 'key';
  /** Hash of the record before; 64 zeros for the first. */
  readonly prev: string;
  /** SHA-256, hex, over `prev` and the record in canonical JSON without this field. */
  readonly hash: string;
  readonly [field: string]: unknown;
}

/** What was stored of a unit on a local day when the day was over, as one hash: whoever changes a row later cannot hide it. */
export interface DaySeal {
  readonly unit_id: string;
  /** Local day, `YYYY-MM-DD`. */
  readonly day: string;
  /** 1, and one more each time the day changed after it was sealed. */
  readonly version: number;
  /** Hex: the tree over the tables of the day. */
  readonly root: string;
  readonly rows: number;
  /** The root of the version before; null for the first. */
  readonly replaces: string | null;
}

/** Where the seals of days are recorded. */
export interface AuditSealer {
  /** Resolves with the record when it is on the disk. Rejects when the disk cannot be written or the audit log is full: the day stays unsealed, and the same seal is asked for again. */
  seal(seal: DaySeal): Promise<AuditRecord>;
}

/** Where the gateway records what it did by itself. */
export interface AuditNotes {
  /**
   * `key`: packages of evidence are signed by another key from now on. Resolves with the record when it is on the disk, or when the disk cannot
   * be written, as `AuditWriter.add`; undefined: the log is full. Never rejects.
   */
  note(kind: 'key', fields: Readonly<Record<string, unknown>>): Promise<AuditRecord | undefined>;
}

/** Which records are asked for. */
export interface AuditQuery {
  readonly unitId?: string | undefined;
  /** Only records with a smaller number. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Only records about these units; null: all. */
  readonly units: readonly string[] | null;
}

/** Where records are read. */
export interface AuditReader {
  /** The latest records that match, the newest first. */
  read(query: AuditQuery): Promise<readonly AuditRecord[]>;
}

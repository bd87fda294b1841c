/**
 * What the gateway answers, as types. Written by hand from the OpenAPI document; test/client/types.test.ts holds the names
 * and the nullability against it. Levels are numbers in dB, times ISO 8601 in UTC.
 */

export type Role = 'viewer' | 'operator' | 'admin';
export type Reachability = 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';

export interface About {
  readonly version: string;
  readonly time: string;
  readonly caller: { readonly name: string; readonly role: Role; readonly units: readonly string[] | null };
}

export interface LastError {
  readonly code: string;
  readonly detail: string;
  readonly at: string;
  readonly resolved_at: string | null;
}

/** The main channel of the display. */
export interface Levels {
  readonly lp: number | null;
  readonly leq: number | null;
  readonly lmax: number | null;
  readonly lmin: number | null;
  readonly lpeak: number | null;
  readonly le: number | null;
  readonly ln1: number | null;
  readonly ln2: number | null;
  readonly ln3: number | null;
  readonly ln4: number | null;
  readonly ln5: number | null;
}

/** One meter in GET _status and in the hello of WS _live. */
export interface Unit extends Levels {
  readonly unit_id: string;
  readonly name: string | null;
  readonly place: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly timezone: string;
  readonly tags: readonly string[];
  readonly tcp_enabled: boolean;
  readonly poll_enabled: boolean;
  readonly poll_interval_seconds: number;
  readonly history: 'off' | 'poll' | 'stream';
  readonly measurement_state: 'Measure' | 'Stop' | null;
  readonly over_range: boolean | null;
  readonly under_range: boolean | null;
  readonly battery_level: number | null;
  readonly battery_state: string | null;
  readonly power_source: 'Battery' | 'External' | 'USB' | null;
  readonly sd_remaining_mb: number | null;
  readonly sd_free_ratio: number | null;
  readonly measured_at: string | null;
  readonly lp_at: string | null;
  readonly state_at: string | null;
  readonly battery_at: string | null;
  readonly power_at: string | null;
  readonly sd_at: string | null;
  readonly stale: boolean;
  readonly frozen: boolean;
  readonly implausible: boolean;
  readonly warning: string | null;
  readonly measurement_start_time: string | null;
  readonly frequency_weighting: string | null;
  readonly time_weighting: string | null;
  readonly last_seen: string | null;
  readonly age_s: number | null;
  readonly state: Reachability;
  readonly reason: string;
  readonly is_reachable: boolean | null;
  readonly consecutive_failures: number;
  readonly last_error: LastError | null;
}

export interface Config {
  readonly unit_id: string;
  readonly host: string;
  readonly tcp_port: number;
  readonly tcp_enabled: boolean;
  readonly ftp_enabled: boolean;
  readonly ftp_port: number;
  readonly poll_enabled: boolean;
  readonly poll_interval_seconds: number;
  readonly name: string | null;
  readonly place: string | null;
  readonly timezone: string;
  readonly tags: readonly string[];
  readonly history: 'off' | 'poll' | 'stream';
  readonly ftp_credentials_set: boolean;
}

/** What PUT config takes: what is left out stays as it is. */
export type ConfigChange = Partial<Omit<Config, 'unit_id' | 'ftp_credentials_set'>> & {
  readonly ftp_username?: string;
  readonly ftp_password?: string;
};

export interface Session {
  readonly unit_id: string;
  readonly state: string;
  readonly state_text: string;
  readonly reservation: { readonly operation: string; readonly since: string; readonly held_s: number } | null;
  readonly waiting: readonly { readonly operation: string; readonly priority: string; readonly waited_s: number }[];
  readonly watchers: number;
  readonly connection: {
    readonly open: boolean;
    readonly since: string | null;
    readonly last_ending: { readonly by: string; readonly reason: string; readonly at: string } | null;
    readonly retry_in_s: number | null;
  };
  readonly device_state: {
    readonly measuring: boolean | null;
    readonly paused: boolean | null;
    readonly store_name: string | null;
    readonly frequency_weighting: string | null;
    readonly time_weighting: string | null;
  };
  readonly clock: { readonly offset_s: number; readonly measured_at: string } | null;
  readonly shared_with: readonly string[];
  readonly ftp: { readonly sessions: number; readonly bytes_sent: number; readonly bytes_received: number };
  readonly counters: Readonly<Record<string, number | string>> | null;
}

export interface CardFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
  readonly modified_at?: string;
  readonly is_dir: boolean;
}

export interface HistoryWeighting {
  readonly frequency: 'A' | 'C' | 'Z';
  readonly time: 'F' | 'S' | 'I';
}

export type Cell = string | number | null;

export interface History {
  readonly unit_id: string;
  readonly from: string;
  readonly to: string;
  readonly step_s: number;
  readonly zone: string;
  readonly weighting: HistoryWeighting | null;
  readonly notes: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Extent {
  readonly unit_id: string;
  readonly first: string | null;
  readonly last: string | null;
  readonly gaps: readonly { readonly from: string; readonly to: string }[];
  readonly gap_count: number;
  readonly bytes: number;
}

export interface Day {
  readonly date: string;
  readonly hours: number;
  readonly lday: number | null;
  readonly levening: number | null;
  readonly lnight: number | null;
  readonly lden: number | null;
  readonly ldn: number | null;
  readonly cnel: number | null;
  readonly leq_24h: number | null;
  readonly l90: number | null;
  readonly lmax: number | null;
  readonly coverage: { readonly all: number };
  readonly valid: boolean;
  readonly reason: string | null;
}

export interface Indices {
  readonly zone: string;
  readonly preset: string;
  readonly days: readonly Day[];
}

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly unit_id: string | null;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: { readonly done: number; readonly total: number | null; readonly unit: string } | null;
  readonly message: string | null;
  readonly created_at: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** A message of WS _live. */
export type LiveEvent =
  | { readonly event: 'hello'; readonly time: string; readonly data: readonly Unit[] }
  | {
      readonly event: 'reading' | 'frame' | 'feed' | 'state' | 'reachability' | 'config' | 'alert' | 'job';
      readonly unit_id: string;
      readonly time: string;
      readonly missed: number;
      readonly data: Readonly<Record<string, unknown>>;
    };

export type Severity = 'info' | 'warning' | 'critical';

export interface AlertRule {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly severity: Severity;
  readonly kind: 'level' | 'device';
  readonly units?: readonly string[];
  readonly tag?: string;
  readonly quantity?: string;
  readonly window?: string;
  readonly limit_db?: number;
  readonly condition?: string;
}

/** What creates a rule. */
export type NewAlertRule = Omit<AlertRule, 'id' | 'enabled'>;

export interface AlertEvent {
  readonly id: string;
  readonly rule: string;
  readonly rule_name: string;
  readonly unit_id: string;
  readonly severity: Severity;
  readonly what: string;
  readonly limit: number | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number | null;
  readonly detail: string;
  readonly ack: { readonly by: string; readonly at: string; readonly note: string } | null;
}

/** What a rule would have done. */
export interface AlertPreview {
  readonly unit_id: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number;
}

/** What a limit still allows in its present window. */
export interface Budget {
  readonly rule: string;
  readonly name: string;
  readonly quantity: string;
  readonly limit_db: number;
  readonly window_to: string;
  readonly leq_so_far: number | null;
  readonly remaining_may_average_db: number | null;
  readonly will_exceed_at: string | null;
  readonly state: 'ok' | 'warning' | 'exceeded';
}

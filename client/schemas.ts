/**
 * The schemas of the OpenAPI document as types. Made by `npm run client:types`: change the schemas of the routes, not this
 * file. Levels are in dB, times are ISO 8601 in UTC.
 */

export interface About {
  readonly version: string;
  /** The time of the gateway. */
  readonly time: string;
  /** The families of meters that this gateway knows. */
  readonly families: readonly FamilyName[];
  /** The fingerprint of the key that signs packages of evidence; null: no key was needed yet. */
  readonly evidence_key: string | null;
  /** Other gateways whose units GET /_sites shows. */
  readonly sites: number;
  readonly caller: {
    /** Name of the API key; anybody if no key is needed. */
    readonly name: string;
    readonly role: 'viewer' | 'operator' | 'admin';
    /** The units that the key is limited to; null: all. */
    readonly units: readonly string[] | null;
    /** Whether a person signed in, and can sign out. */
    readonly session: boolean;
  };
}

export interface AcceptInvitationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: SignedIn;
}

export interface AcceptInvitationBody {
  /** The text behind # in the link, or the code from the log. */
  readonly token: string;
  /** up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit */
  readonly name: string;
  /** 12 to 256 characters. */
  readonly password: string;
}

export interface AcceptNoteProposalsAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: readonly NoteProposal[];
  /** Ids of the new exclusions. */
  readonly notes: readonly string[];
}

export interface AcceptNoteProposalsBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); it belongs to the span */
  readonly from: string;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); it does not belong to the span */
  readonly to: string;
  /** only proposals with one of these reasons; default: all */
  readonly reasons?: ReadonlyArray<'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other'>;
}

export interface AckAlertEventAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AlertEvent;
}

export interface AckAlertEventBody {
  /** a note without control characters */
  readonly note?: string;
  /** what the noise was, in a few words; null: not known. Absent: it does not change. */
  readonly cause?: string | null;
}

export interface AddObservationsAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly observations: number;
  readonly from: string;
  readonly to: string;
  /** Ids of the exclusions that the rules of units (`auto_exclude`) have written after this delivery. */
  readonly exclusions: ReadonlyArray<{
    readonly unit_id: string;
    readonly id: string;
  }>;
}

export interface AddPhoneAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Phone;
}

export interface AlertDay {
  readonly unit_id: string;
  /** By the clock of the unit. */
  readonly date: string;
  /** Events of level rules that were open on this day. */
  readonly count: number;
  /** Events among `count` whose whole time notes exclude: a calendar may leave them out. */
  readonly excluded: number;
  /** Events among `count` that began on this day, have no cause, and are not excluded. */
  readonly without_cause: number;
  /** The id of the first of them. */
  readonly first_without_cause: string | null;
  /** dB: of the event that is furthest above its limit. Excluded events count only if the day has no others. */
  readonly worst: number | null;
  /** dB: the limit of this event. */
  readonly limit: number | null;
  /** Of this event. */
  readonly rule_name: string;
  /** English texts of this object by the names of their fields, each for readers of other languages: a code for programs, the text with gaps and the values. A text that is not here is only in English. */
  readonly sentences: Readonly<Record<string, Sentence>>;
}

export interface AlertDelivery {
  /** an id, a whole number */
  readonly id: string;
  /** an id, a whole number */
  readonly target: string;
  /** The id of the event; null: a test. */
  readonly event: string | null;
  readonly unit_id: string | null;
  readonly type: 'opened' | 'critical' | 'closed' | 'revised' | 'escalated' | 'test';
  /** failed: no further try. A mail may have reached others of its addresses: see `outcome`. */
  readonly state: 'waiting' | 'done' | 'failed';
  readonly tries: number;
  /** The result of the last try. */
  readonly outcome: string;
  readonly created_at: string;
  readonly not_before: string;
  readonly ended_at: string | null;
}

export interface AlertEvent {
  /** an id, a whole number */
  readonly id: string;
  /** 0: an event of a gateway that was replaced. */
  readonly rule: string;
  readonly rule_name: string;
  readonly unit_id: string;
  readonly severity: 'info' | 'warning' | 'critical';
  /** The kind of its rule, such as level or device. */
  readonly kind: string;
  /** The quantity or the condition. */
  readonly what: string;
  /** Channel of the meter whose level it is about: main, sub1 ...; null: it is about no level. */
  readonly channel: string | null;
  /** Of limit, worst and revised: dB, %, s; null: they have none. */
  readonly unit: string | null;
  /** dB for a level rule, the threshold for a condition. */
  readonly limit: number | null;
  readonly window_from: string | null;
  /** The end of the last window that it covers. */
  readonly window_to: string | null;
  /** How many windows in a row it covers, from window_from to window_to; null: its rule has no windows. */
  readonly windows: number | null;
  readonly opened_at: string;
  /** null: it is open. */
  readonly closed_at: string | null;
  readonly worst: number | null;
  readonly worst_at: string | null;
  /** worst is the maximum of a row that reaches over the end of the window (of the meter, or of an import). The true maximum of the window is at most this value. */
  readonly worst_is_bound: boolean;
  /** From window_from, or opened_at where it has no window, to closed_at; null: it is open. */
  readonly duration_s: number | null;
  /** dB: sound exposure of this time, as far as it was measured; null: it is open, has no levels, or they are not A-weighted. */
  readonly lae: number | null;
  /** Seconds of this time with levels; null as for lae. */
  readonly measured_s: number | null;
  /** The loudest moment of this time (Lmax), to the second. */
  readonly loudest: {
    readonly at: string;
    /** dB */
    readonly level: number;
  } | null;
  /** Path and query below the base path that list the recordings of sound of this time, of GET /_recordings; null: it has no levels. */
  readonly recordings: string | null;
  /** Seconds of this time that notes exclude, of its channel. The event stays; null: it is about no level. */
  readonly excluded_s: number | null;
  readonly detail: string;
  /** English texts of this object by the names of their fields, each for readers of other languages: a code for programs, the text with gaps and the values. A text that is not here is only in English. */
  readonly sentences: Readonly<Record<string, Sentence>>;
  readonly escalated_at: string | null;
  /** What the noise was, as a person said; null: not said. */
  readonly cause: string | null;
  /** Its page in the dashboard; null: the setting public_url is empty. */
  readonly page: string | null;
  readonly ack: {
    readonly by: string;
    readonly at: string;
    readonly note: string;
    /** Notes of further answers, the oldest first. */
    readonly later: readonly EventNote[];
  } | null;
  readonly revised: {
    readonly value: number;
    readonly was: number | null;
    readonly at: string;
  } | null;
}

export interface AlertKinds {
  readonly rules: readonly AlertRuleKind[];
  readonly targets: readonly AlertTargetKind[];
}

export interface AlertPreview {
  readonly unit_id: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly window_from: string;
  readonly worst: number;
  readonly worst_at: string;
  /** worst is the maximum of a row that reaches over the end of the window (of the meter, or of an import). The true maximum of the window is at most this value. */
  readonly worst_is_bound: boolean;
}

export interface AlertRule {
  /** an id, a whole number */
  readonly id: string;
  /** a name without control characters */
  readonly name: string;
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  readonly enabled: boolean;
  readonly severity: 'info' | 'warning' | 'critical';
  /** Ids of the targets that get the messages. */
  readonly targets: readonly string[];
  /** a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to get a message, too */
  readonly ack_within?: string;
  /** Ids of targets. */
  readonly escalate_to?: readonly string[];
  /** Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight. */
  readonly schedule?: readonly RuleSchedule[];
  /** true: if units of an enabled rule record too little for it, history of their config is raised. Units that get its tag later follow. The answer names the changed units. */
  readonly record?: boolean;
  readonly kind: 'level' | 'device' | 'coverage' | 'instances';
  /** leq, lmax, lpeak, lieq, or l01 to l99 */
  readonly quantity?: string;
  /** A channel that its units record (history_channels of the config), such as main or sub1. Default main. */
  readonly channel?: string;
  /** scheduled: each time of the schedule as a whole, such as a day from 06:00 to 22:00. */
  readonly window?: '1m' | '5m' | '15m' | '30m' | '1h' | '8h' | '12h' | 'day' | 'evening' | 'night' | 'scheduled';
  /** Default clock. */
  readonly align?: 'clock' | 'sliding';
  readonly limit_db?: number;
  /** From this level on an event is open with the severity warning. Above limit_db the same event is critical; severity does not count then. */
  readonly amber_db?: number;
  /** The level at which a sliding event ends. Default 2 dB below limit_db, or below amber_db. */
  readonly clear_db?: number;
  /** Levels are compared as they are shown: with 1, 75.04 dB is not above 75, and 75.05 is. Default 1. */
  readonly decimals?: number;
  /** With windows of the clock: an event goes on while one window after the other breaks the limit. false: an event for each window. Default true. */
  readonly continue?: boolean;
  /** apply: levels that come while an exclusion of their channel is in force are as if they were not measured. ignore: they count. Default apply; older rules keep ignore. */
  readonly exclusions?: 'ignore' | 'apply';
  /** Default 0.5. */
  readonly min_coverage?: number;
  readonly condition?: 'unreachable' | 'wedged' | 'asleep' | 'stale' | 'frozen' | 'not_measuring' | 'over_range' | 'battery_below' | 'card_below' | 'clock_off' | 'calibration_due' | 'calibrator_expired' | 'calibration_drift' | 'ftp_failing' | 'not_recorded' | 'station_silent' | 'settings_changed' | 'weighting_changed';
  readonly threshold?: number;
  /** the weighting that the meter should have, such as AF */
  readonly weighting?: string;
  /** a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m */
  readonly for?: string;
  /** Default 75. */
  readonly least_percent?: number;
  readonly fault?: 'instance_silent' | 'meters_unowned';
  /** The watched condition in words. */
  readonly words: string;
  /** English texts of this object by the names of their fields, each for readers of other languages: a code for programs, the text with gaps and the values. A text that is not here is only in English. */
  readonly sentences: Readonly<Record<string, Sentence>>;
  /** no_data: at least one of its units gives too few levels for it, and `warnings` says why. no_units: no unit has its tag, so nothing is watched. off: it is not enabled. */
  readonly state: 'watched' | 'no_data' | 'no_units' | 'off';
  /** Units that give no levels for it, or too few. */
  readonly warnings: readonly AlertRuleWarning[];
  readonly created_at: string;
  readonly changed_at: string;
}

export interface AlertRuleChange {
  /** a name without control characters */
  readonly name: string;
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  readonly enabled?: boolean;
  readonly severity?: 'info' | 'warning' | 'critical';
  /** Ids of the targets that get the messages. */
  readonly targets?: readonly string[];
  /** a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to get a message, too */
  readonly ack_within?: string;
  /** Ids of targets. */
  readonly escalate_to?: readonly string[];
  /** Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight. */
  readonly schedule?: readonly RuleSchedule[];
  /** true: if units of an enabled rule record too little for it, history of their config is raised. Units that get its tag later follow. The answer names the changed units. */
  readonly record?: boolean;
  readonly kind: 'level' | 'device' | 'coverage' | 'instances';
  /** leq, lmax, lpeak, lieq, or l01 to l99 */
  readonly quantity?: string;
  /** A channel that its units record (history_channels of the config), such as main or sub1. Default main. */
  readonly channel?: string;
  /** scheduled: each time of the schedule as a whole, such as a day from 06:00 to 22:00. */
  readonly window?: '1m' | '5m' | '15m' | '30m' | '1h' | '8h' | '12h' | 'day' | 'evening' | 'night' | 'scheduled';
  /** Default clock. */
  readonly align?: 'clock' | 'sliding';
  readonly limit_db?: number;
  /** From this level on an event is open with the severity warning. Above limit_db the same event is critical; severity does not count then. */
  readonly amber_db?: number;
  /** The level at which a sliding event ends. Default 2 dB below limit_db, or below amber_db. */
  readonly clear_db?: number;
  /** Levels are compared as they are shown: with 1, 75.04 dB is not above 75, and 75.05 is. Default 1. */
  readonly decimals?: number;
  /** With windows of the clock: an event goes on while one window after the other breaks the limit. false: an event for each window. Default true. */
  readonly continue?: boolean;
  /** apply: levels that come while an exclusion of their channel is in force are as if they were not measured. ignore: they count. Default apply; older rules keep ignore. */
  readonly exclusions?: 'ignore' | 'apply';
  /** Default 0.5. */
  readonly min_coverage?: number;
  readonly condition?: 'unreachable' | 'wedged' | 'asleep' | 'stale' | 'frozen' | 'not_measuring' | 'over_range' | 'battery_below' | 'card_below' | 'clock_off' | 'calibration_due' | 'calibrator_expired' | 'calibration_drift' | 'ftp_failing' | 'not_recorded' | 'station_silent' | 'settings_changed' | 'weighting_changed';
  readonly threshold?: number;
  /** the weighting that the meter should have, such as AF */
  readonly weighting?: string;
  /** a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m */
  readonly for?: string;
  /** Default 75. */
  readonly least_percent?: number;
  readonly fault?: 'instance_silent' | 'meters_unowned';
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly words?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly sentences?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly state?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly warnings?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
}

export interface AlertRuleCheck {
  /** The watched condition in words: a name for the rule. */
  readonly words: string;
  /** English texts of this object by the names of their fields, each for readers of other languages: a code for programs, the text with gaps and the values. A text that is not here is only in English. */
  readonly sentences: Readonly<Record<string, Sentence>>;
  /** Units that record too little for it now. They record more once it is made, unless its `record` is false. */
  readonly warnings: readonly AlertRuleWarning[];
}

export interface AlertRuleDraft {
  /** a name without control characters */
  readonly name?: string;
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  readonly enabled?: boolean;
  readonly severity?: 'info' | 'warning' | 'critical';
  /** Ids of the targets that get the messages. */
  readonly targets?: readonly string[];
  /** a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to get a message, too */
  readonly ack_within?: string;
  /** Ids of targets. */
  readonly escalate_to?: readonly string[];
  /** Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight. */
  readonly schedule?: readonly RuleSchedule[];
  /** true: if units of an enabled rule record too little for it, history of their config is raised. Units that get its tag later follow. The answer names the changed units. */
  readonly record?: boolean;
  readonly kind: 'level' | 'device' | 'coverage' | 'instances';
  /** leq, lmax, lpeak, lieq, or l01 to l99 */
  readonly quantity?: string;
  /** A channel that its units record (history_channels of the config), such as main or sub1. Default main. */
  readonly channel?: string;
  /** scheduled: each time of the schedule as a whole, such as a day from 06:00 to 22:00. */
  readonly window?: '1m' | '5m' | '15m' | '30m' | '1h' | '8h' | '12h' | 'day' | 'evening' | 'night' | 'scheduled';
  /** Default clock. */
  readonly align?: 'clock' | 'sliding';
  readonly limit_db?: number;
  /** From this level on an event is open with the severity warning. Above limit_db the same event is critical; severity does not count then. */
  readonly amber_db?: number;
  /** The level at which a sliding event ends. Default 2 dB below limit_db, or below amber_db. */
  readonly clear_db?: number;
  /** Levels are compared as they are shown: with 1, 75.04 dB is not above 75, and 75.05 is. Default 1. */
  readonly decimals?: number;
  /** With windows of the clock: an event goes on while one window after the other breaks the limit. false: an event for each window. Default true. */
  readonly continue?: boolean;
  /** apply: levels that come while an exclusion of their channel is in force are as if they were not measured. ignore: they count. Default apply; older rules keep ignore. */
  readonly exclusions?: 'ignore' | 'apply';
  /** Default 0.5. */
  readonly min_coverage?: number;
  readonly condition?: 'unreachable' | 'wedged' | 'asleep' | 'stale' | 'frozen' | 'not_measuring' | 'over_range' | 'battery_below' | 'card_below' | 'clock_off' | 'calibration_due' | 'calibrator_expired' | 'calibration_drift' | 'ftp_failing' | 'not_recorded' | 'station_silent' | 'settings_changed' | 'weighting_changed';
  readonly threshold?: number;
  /** the weighting that the meter should have, such as AF */
  readonly weighting?: string;
  /** a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m */
  readonly for?: string;
  /** Default 75. */
  readonly least_percent?: number;
  readonly fault?: 'instance_silent' | 'meters_unowned';
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly words?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly sentences?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly state?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly warnings?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
}

export interface AlertRuleKind {
  readonly kind: string;
  /** For people: what a rule watches, or how a target sends. */
  readonly title: string;
  /** Fields beside those of every rule or target. */
  readonly fields: readonly FormField[];
  /** Whether POST /_alerts/rules/preview can try it. */
  readonly preview: boolean;
  /** About the gateway as a whole: such a rule takes neither units nor a tag, and its events have the unit_id _gateway. */
  readonly of_gateway: boolean;
}

export interface AlertRuleRecording {
  readonly unit_id: string;
  /** The present setting: readings or the stream. */
  readonly history: 'poll' | 'stream';
  readonly was: 'off' | 'poll';
}

export interface AlertRuleWarning {
  readonly unit_id: string;
  /** true: the unit would record the missing levels, if the rule is created or changed with `record` true. */
  readonly recordable: boolean;
  /** The reason why the rule cannot be judged fully at this unit. */
  readonly message: string;
}

export interface AlertTarget {
  /** an id, a whole number */
  readonly id: string;
  /** a name without control characters */
  readonly name: string;
  readonly enabled: boolean;
  /** Whether the end of an event is sent, too. */
  readonly resolved: boolean;
  /** Times at which only critical events are sent; the others wait for the end of these times. */
  readonly quiet?: readonly RuleSchedule[];
  /** IANA name of the clock of `quiet`. Default: the setting timezone. */
  readonly zone?: string;
  /** The language of mails and notifications. A phone that was subscribed in another language keeps that. Default en. */
  readonly language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  readonly kind: 'mail' | 'push' | 'webhook' | 'mqtt';
  readonly to?: readonly string[];
  /** Names of people and API keys whose phones get messages. Default: all that have subscribed. */
  readonly people?: readonly string[];
  /** For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883 */
  readonly url?: string;
  /** a topic of a broker: words of letters, digits, dashes and underscores with slashes between them */
  readonly topic?: string;
  /** the user at a broker */
  readonly username?: string;
  readonly secret_set: boolean;
  readonly created_at: string;
  readonly changed_at: string;
}

export interface AlertTargetChange {
  /** a name without control characters */
  readonly name: string;
  readonly enabled?: boolean;
  /** Whether the end of an event is sent, too. */
  readonly resolved?: boolean;
  /** Times at which only critical events are sent; the others wait for the end of these times. */
  readonly quiet?: readonly RuleSchedule[];
  /** IANA name of the clock of `quiet`. Default: the setting timezone. */
  readonly zone?: string;
  /** The language of mails and notifications. A phone that was subscribed in another language keeps that. Default en. */
  readonly language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  readonly kind: 'mail' | 'push' | 'webhook' | 'mqtt';
  readonly to?: readonly string[];
  /** Names of people and API keys whose phones get messages. Default: all that have subscribed. */
  readonly people?: readonly string[];
  /** For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883 */
  readonly url?: string;
  /** for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it */
  readonly secret?: string;
  /** a topic of a broker: words of letters, digits, dashes and underscores with slashes between them */
  readonly topic?: string;
  /** the user at a broker */
  readonly username?: string;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly secret_set?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
}

export interface AlertTargetKind {
  readonly kind: string;
  /** For people: what a rule watches, or how a target sends. */
  readonly title: string;
  /** Fields beside those of every rule or target. */
  readonly fields: readonly FormField[];
}

export interface ApiKey {
  /** Eight hexadecimal digits; the key begins with them. */
  readonly id: string;
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** At this moment; null: all units. */
  readonly units: readonly string[] | null;
  /** The units are those with one of these tags; null: they are not chosen by tag. */
  readonly tags: readonly string[] | null;
  readonly standing: 'good' | 'expired' | 'revoked';
  readonly created_at: string;
  /** null: never. */
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** null: never used. */
  readonly last_used_at: string | null;
}

export interface ApplyProfileAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job; null if there are several, see jobs. */
  readonly job: string | null;
  readonly jobs: ReadonlyArray<{
    readonly unit_id: string;
    /** Id of the job. */
    readonly job: string;
  }>;
  /** Units whose job could not be started. */
  readonly not_started: ReadonlyArray<{
    readonly unit_id: string;
    readonly code: string;
    readonly detail: string;
  }>;
}

export interface ApplyProfileBody {
  readonly units: readonly string[];
}

export interface AssessedDay {
  readonly date: string;
  readonly kind: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday';
  readonly verdict: 'met' | 'exceeded' | 'not_assessable' | 'no_limit';
  /** The meter drifted between the two calibrations around a part of it. */
  readonly doubtful: boolean;
  readonly figures: readonly AssessedFigure[];
  /** Where the preset counts events. */
  readonly events: readonly AssessedEvents[];
}

export interface AssessedEvents {
  readonly period: string;
  readonly assessable: boolean;
  readonly reason: string | null;
  readonly count: number | null;
  /** Number of events at or above each level. */
  readonly nat: ReadonlyArray<{
    readonly level: number;
    readonly count: number;
  }>;
  /** dB: exposure of all events. */
  readonly lae: number | null;
  /** Of the energy of the period. */
  readonly share: number | null;
}

export interface AssessedFigure {
  readonly figure: string;
  /** Null: of all periods. */
  readonly period: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** Real hours of its parts. */
  readonly hours: number;
  readonly coverage: number;
  /** dB: mean of the measured time. It does not include gaps. */
  readonly leq: number | null;
  /** dB: the same with the excluded time; null: nothing is excluded. */
  readonly leq_all: number | null;
  /** Seconds. */
  readonly excluded_s: number;
  /** dB: rating level; null where it is not assessable. */
  readonly lr: number | null;
  /** dB: the compared value: Lr, LN, emergence, difference or index; null if it is not assessable. */
  readonly value: number | null;
  /** dB */
  readonly limit: number | null;
  /** dB: limit minus value; below 0 it is exceeded. */
  readonly margin: number | null;
  /** Of a difference to the background: from 5 dB on adverse, from 10 dB on significant, depending on the context. */
  readonly impact: 'low' | 'adverse' | 'significant' | null;
  /** dB */
  readonly lmax: number | null;
  readonly lmax_at: string | null;
  /** dB */
  readonly peak_limit: number | null;
  /** Limits that are exceeded, dB: the level with one decimal, and its limit. */
  readonly over: ReadonlyArray<{
    readonly quantity: 'value' | 'lmax';
    readonly level: number;
    readonly limit: number;
  }>;
  readonly verdict: 'met' | 'exceeded' | 'not_assessable' | 'no_limit';
  readonly assessable: boolean;
  /** Why it is not assessable, or what to know of it. */
  readonly reasons: readonly string[];
  /** The window that counts, or the whole period. */
  readonly worst: WorstWindow | null;
}

export interface AssessedMean {
  readonly figure: string;
  /** dB: energy mean of the values of the assessable days, each day alike. */
  readonly mean: number | null;
  /** dB; null for fewer than two days. */
  readonly standard_error: number | null;
  /** Assessable days. */
  readonly days: number;
  /** Days that have it and are not assessable. */
  readonly left_out: readonly string[];
  /** dB */
  readonly highest: number | null;
  readonly highest_on: string | null;
  /** dB */
  readonly limit: number | null;
  /** The value that is compared with the limit. */
  readonly compared: 'leq' | 'rating' | 'percentile' | 'emergence' | 'difference' | 'index';
  /** Null: of all periods. */
  readonly period: string | null;
  /** Of a percentile: N of LN, %. */
  readonly percent: number | null;
  /** The worst window of this length counts, s; null: the whole period. */
  readonly window_s: number | null;
}

export interface AssessedPart {
  readonly from: string;
  readonly to: string;
  /** dB */
  readonly leq: number | null;
  /** Seconds. */
  readonly measured_s: number;
  /** dB, without the residual level; null: none was given, or they are too close. */
  readonly specific: number | null;
  /** dB */
  readonly tonal: number | null;
  /** dB */
  readonly impulse: number | null;
  /** dB */
  readonly low_frequency: number | null;
  /** dB */
  readonly other: number | null;
  /** dB: these four together, at most what the preset allows. */
  readonly added: number | null;
  /** dB that are added because people rest. */
  readonly rest: number;
  /** dB with everything. */
  readonly rated: number | null;
}

export interface Assessment {
  readonly unit_id: string;
  readonly zone: string;
  readonly preset: string;
  readonly title: string;
  readonly source: string;
  readonly status: 'unchecked' | 'confirmed';
  readonly area: string | null;
  /** The area in words. */
  readonly area_title: string | null;
  readonly calendar: string | null;
  /** Values that a person chose, as in the query. */
  readonly said: Readonly<Record<string, string>>;
  /** Of all levels but LCeq and LAIeq, which come from the channel that has them. */
  readonly channel: string;
  readonly weighting: Weighting | null;
  /** Changes whenever the rows of the history change that this was made of. */
  readonly rows: string | null;
  /** Ids of the notes whose time does not count; GET notes shows them. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  /** Times whose levels are doubtful, because the meter drifted. */
  readonly doubtful: readonly DoubtfulTime[];
  /** Remarks to read before you use these numbers. */
  readonly notes: readonly string[];
  readonly days: readonly AssessedDay[];
  readonly total: AssessmentSummary;
  /** By week, month or year, as asked for. */
  readonly groups: readonly AssessmentSummary[];
}

export interface AssessmentPreset {
  readonly name: string;
  /** A preset of this name comes with the gateway. */
  readonly built_in: boolean;
  /** Somebody wrote it here; DELETE removes it, or brings the built-in preset back. */
  readonly own: boolean;
  readonly status: 'unchecked' | 'confirmed';
  /** A check to make before an official report uses it. */
  readonly advice: string | null;
  readonly title: string;
  /** Where the numbers come from: standard, part, year. */
  readonly source: string;
  /** The person who compared it with the text of the standard; null: nobody. */
  readonly confirmed_by: string | null;
  /** evening: a night belongs to the day on which it begins; midnight: midnight cuts it. */
  readonly night_of: 'evening' | 'midnight';
  /** Together they fill each day of the week and holidays, without holes and overlaps. */
  readonly periods: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    readonly times: ReadonlyArray<{
      readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday'>;
      /** A time of day such as 07:00. */
      readonly from: string;
      /** A time of day up to 24:00. At or before `from`: on the next day. */
      readonly to: string;
    }>;
  }>;
  /** The numbers of the preset: for a period, or an index of all periods. */
  readonly figures: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly period: string | null;
    /** leq, or N of LN. */
    readonly quantity: 'leq' | number;
    /** The worst full window of this length counts; null: the whole period. */
    readonly window_s: number | null;
    /** Of an index: dB that each period counts more. */
    readonly weights?: Readonly<Record<string, number>>;
  }>;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly tonal: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly impulse: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly low_frequency: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly other: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** The addition for times of rest; in these areas, or everywhere (null). */
  readonly rest: {
    /** dB */
    readonly db: number;
    readonly times: ReadonlyArray<{
      readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday'>;
      /** A time of day such as 07:00. */
      readonly from: string;
      /** A time of day up to 24:00. At or before `from`: on the next day. */
      readonly to: string;
    }>;
    readonly areas: readonly string[] | null;
  } | null;
  /** All additions together, without the addition for rest, are at most this, dB. */
  readonly most_added: number | null;
  /** The level without the source. subtract: taken off where given; needed: without it nothing is assessable; emergence: the value is total minus residual. */
  readonly residual: 'subtract' | 'needed' | 'emergence';
  /** difference: the value is the rating level minus the background. */
  readonly background: 'none' | 'difference';
  /** How long the noise lasts changes the level or the limit, by period. */
  readonly duration: {
    readonly changes: 'level' | 'limit';
    readonly steps: Readonly<Record<string, ReadonlyArray<{
      readonly up_to_s: number;
      /** dB */
      readonly db: number;
    }>>>;
  } | null;
  readonly areas: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    readonly title: string;
    readonly limits: Readonly<Record<string, number>>;
  }>;
  /** Single peaks (LAFmax) may be so many dB above the limit of the figure. */
  readonly peaks_over: Readonly<Record<string, number>>;
  /** Single events that are counted in each period. */
  readonly events: {
    /** dB */
    readonly threshold: number | null;
    /** dB */
    readonly over_background: number | null;
    readonly min_s: number;
    readonly hold_s: number;
    readonly nat: readonly number[];
  } | null;
  /** Values are rounded so before they are compared. */
  readonly decimals: 0 | 1;
  /** Share of each part that has to be measured. */
  readonly min_coverage: number;
}

export interface AssessmentSummary {
  /** 2026-W47, 2026-11, 2026, or all. */
  readonly name: string;
  readonly met: number;
  readonly exceeded: number;
  readonly not_assessable: number;
  readonly no_limit: number;
  readonly figures: readonly AssessedMean[];
}

export interface AssistedCalibration {
  readonly from: string;
  /** An assistant that nobody ends is over then. */
  readonly ends_at: string;
  /** The person who began it. */
  readonly by: string;
  /** The id of its exclusion. */
  readonly note: string;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db: number;
  /** Found so far, the oldest first. */
  readonly tones: readonly CalibratorTone[];
}

export interface AuditRecord {
  /** Counts up without a gap. */
  readonly n: number;
  /** UTC. */
  readonly at: string;
  /** anchor: old months were removed. seal: the levels of a local day, as one hash. key: a new key signs packages of evidence from now on. */
  readonly kind: 'request' | 'anchor' | 'seal' | 'key';
  /** X-Request-Id of the request. */
  readonly request?: string;
  /** Name of the API key. */
  readonly who?: string;
  readonly key_id?: string | null;
  readonly address?: string;
  readonly method?: string;
  readonly route?: string;
  readonly unit_id?: string;
  /** Further parameters of path and query, such as the id of a rule or a span of time. Absent without such parameters. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** As in the request or the answer, with secrets masked; null if nothing is known. */
  readonly body?: unknown;
  /** As in the request or the answer, with secrets masked; null if nothing is known. */
  readonly before?: unknown;
  readonly status?: number;
  readonly code?: string | null;
  /** As in the request or the answer, with secrets masked; null if nothing is known. */
  readonly answer?: unknown;
  /** Number of records before this one that were lost. */
  readonly lost?: number;
  readonly removed_through?: number;
  readonly removed_hash?: string;
  /** Of a seal: the local day. */
  readonly day?: string;
  /** Of a seal: 1, and a higher number for each later change of the day. */
  readonly version?: number;
  /** Of a seal. */
  readonly root?: string;
  /** Of a seal: stored rows of the day. */
  readonly rows?: number;
  /** Of a seal: the root of the previous version. Of a key: the fingerprint of the previous key. */
  readonly replaces?: string | null;
  /** Of a key: the fingerprint of the new key. */
  readonly fingerprint?: string;
  /** Of a key: first, rotated or lost. */
  readonly reason?: string;
  readonly prev: string;
  readonly hash: string;
}

export interface Background {
  readonly of: 'LN90,15min';
  /** Quarters of an hour with at least three quarters of their time measured. */
  readonly count: number;
  /** Quarters of an hour with less, or without percentiles. */
  readonly left_out: number;
  readonly classes: ReadonlyArray<{
    /** dB */
    readonly level: number;
    readonly count: number;
  }>;
  /** dB: the class with the most; of equal classes the lowest. */
  readonly mode: number | null;
  /** dB */
  readonly median: number | null;
  /** dB */
  readonly lowest: number | null;
  /** dB */
  readonly highest: number | null;
}

export interface Budget {
  /** an id, a whole number */
  readonly rule: string;
  readonly name: string;
  readonly quantity: string;
  /** Channel of the meter that the limit is for. */
  readonly channel: string;
  readonly limit_db: number;
  readonly window_from: string;
  readonly window_to: string;
  readonly elapsed_s: number;
  readonly measured_s: number;
  /** For another quantity than leq: its value so far. */
  readonly leq_so_far: number | null;
  /** dB that the rest of the window may average; null: nothing is left, or there is no budget. */
  readonly remaining_may_average_db: number | null;
  /** If the noise of the last five minutes goes on; null: not within this window. */
  readonly will_exceed_at: string | null;
  /** no_data: nothing was measured in this window so far, half a minute after its beginning or later; or less than min_coverage of the rule, and note says what is missing. */
  readonly state: 'ok' | 'warning' | 'exceeded' | 'no_data';
  /** Why there is no budget; null if there is one. */
  readonly note: string | null;
}

export interface Calibration {
  readonly id: string;
  readonly unit_id: string;
  readonly created_at: string;
  /** 1, 2, 3 ...: each change makes a new one. */
  readonly version: number;
  /** Who made this version. */
  readonly changed_by: string;
  readonly changed_at: string;
  readonly removed: boolean;
  readonly time: string;
  readonly from: string | null;
  readonly to: string | null;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db: number;
  /** what the meter showed before it was adjusted, dB */
  readonly before_db: number;
  /** what it showed after it was adjusted; null: it was not adjusted, dB */
  readonly after_db: number | null;
  readonly calibrator: string;
  readonly serial: string;
  readonly certificate: string;
  /** the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown */
  readonly valid_until: string | null;
  readonly by: string;
  readonly text: string;
  /** All versions, the oldest first. Only with versions=true. */
  readonly versions: readonly CalibrationVersion[] | null;
}

export interface CalibrationVersion {
  /** 1, 2, 3 ...: each change makes a new one. */
  readonly version: number;
  /** Who made this version. */
  readonly changed_by: string;
  readonly changed_at: string;
  readonly removed: boolean;
  readonly time: string;
  readonly from: string | null;
  readonly to: string | null;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db: number;
  /** what the meter showed before it was adjusted, dB */
  readonly before_db: number;
  /** what it showed after it was adjusted; null: it was not adjusted, dB */
  readonly after_db: number | null;
  readonly calibrator: string;
  readonly serial: string;
  readonly certificate: string;
  /** the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown */
  readonly valid_until: string | null;
  readonly by: string;
  readonly text: string;
}

export interface CalibratorLevel {
  readonly from: string;
  readonly to: string;
  /** Levels that were read, ten a second. */
  readonly frames: number;
  /** Energetic mean of Lp, dB. */
  readonly level_db: number;
  /** The highest less the lowest Lp, dB. */
  readonly spread_db: number;
  /** The spread is at most 0.3 dB, as of a calibrator. */
  readonly steady: boolean;
  /** The level was above the range of the meter. */
  readonly over_range: boolean;
  /** Of the main channel, such as AF; null: not known. */
  readonly weighting: string | null;
  /** level_db less nominal_db; null: no nominal_db was given. */
  readonly deviation_db: number | null;
  /** The exclusion of this time; null: none was wanted. */
  readonly note: string | null;
}

export interface CalibratorTone {
  readonly from: string;
  readonly to: string;
  /** Energetic mean, dB. */
  readonly level_db: number;
  /** The highest less the lowest level, dB. */
  readonly spread_db: number;
  /** Level of the calibrator, dB: the nearest known one. */
  readonly nominal_db: number;
  /** level_db less nominal_db. */
  readonly deviation_db: number;
}

export interface CancelJobAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Job;
}

export interface Capabilities {
  readonly unit_id: string;
  readonly family: string;
  /** The family in words. */
  readonly title: string;
  /** The type of the meter, as it last said; null: not asked since the gateway started. */
  readonly model: string | null;
  /** The first channel is the main channel. */
  readonly channels: readonly string[];
  /** The same as `history_channels` of the config and `channel` of queries name them. */
  readonly history_channels: readonly string[];
  /** Levels that it shows, by their names in live and status. */
  readonly quantities: readonly string[];
  /** The fast stream; null: no stream. */
  readonly stream: {
    /** The length of a frame. */
    readonly frame_ms: number;
    readonly quantities: readonly string[];
  } | null;
  /** Folders of measurements on its card; null: its files cannot be fetched. */
  readonly files: {
    readonly roots: readonly string[];
  } | null;
  readonly settings: readonly SettingCapability[];
  /** The operations of the meter; others are refused with NOT_SUPPORTED before a byte is sent: `start`, `set_clock`, `battery` ... */
  readonly operations: readonly string[];
}

export interface CardFile {
  readonly name: string;
  /** Full path on the card. */
  readonly path: string;
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** <Mon> <DD> <YYYY>, date of the meter. */
  readonly modified: string;
  /** Time of the meter, no zone; only if the listing had a time. */
  readonly modified_at?: string;
  readonly is_dir: boolean;
}

export interface ChangeAssessmentPresetAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AssessmentPreset;
}

export interface ChangeAssessmentPresetBody {
  readonly title?: string;
  /** Where the numbers come from: standard, part, year. */
  readonly source?: string;
  /** The person who compared it with the text of the standard; null: nobody. */
  readonly confirmed_by?: string | null;
  /** evening: a night belongs to the day on which it begins; midnight: midnight cuts it. */
  readonly night_of?: 'evening' | 'midnight';
  /** Together they fill each day of the week and holidays, without holes and overlaps. */
  readonly periods?: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    readonly times: ReadonlyArray<{
      readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday'>;
      /** A time of day such as 07:00. */
      readonly from: string;
      /** A time of day up to 24:00. At or before `from`: on the next day. */
      readonly to: string;
    }>;
  }>;
  /** The numbers of the preset: for a period, or an index of all periods. */
  readonly figures?: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly period: string | null;
    /** leq, or N of LN. */
    readonly quantity: 'leq' | number;
    /** The worst full window of this length counts; null: the whole period. */
    readonly window_s: number | null;
    /** Of an index: dB that each period counts more. */
    readonly weights?: Readonly<Record<string, number>>;
  }>;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly tonal?: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly impulse?: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly low_frequency?: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** person: one of these values, by ear; takt: LAFTeq - LAeq over takts of 5 s; laieq, lceq: by steps of LAIeq - LAeq, LCeq - LAeq. */
  readonly other?: {
    readonly by: 'person';
    readonly values: readonly number[];
    readonly periods?: readonly string[];
  } | {
    readonly by: 'takt';
  } | {
    readonly by: 'laieq' | 'lceq';
    readonly steps: ReadonlyArray<{
      /** dB */
      readonly above: number;
      /** dB */
      readonly db: number;
    }>;
  } | null;
  /** The addition for times of rest; in these areas, or everywhere (null). */
  readonly rest?: {
    /** dB */
    readonly db: number;
    readonly times: ReadonlyArray<{
      readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday'>;
      /** A time of day such as 07:00. */
      readonly from: string;
      /** A time of day up to 24:00. At or before `from`: on the next day. */
      readonly to: string;
    }>;
    readonly areas: readonly string[] | null;
  } | null;
  /** All additions together, without the addition for rest, are at most this, dB. */
  readonly most_added?: number | null;
  /** The level without the source. subtract: taken off where given; needed: without it nothing is assessable; emergence: the value is total minus residual. */
  readonly residual?: 'subtract' | 'needed' | 'emergence';
  /** difference: the value is the rating level minus the background. */
  readonly background?: 'none' | 'difference';
  /** How long the noise lasts changes the level or the limit, by period. */
  readonly duration?: {
    readonly changes: 'level' | 'limit';
    readonly steps: Readonly<Record<string, ReadonlyArray<{
      readonly up_to_s: number;
      /** dB */
      readonly db: number;
    }>>>;
  } | null;
  readonly areas?: ReadonlyArray<{
    /** Up to 32 letters, digits, hyphens and underscores. */
    readonly name: string;
    readonly title: string;
    readonly limits: Readonly<Record<string, number>>;
  }>;
  /** Single peaks (LAFmax) may be so many dB above the limit of the figure. */
  readonly peaks_over?: Readonly<Record<string, number>>;
  /** Single events that are counted in each period. */
  readonly events?: {
    /** dB */
    readonly threshold: number | null;
    /** dB */
    readonly over_background: number | null;
    readonly min_s: number;
    readonly hold_s: number;
    readonly nat: readonly number[];
  } | null;
  /** Values are rounded so before they are compared. */
  readonly decimals?: 0 | 1;
  /** Share of each part that has to be measured. */
  readonly min_coverage?: number;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly name?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly built_in?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly own?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly status?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly advice?: unknown;
}

export interface ChangeCalibrationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Calibration;
}

export interface ChangeCalibrationBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); default: now */
  readonly time?: string;
  /** when the calibrator began to sound; null: not known */
  readonly from?: string | null;
  /** when it ended; null: not known */
  readonly to?: string | null;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db?: number;
  /** what the meter showed before it was adjusted, dB */
  readonly before_db?: number;
  /** what it showed after it was adjusted; null: it was not adjusted, dB */
  readonly after_db?: number | null;
  /** type of the calibrator: text of up to 100 characters */
  readonly calibrator?: string;
  /** serial number of the calibrator: text of up to 100 characters */
  readonly serial?: string;
  /** number of its certificate: text of up to 100 characters */
  readonly certificate?: string;
  /** the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown */
  readonly valid_until?: string | null;
  /** who made the check; default: the name of the caller: text of up to 100 characters */
  readonly by?: string;
  /** text of up to 2,000 characters */
  readonly text?: string;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly unit_id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly version?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_by?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly removed?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly versions?: unknown;
}

export interface ChangePersonAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Person;
}

export interface ChangePersonBody {
  readonly role?: 'viewer' | 'operator' | 'admin';
  /** These units only; null, the default: all. */
  readonly units?: readonly string[] | null;
  /** In place of units: those with one of these tags, also units that get the tag later. */
  readonly tags?: readonly string[] | null;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); the person may sign in until then; null: without an end */
  readonly until?: string | null;
  /** null: a proxy or an issuer signs the person in. */
  readonly password?: string | null;
}

export interface ChangeReportAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: KeptReport;
}

export interface ChangeReportBody {
  /** a name in one line, for lists and for the subject of a mail */
  readonly name: string;
  /** The units of the report. A caller who may see all of them may see the report. */
  readonly units?: readonly string[];
  /** In place of units, which then do not count: those with this tag when the report is made. Callers of all units, or by this tag, may see the report. */
  readonly tag?: string | null;
  /** What it is about and how often it is due: the local day, week (from Monday) or month before. none: only when somebody asks. */
  readonly period?: 'day' | 'week' | 'month' | 'none';
  /** a time such as 06:00 of the clock of `zone`, at which it is due on the day after its period. Where the clocks skip it, it is due as soon as they have jumped; where it comes twice, the first time. Never less than 5 minutes after the end of the period */
  readonly at?: string;
  /** Each run makes one document of each. */
  readonly formats?: ReadonlyArray<'pdf' | 'html' | 'csv' | 'xlsx'>;
  /** Ids of mail targets of alerts that get the documents of each run that was due. */
  readonly targets?: readonly string[];
  /** Of words, numbers and dates. What people entered stays as it is. */
  readonly lang?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  /** Channel of the meters that all figures are of: one that is recorded (history_channels of the config). A unit that does not record it says so; where no unit does, the report is refused. */
  readonly channel?: string;
  /** A name of GET _reports/templates. */
  readonly template?: string;
  /** Periods of the day, as `preset` of GET indices. */
  readonly periods?: 'eu' | 'eu-late' | 'it' | 'us' | 'cnel';
  /** Whose limits: `preset` of GET assessment. */
  readonly preset?: string;
  /** As of GET assessment. */
  readonly area?: string | null;
  /** As of GET assessment. */
  readonly calendar?: string | null;
  /** As of GET assessment. */
  readonly limits?: string | null;
  /** As of GET assessment. */
  readonly tonal?: string | null;
  /** As of GET assessment. */
  readonly impulse?: string | null;
  /** As of GET assessment. */
  readonly low_frequency?: string | null;
  /** As of GET assessment. */
  readonly other?: string | null;
  /** As of GET assessment. */
  readonly residual?: string | null;
  /** As of GET assessment. */
  readonly background?: string | null;
  /** As of GET assessment. */
  readonly duration_s?: string | null;
  /** Default: the names of the units. */
  readonly title?: string;
  /** up to 2,000 characters without control characters and marks that turn the direction of letters; lines stay lines */
  readonly remarks?: string;
  /** A name of GET _reports/letterheads. */
  readonly letterhead?: string | null;
  /** Of a PDF. */
  readonly paper?: 'a4' | 'letter';
  /** IANA name, such as Europe/Berlin. Default: the timezone of the first unit. */
  readonly zone?: string | null;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly next_due_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly last_run?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly warnings?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_by?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
}

export interface ChangeReportLetterheadAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: ReportLetterheadListed;
}

export interface ChangeReportLetterheadBody {
  /** the name of a letterhead: up to 64 letters, digits, . - and _, a letter or a digit first */
  readonly name?: string;
  /** Each below the other. */
  readonly lines?: readonly string[];
  /** A PNG or JPEG as Base64, at most 1 MB and 2,000 pixels on a side; null: none. */
  readonly logo?: string | null;
}

export interface ChangeReportTemplateAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: ReportTemplate;
}

export interface ChangeReportTemplateBody {
  /** the name of a template: up to 64 letters, digits, . - and _, a letter or a digit first */
  readonly name?: string;
  readonly title: string;
  /** In their order. */
  readonly sections: ReadonlyArray<'overview' | 'summary' | 'meter' | 'levels' | 'limits' | 'days' | 'charts' | 'exceedances' | 'events' | 'exclusions' | 'calibration' | 'weather' | 'left_out' | 'method'>;
  /** Titles of sections in the place of those of the language. */
  readonly titles?: {
    readonly overview?: string;
    readonly summary?: string;
    readonly meter?: string;
    readonly levels?: string;
    readonly limits?: string;
    readonly days?: string;
    readonly charts?: string;
    readonly exceedances?: string;
    readonly events?: string;
    readonly exclusions?: string;
    readonly calibration?: string;
    readonly weather?: string;
    readonly left_out?: string;
    readonly method?: string;
  };
  readonly built_in?: boolean;
}

export interface ChangeStationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Station;
}

export interface ChangeStationBody {
  readonly title?: string;
  /** IANA name: days and steps of its observations are those of its clock. Default: UTC. */
  readonly zone?: string;
  /** its place in words */
  readonly place?: string;
  /** the units that it is for; null: all of them */
  readonly units?: readonly string[] | null;
  /** the longest time of an observation without duration_s, which counts since the previous observation; default 600 */
  readonly interval_s?: number;
  /** the station is silent after so many seconds without an observation; null: three times interval_s or the length of its newest observation, the longer of both */
  readonly silent_after_s?: number | null;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly last_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly age_s?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly silent?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly silent_limit_s?: unknown;
}

export interface ChannelRecording {
  readonly channel: string;
  readonly state: 'off' | 'waiting' | 'recording' | 'full' | 'failing';
  readonly reason: string | null;
  readonly weighting: Weighting | null;
  readonly weighting_confirmed_at: string | null;
  readonly unweighted: number;
}

export interface CheckAlertRuleAnswer {
  readonly status: 'ok';
  readonly data: AlertRuleCheck;
}

export interface CheckAlertRuleBody {
  readonly rule: AlertRuleDraft;
}

export interface CheckReportFileAnswer {
  readonly status: 'ok';
  readonly data: CheckedFile;
}

export interface CheckedFile {
  readonly kept: boolean;
  /** The first time, where it was made more than once. Null: not kept. */
  readonly made_at: string | null;
}

export interface ClockReading {
  /** By the clock of the gateway. */
  readonly at: string;
  /** How far the clock of the meter was ahead; negative: behind. */
  readonly ahead_s: number;
  /** It may have been so much more or less. */
  readonly uncertainty_s: number;
}

export interface ClockSync {
  /** Time zone of the unit; the meter shows its time now. */
  readonly zone: string;
  /** The time that the meter showed after the clock was set. */
  readonly clock: string;
  /** Seconds ahead of the right time; less than 0: behind. */
  readonly offset_before_s: number;
  /** Seconds ahead of the right time; less than 0: behind. */
  readonly offset_after_s: number;
  /** Uncertainty of both offsets, plus or minus: the meter shows whole seconds, and a request takes time. */
  readonly uncertainty_s: number;
  readonly at: string;
}

export interface ClusterInstance {
  /** Made once, in the data folder of the instance. */
  readonly id: string;
  /** Setting `instance_name`. */
  readonly name: string;
  /** Where clients reach it. */
  readonly address: string;
  readonly version: string;
  /** active: it is the gateway. standby: it takes over when the active instance is gone. silent: it gives no sign of life. left: it was stopped regularly. */
  readonly state: 'active' | 'standby' | 'silent' | 'left';
  /** When its last sign of life came, by the clock of the instance that answers; null: none since that instance started. */
  readonly last_seen: string | null;
  /** The instance that answers. */
  readonly self: boolean;
}

export interface ColumnSeries {
  readonly columns: readonly string[];
  readonly channel: string | null;
  readonly weighting: Weighting | null;
}

export interface Config {
  readonly unit_id: string;
  /** Family of the meter: it decides its abilities and its protocol. */
  readonly family: string;
  /** Host name, IPv4 or IPv6 address. Required to create. No scheme, port or path. */
  readonly host: string;
  /** Control port of the meter. */
  readonly tcp_port: number;
  /** Whether commands may be sent. */
  readonly tcp_enabled: boolean;
  /** Whether files may be listed and downloaded. */
  readonly ftp_enabled: boolean;
  /** Kept for the client; the gateway makes no use of it. */
  readonly web_enabled: boolean;
  /** FTP port of the meter. */
  readonly ftp_port: number;
  /** active: the meter connects back, the only mode a real one has. */
  readonly ftp_mode: 'active' | 'passive';
  /** Whether the meter is read in the background. */
  readonly poll_enabled: boolean;
  /** Time between two background readings. */
  readonly poll_interval_seconds: number;
  /** Name for people, without control characters. */
  readonly name: string | null;
  /** Place of the meter, in words without control characters. */
  readonly place: string | null;
  /** Degrees, WGS 84, north is positive. */
  readonly latitude: number | null;
  /** Degrees, WGS 84, east is positive. */
  readonly longitude: number | null;
  /** Time zone of the place, an IANA name such as Europe/Berlin. Default: the setting timezone. */
  readonly timezone: string;
  /** Words to find and group units by. */
  readonly tags: readonly string[];
  /** Last day of the legal verification of the meter, such as 2027-12-31. */
  readonly verified_until: string | null;
  /** Last day of the SIM card of its modem, such as 2027-12-31. */
  readonly sim_valid_until: string | null;
  /** Recorded levels: none, the background readings, or the fast stream. */
  readonly history: 'off' | 'poll' | 'stream';
  /** Which channels are kept: main, and others that the meter gives (capabilities). Default main. */
  readonly history_channels: readonly string[];
  /** Copies of the files of the card. */
  readonly mirror: {
    /** Whether new files are fetched automatically. */
    readonly enabled: boolean;
    /** a time between two looks, such as 30m (at least 10m), 6h or 1d */
    readonly every: string;
    /** Folders on the card, with all that is in them. */
    readonly paths: readonly string[];
    /** Largest size of the copies in the gateway. */
    readonly max_gb: number;
    /** Most that is fetched in a local day; 0: no limit. */
    readonly max_mb_per_day: number;
    /** How long a copy stays after other bytes came under its path; 0: for ever. */
    readonly keep_replaced_days: number;
    /** Whether .rnd files become history. */
    readonly parse: boolean;
  };
  /** Whether a user name and a password are stored. */
  readonly ftp_credentials_set: boolean;
}

export interface ConfigChange {
  /** Family of the meter: it decides its abilities and its protocol. Default nl43. */
  readonly family?: string | null;
  /** Host name, IPv4 or IPv6 address. Required to create. No scheme, port or path. */
  readonly host?: string | null;
  /** Control port of the meter. Default 2255. */
  readonly tcp_port?: number | null;
  /** Whether commands may be sent. Default true. */
  readonly tcp_enabled?: boolean | null;
  /** Whether files may be listed and downloaded. Default false. */
  readonly ftp_enabled?: boolean | null;
  /** Kept for the client; the gateway makes no use of it. Default false. */
  readonly web_enabled?: boolean | null;
  /** FTP port of the meter. Default 21. */
  readonly ftp_port?: number | null;
  /** active: the meter connects back, the only mode a real one has. Default active. */
  readonly ftp_mode?: 'active' | 'passive' | null;
  /** text without control characters; the empty string removes it. Encrypted at rest, never part of an answer */
  readonly ftp_username?: string | null;
  /** text without control characters; the empty string removes it. Encrypted at rest, never part of an answer */
  readonly ftp_password?: string | null;
  /** Whether the meter is read in the background. Default true. */
  readonly poll_enabled?: boolean | null;
  /** Time between two background readings. Default 60. */
  readonly poll_interval_seconds?: number | null;
  /** Name for people, without control characters. */
  readonly name?: string | null;
  /** Place of the meter, in words without control characters. */
  readonly place?: string | null;
  /** Degrees, WGS 84, north is positive. */
  readonly latitude?: number | '' | null;
  /** Degrees, WGS 84, east is positive. */
  readonly longitude?: number | '' | null;
  /** Time zone of the place, an IANA name such as Europe/Berlin. Default: the setting timezone. Default UTC. */
  readonly timezone?: string | null;
  /** Words to find and group units by. */
  readonly tags?: readonly string[] | null;
  /** Last day of the legal verification of the meter, such as 2027-12-31. */
  readonly verified_until?: string | '' | null;
  /** Last day of the SIM card of its modem, such as 2027-12-31. */
  readonly sim_valid_until?: string | '' | null;
  /** Recorded levels: none, the background readings, or the fast stream. Default poll. */
  readonly history?: 'off' | 'poll' | 'stream' | null;
  /** Which channels are kept: main, and others that the meter gives (capabilities). Default main. */
  readonly history_channels?: readonly string[] | null;
  /** Copies of the files of the card. */
  readonly mirror?: {
    /** Whether new files are fetched automatically. Default false. */
    readonly enabled?: boolean | null;
    /** a time between two looks, such as 30m (at least 10m), 6h or 1d. Default 6h. */
    readonly every?: string | null;
    /** Folders on the card, with all that is in them. */
    readonly paths?: readonly string[] | null;
    /** Largest size of the copies in the gateway. Default 10. */
    readonly max_gb?: number | null;
    /** Most that is fetched in a local day; 0: no limit. Default 0. */
    readonly max_mb_per_day?: number | null;
    /** How long a copy stays after other bytes came under its path; 0: for ever. Default 0. */
    readonly keep_replaced_days?: number | null;
    /** Whether .rnd files become history. Default true. */
    readonly parse?: boolean | null;
  } | null;
  /** May be sent; it must be that of the path. */
  readonly unit_id?: string | null;
  /** May be sent and has no effect: the answer of a GET can be sent back. */
  readonly ftp_credentials_set?: unknown;
}

export interface CreateAlertRuleAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AlertRule;
  /** Units that record more from now on, for this rule. */
  readonly recording: readonly AlertRuleRecording[];
}

export interface CreateAlertRulesAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: readonly AlertRule[];
  /** Units that record more from now on, for these rules. */
  readonly recording: readonly AlertRuleRecording[];
}

export interface CreateAlertRulesBody {
  readonly rules: readonly NewAlertRule[];
}

export interface CreateAlertTargetAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AlertTarget;
  /** The reason why nothing can be sent to it now; absent: it can get messages. */
  readonly warning?: string;
}

export interface CreateCalibrationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Calibration;
}

export interface CreateCalibrationBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); default: now */
  readonly time?: string;
  /** when the calibrator began to sound; null: not known */
  readonly from?: string | null;
  /** when it ended; null: not known */
  readonly to?: string | null;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db: number;
  /** what the meter showed before it was adjusted, dB */
  readonly before_db: number;
  /** what it showed after it was adjusted; null: it was not adjusted, dB */
  readonly after_db?: number | null;
  /** type of the calibrator: text of up to 100 characters */
  readonly calibrator?: string;
  /** serial number of the calibrator: text of up to 100 characters */
  readonly serial?: string;
  /** number of its certificate: text of up to 100 characters */
  readonly certificate?: string;
  /** the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown */
  readonly valid_until?: string | null;
  /** who made the check; default: the name of the caller: text of up to 100 characters */
  readonly by?: string;
  /** text of up to 2,000 characters */
  readonly text?: string;
}

export interface CreateInvitationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Invitation;
  readonly link: string;
}

export interface CreateInvitationBody {
  readonly role: 'viewer' | 'operator' | 'admin';
  /** These units only; null, the default: all. */
  readonly units?: readonly string[] | null;
  /** In place of units: those with one of these tags, also units that get the tag later. */
  readonly tags?: readonly string[] | null;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); the person may sign in until then; null: without an end */
  readonly until?: string | null;
}

export interface CreateKeyAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: ApiKey;
  /** The API key itself. */
  readonly key: string;
}

export interface CreateKeyBody {
  /** up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit */
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** These units only; null, the default: all. */
  readonly units?: readonly string[] | null;
  /** In place of units: those with one of these tags, also units that get the tag later. */
  readonly tags?: readonly string[] | null;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); null, the default: never */
  readonly expires_at?: string | null;
}

export interface CreateNoteAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Note;
}

export interface CreateNoteBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); default: now */
  readonly from?: string;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); null: it goes on until you end it */
  readonly to?: string | null;
  /** note: explains a time; exclusion: the levels of this time do not count. */
  readonly kind: 'note' | 'exclusion';
  /** own_noise: of the people who measure; intrusion: somebody at the microphone. */
  readonly reason?: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  /** text of up to 2,000 characters, without control characters and marks that turn the direction of letters */
  readonly text?: string;
  /** channels of the meter in small letters, such as main or sub1; null: all */
  readonly channels?: readonly string[] | null;
}

export interface CreatePersonAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Person;
}

export interface CreatePersonBody {
  /** up to 64 letters, digits, spaces and . _ - @, beginning with a letter or digit */
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** These units only; null, the default: all. */
  readonly units?: readonly string[] | null;
  /** In place of units: those with one of these tags, also units that get the tag later. */
  readonly tags?: readonly string[] | null;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); the person may sign in until then; null: without an end */
  readonly until?: string | null;
  /** null: a proxy or an issuer signs the person in. */
  readonly password?: string | null;
}

export interface CreateReportAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: KeptReport;
}

export interface CreateReportBody {
  /** a name in one line, for lists and for the subject of a mail */
  readonly name: string;
  /** The units of the report. A caller who may see all of them may see the report. */
  readonly units?: readonly string[];
  /** In place of units, which then do not count: those with this tag when the report is made. Callers of all units, or by this tag, may see the report. */
  readonly tag?: string | null;
  /** What it is about and how often it is due: the local day, week (from Monday) or month before. none: only when somebody asks. */
  readonly period?: 'day' | 'week' | 'month' | 'none';
  /** a time such as 06:00 of the clock of `zone`, at which it is due on the day after its period. Where the clocks skip it, it is due as soon as they have jumped; where it comes twice, the first time. Never less than 5 minutes after the end of the period */
  readonly at?: string;
  /** Each run makes one document of each. */
  readonly formats?: ReadonlyArray<'pdf' | 'html' | 'csv' | 'xlsx'>;
  /** Ids of mail targets of alerts that get the documents of each run that was due. */
  readonly targets?: readonly string[];
  /** Of words, numbers and dates. What people entered stays as it is. */
  readonly lang?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  /** Channel of the meters that all figures are of: one that is recorded (history_channels of the config). A unit that does not record it says so; where no unit does, the report is refused. */
  readonly channel?: string;
  /** A name of GET _reports/templates. */
  readonly template?: string;
  /** Periods of the day, as `preset` of GET indices. */
  readonly periods?: 'eu' | 'eu-late' | 'it' | 'us' | 'cnel';
  /** Whose limits: `preset` of GET assessment. */
  readonly preset?: string;
  /** As of GET assessment. */
  readonly area?: string | null;
  /** As of GET assessment. */
  readonly calendar?: string | null;
  /** As of GET assessment. */
  readonly limits?: string | null;
  /** As of GET assessment. */
  readonly tonal?: string | null;
  /** As of GET assessment. */
  readonly impulse?: string | null;
  /** As of GET assessment. */
  readonly low_frequency?: string | null;
  /** As of GET assessment. */
  readonly other?: string | null;
  /** As of GET assessment. */
  readonly residual?: string | null;
  /** As of GET assessment. */
  readonly background?: string | null;
  /** As of GET assessment. */
  readonly duration_s?: string | null;
  /** Default: the names of the units. */
  readonly title?: string;
  /** up to 2,000 characters without control characters and marks that turn the direction of letters; lines stay lines */
  readonly remarks?: string;
  /** A name of GET _reports/letterheads. */
  readonly letterhead?: string | null;
  /** Of a PDF. */
  readonly paper?: 'a4' | 'letter';
  /** IANA name, such as Europe/Berlin. Default: the timezone of the first unit. */
  readonly zone?: string | null;
}

export interface CreateShareAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: NewShare;
}

export interface CreateShareBody {
  /** a name for administrators, in one line; the page does not show it */
  readonly name: string;
  /** The units of the page. It shows their names, not their ids. */
  readonly units?: readonly string[];
  /** In place of units: those with this tag, the first 20. A unit that gets the tag later is shown at once. */
  readonly tag?: string | null;
  /** live: the level of the last minute with a word for it; levels: the last 24 hours; indices: the last 7 days that are over; limits: the level rules of the units, and how often they were exceeded. */
  readonly show: ReadonlyArray<'live' | 'levels' | 'indices' | 'limits'>;
  /** Later levels are not shown. */
  readonly delay_s?: number;
  /** Levels are rounded to full steps of this size before anything is shown. */
  readonly round_db?: 0.1 | 0.5 | 1 | 2 | 5 | 10;
  /** the heading of the page, in one line */
  readonly title?: string;
  /** the measurement and its operator, for residents; lines may end with \n */
  readonly text?: string;
  /** origins of pages that may show it in a frame, such as https://town.example.org; none: no page may */
  readonly embed?: readonly string[];
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B): nothing from before is shown */
  readonly from?: string;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B): the end of the link, at most 731 days from now */
  readonly expires_at: string;
}

export interface CreateTicketAnswer {
  readonly status: 'ok';
  readonly ticket: string;
  readonly expires_in_s: number;
}

export interface CreateTicketBody {
  /** a unit_id */
  readonly unit_id?: string;
}

export interface Day extends IndexLevels {
  /** Local calendar. */
  readonly date: string;
}

export interface DaySeal {
  /** A local day of the unit, `YYYY-MM-DD`. */
  readonly day: string;
  /** 1, and one more each time the levels of the day changed after it was sealed. */
  readonly version: number;
  /** The tree over the tables of the day, see docs/evidence.md. */
  readonly root: string;
  /** Stored rows of the day. */
  readonly rows: number;
  /** The root of the version before. */
  readonly replaces: string | null;
  /** With their roots one table proves itself, also where another is no longer kept. */
  readonly kinds: readonly SealedTable[];
  readonly sealed_at: string;
  /** The record of the audit log that has the seal. */
  readonly audit: Readonly<Record<string, unknown>>;
}

export interface DeleteHistoryAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Seconds with data that were removed. */
  readonly removed_s: number;
}

export interface DeleteNoteAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Note;
}

export interface Distribution {
  readonly unit_id: string;
  readonly weighting: Weighting | null;
  /** Ids of the notes whose time does not count. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  /** Remarks to read before you use these numbers. */
  readonly notes: readonly string[];
  readonly coverage: number | null;
  /** Samples in classes of 1 dB: class 43 holds 42.5 up to 43.5. */
  readonly classes: ReadonlyArray<{
    /** dB */
    readonly level: number;
    readonly count: number;
  }>;
  readonly background: Background;
}

export interface Done {
  readonly status: 'ok';
  readonly message: string;
}

export interface DoubtfulTime {
  readonly from: string;
  readonly to: string;
  /** How far the meter moved between the two checks, dB. */
  readonly drift_db: number;
  /** Ids of the two checks. */
  readonly calibrations: readonly string[];
}

export interface DownloadFileBody {
  /** an absolute path on the card of the meter, without `..` and control characters */
  readonly remote_path: string;
}

export interface Drift {
  readonly unit_id: string;
  readonly applied_at: string;
  /** unknown: all read values are the same, but some were not read yet. */
  readonly state: 'same' | 'differs' | 'unknown';
  readonly differences: ReadonlyArray<{
    readonly setting: string;
    readonly wanted: string;
    readonly found: string;
    /** When it was last read or set. */
    readonly read_at: string;
  }>;
  readonly not_read: readonly string[];
  /** The oldest time at which a setting was read; null while a setting was never read. */
  readonly read_at: string | null;
}

export interface EndCalibrationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Calibration | null;
}

export interface EndCalibrationBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); default: now */
  readonly time?: string;
  /** when the calibrator began to sound; null: not known */
  readonly from?: string | null;
  /** when it ended; null: not known */
  readonly to?: string | null;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db?: number;
  /** what the meter showed before it was adjusted, dB */
  readonly before_db?: number;
  /** what it showed after it was adjusted; null: it was not adjusted, dB */
  readonly after_db?: number | null;
  /** type of the calibrator: text of up to 100 characters */
  readonly calibrator?: string;
  /** serial number of the calibrator: text of up to 100 characters */
  readonly serial?: string;
  /** number of its certificate: text of up to 100 characters */
  readonly certificate?: string;
  /** the last day of the certificate of the calibrator, such as 2027-03-31; null: unknown */
  readonly valid_until?: string | null;
  /** who made the check; default: the name of the caller: text of up to 100 characters */
  readonly by?: string;
  /** text of up to 2,000 characters */
  readonly text?: string;
}

export interface EventMessage {
  /** opened, critical, closed, revised or escalated. */
  readonly type: string;
  /** The name of the target; null: only an admin may know it. */
  readonly target: string | null;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly created_at: string;
  readonly ended_at: string | null;
}

export interface EventNote {
  readonly by: string;
  readonly at: string;
  readonly note: string;
}

export interface EvidenceKey {
  /** SHA-256 of the public key (DER, SPKI): compare it with the one of a package. */
  readonly fingerprint: string;
  /** The public key, SPKI. */
  readonly pem: string;
  readonly since: string;
  /** null: it signs now. */
  readonly retired_at: string | null;
  /** Why it signs no more. lost: its private half could not be read. */
  readonly reason: 'rotated' | 'lost' | null;
}

export interface EvidencePackage {
  /** That of the job that made it. */
  readonly id: string;
  readonly unit_id: string;
  readonly from: string;
  readonly to: string;
  /** The zone of its days. */
  readonly timezone: string;
  /** What is in it. Without it: everything that the caller may hand over. */
  readonly include: ReadonlyArray<'alerts' | 'audit' | 'calibrations' | 'clock' | 'files' | 'levels' | 'notes' | 'report' | 'settings'>;
  /** Of the whole ZIP. */
  readonly sha256: string;
  readonly bytes: number;
  /** Of the key that signed it. */
  readonly fingerprint: string;
  readonly made_at: string;
  /** Who stamped its signature (RFC 3161); null: nobody. */
  readonly stamped: EvidenceStamp | null;
  /** Why it is not stamped; null: it is, or it was made by an earlier version. */
  readonly not_stamped: string | null;
}

export interface EvidenceStamp {
  readonly at: string;
  /** The subject of the certificate of the authority. */
  readonly authority: string;
  /** SHA-256 of that certificate (DER). */
  readonly fingerprint: string;
  /** false: the certificate is not checked against a known authority, see `timestamp_ca_file`. */
  readonly is_known: boolean;
}

export interface Examination {
  readonly unit_id: string;
  /** Nothing has failed; there may be warnings. */
  readonly healthy: boolean;
  readonly checks: ReadonlyArray<{
    readonly check: 'config' | 'name' | 'address' | 'port' | 'reply' | 'identity' | 'sleep' | 'weightings' | 'clock' | 'ftp' | 'data connection' | 'sharing';
    /** warning: it works, but may be unwanted. skipped: an earlier step must be repaired first. */
    readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
    /** The result in words. */
    readonly detail: string;
    /** A step to repair it, for a person. */
    readonly advice: string | null;
    /** A command of `slm` that does it; null: none. */
    readonly command: string | null;
  }>;
}

export interface FamilyName {
  /** As in `family` of a config. */
  readonly name: string;
  /** In words. */
  readonly title: string;
}

export interface FeedChange {
  readonly unit_id: string;
  readonly timestamp: string;
  readonly feed_status: 'ok' | 'interrupted' | 'lost';
  readonly detail: string;
}

export interface FormChoice {
  readonly value: string;
  /** For people. */
  readonly words: string;
  /** Fields that belong to this choice. A field that also exists without the choice is narrowed by it. */
  readonly fields: readonly FormChoiceField[];
}

export interface FormChoiceField {
  /** The word of the API. */
  readonly name: string;
  readonly label: string;
  readonly type: 'choice' | 'number' | 'text' | 'secret' | 'switch' | 'list';
  readonly unit: string | null;
  readonly needed: boolean;
  /** The value of a missing field. */
  readonly default: string | number | boolean | null;
  /** What a new form shows. */
  readonly usual: string | number | boolean | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly pattern: string | null;
  readonly description: string | null;
  /** An example of a value. */
  readonly example: string | null;
  /** Another number to which this number keeps its distance: a form changes both, unless a person enters this number. */
  readonly follows: string | null;
  /** If a person gives no secret, a form makes one: this text and the base64 of 32 random bytes. */
  readonly generated: string | null;
  readonly choices: readonly FormPlainChoice[] | null;
}

export interface FormField {
  /** The word of the API. */
  readonly name: string;
  readonly label: string;
  readonly type: 'choice' | 'number' | 'text' | 'secret' | 'switch' | 'list';
  readonly unit: string | null;
  readonly needed: boolean;
  /** The value of a missing field. */
  readonly default: string | number | boolean | null;
  /** What a new form shows. */
  readonly usual: string | number | boolean | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly pattern: string | null;
  readonly description: string | null;
  /** An example of a value. */
  readonly example: string | null;
  /** Another number to which this number keeps its distance: a form changes both, unless a person enters this number. */
  readonly follows: string | null;
  /** If a person gives no secret, a form makes one: this text and the base64 of 32 random bytes. */
  readonly generated: string | null;
  readonly choices: readonly FormChoice[] | null;
}

export interface FormPlainChoice {
  readonly value: string;
  /** For people. */
  readonly words: string;
}

export interface Frame {
  readonly unit_id: string;
  /** When the gateway had the frame, UTC, ms. */
  readonly timestamp: string;
  /** Frames sent to this client, this one included. */
  readonly seq: number;
  /** Frames that this client did not get since its last frame, because it was slow. */
  readonly missed: number;
  /** Frames since the last frame that the meter did not send: its counter skipped them. */
  readonly lost_at_meter: number;
  /** The meter counts frames since its stream began, 1 to 600, then 1 again. */
  readonly counter: number;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly lp: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. Of this 100 ms interval, not of the measurement. */
  readonly leq: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. Of this 100 ms interval, not of the measurement. */
  readonly lmax: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. Of this 100 ms interval, not of the measurement. */
  readonly lmin: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. Of this 100 ms interval, not of the measurement. */
  readonly lpeak: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. Of this 100 ms interval, not of the measurement. Absent where the meter does not send it. */
  readonly lieq?: string | null;
  readonly over_range: boolean | null;
  readonly under_range: boolean | null;
  /** The state that the gateway last saw: a frame does not contain it. null: not known. */
  readonly measurement_state: 'Measure' | 'Stop' | null;
  /** The time on the clock of the meter with this frame; null: the stream of this meter does not contain it. */
  readonly device_time: string | null;
  /** Of the main channel, for all levels but lpeak, as the gateway last saw or set it; null: not known. */
  readonly frequency_weighting: 'A' | 'C' | 'Z' | null;
  /** The same for lp, lmax and lmin. */
  readonly time_weighting: 'F' | 'S' | 'I' | null;
}

export interface FrameEvent {
  readonly event: 'frame';
  readonly unit_id: string;
  readonly time: string;
  /** Messages sent to this client, this one included. */
  readonly seq: number;
  /** Readings and frames that this client did not get since its last message, because it was slow. */
  readonly missed: number;
  readonly data: {
    /** The meter counts frames since its stream began, 1 to 600, then 1 again. */
    readonly counter: number;
    /** dB; null: no value. */
    readonly lp: number | null;
    /** dB; null: no value. Of this 100 ms interval, not of the measurement. */
    readonly leq: number | null;
    /** dB; null: no value. Of this 100 ms interval, not of the measurement. */
    readonly lmax: number | null;
    /** dB; null: no value. Of this 100 ms interval, not of the measurement. */
    readonly lmin: number | null;
    /** dB; null: no value. Of this 100 ms interval, not of the measurement. */
    readonly lpeak: number | null;
    /** dB; null: no value. Of this 100 ms interval, not of the measurement. Absent where the meter does not send it. */
    readonly lieq?: number | null;
    readonly over_range: boolean | null;
    readonly under_range: boolean | null;
    /** The meter showed an impossible level; it is null here. */
    readonly implausible: boolean;
    /** The time on the clock of the meter with this frame; null: the stream of this meter does not contain it. */
    readonly device_time: string | null;
    /** Of the main channel, for all levels but lpeak, as the gateway last saw or set it; null: not known. */
    readonly frequency_weighting: 'A' | 'C' | 'Z' | null;
    /** The same for lp, lmax and lmin. */
    readonly time_weighting: 'F' | 'S' | 'I' | null;
  };
}

export interface GetAboutAnswer {
  readonly status: 'ok';
  readonly data: About;
}

export interface GetAlertDaysAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertDay[];
}

export interface GetAlertDeliveriesAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertDelivery[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetAlertEventAnswer {
  readonly status: 'ok';
  readonly data: AlertEvent;
  /** The oldest first. */
  readonly messages: readonly EventMessage[];
  readonly causes: readonly string[];
}

export interface GetAlertEventsAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertEvent[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetAlertKindsAnswer {
  readonly status: 'ok';
  readonly data: AlertKinds;
}

export interface GetAlertRuleAnswer {
  readonly status: 'ok';
  readonly data: AlertRule;
}

export interface GetAlertRulesAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertRule[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetAlertTargetAnswer {
  readonly status: 'ok';
  readonly data: AlertTarget;
}

export interface GetAlertTargetsAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertTarget[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetAllSettingsAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  /** The settings that the family of the meter has. */
  readonly settings: {
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly measurement_state?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly frequency_weighting?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly time_weighting?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly channel?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly measurement_time?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly leq_interval?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly lp_interval?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly index_number?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly battery_level?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly clock?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly sleep_mode?: string;
    /** The value as its own GET shows it, or `Error: <message>`. */
    readonly ftp_status?: string;
  };
}

export interface GetAuditAnswer {
  readonly status: 'ok';
  readonly records: readonly AuditRecord[];
  /** Value of `cursor` or `before` for the next page; null: no further page. */
  readonly next: number | null;
}

export interface GetBatteryAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  /** Per cent; null for a word without a known percentage. */
  readonly battery_level: string | null;
  /** The word of the meter; null when it gave a number. */
  readonly battery_state: string | null;
}

export interface GetBudgetAnswer {
  readonly status: 'ok';
  readonly data: readonly Budget[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetBudgetsAnswer {
  readonly status: 'ok';
  readonly data: readonly UnitBudget[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetCapabilitiesAnswer {
  readonly status: 'ok';
  readonly data: Capabilities;
}

export interface GetChannelAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  /** A channel that is off has no levels. The main channel is always on. */
  readonly state: 'On' | 'Off';
  readonly channel: 'Sub1' | 'Sub2' | 'Sub3';
}

export interface GetClockAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  /** YYYY/MM/DD,HH:MM:SS, local time of the meter, no zone. */
  readonly clock: string;
}

export interface GetClusterAnswer {
  readonly status: 'ok';
  /** Empty if the gateway keeps its data in its own folder: then it is the only instance. */
  readonly data: readonly ClusterInstance[];
}

export interface GetConfigAnswer {
  readonly status: 'ok';
  readonly data: Config;
  /** Only while another unit is the same meter. */
  readonly warning?: string;
}

export interface GetConfigsAnswer {
  readonly status: 'ok';
  readonly count: number;
  readonly units: readonly Config[];
}

export interface GetDoctorAnswer {
  readonly status: 'ok';
  readonly data: Examination;
}

export interface GetFileReconciliationAnswer {
  readonly status: 'ok';
  readonly data: readonly ReconciledHour[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetFilesAnswer {
  readonly status: 'ok';
  readonly data: readonly KeptFile[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetFrequencyWeightingAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly frequency_weighting: 'A' | 'C' | 'Z';
  readonly channel: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface GetFtpFilesAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly path: string;
  readonly count: number;
  readonly files: readonly CardFile[];
}

export interface GetFtpStatusAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly ftp_status: 'On' | 'Off';
  readonly ftp_enabled: boolean;
}

export interface GetHistoryAnswer {
  readonly status: 'ok';
  readonly data: History;
}

export interface GetHistoryDaysAnswer {
  readonly status: 'ok';
  readonly data: readonly HistoryDays[];
}

export interface GetHistoryExtentAnswer {
  readonly status: 'ok';
  readonly data: HistoryExtent;
}

export interface GetHistoryLinesAnswer {
  readonly status: 'ok';
  readonly data: HistoryLines;
}

export interface GetIndexNumberAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly index_number: string;
}

export interface GetIndicesAnswer {
  readonly status: 'ok';
  readonly data: Indices;
}

export interface GetJobAnswer {
  readonly status: 'ok';
  readonly data: Job;
}

export interface GetJobsAnswer {
  readonly status: 'ok';
  readonly data: readonly Job[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetLeqIntervalAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly leq_interval: string;
}

export interface GetLiveAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly data: Snapshot;
}

export interface GetLogAnswer {
  readonly status: 'ok';
  readonly data: readonly LogEntry[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetLpIntervalAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly lp_interval: 'Off' | '10ms' | '25ms' | '100ms' | '200ms' | '1s';
}

export interface GetMapAnswer {
  readonly status: 'ok';
  readonly data: MapTiles | null;
}

export interface GetMeasurementStateAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly measurement_state: 'Start' | 'Stop';
  readonly is_measuring: boolean;
  readonly is_paused: boolean | null;
}

export interface GetMeasurementTimeAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly measurement_time: string;
}

export interface GetPlanAnswer {
  readonly status: 'ok';
  readonly data: Plan;
}

export interface GetPollingConfigAnswer {
  readonly status: 'ok';
  readonly data: PollingConfig;
}

export interface GetPollingStatusAnswer {
  readonly status: 'ok';
  readonly count: number;
  /** Meters that are polled. */
  readonly active: number;
  readonly units: readonly UnitPolling[];
}

export interface GetProfileAnswer {
  readonly status: 'ok';
  readonly data: Profile;
}

export interface GetProfileDriftAnswer {
  readonly status: 'ok';
  readonly data: readonly Drift[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetProfilesAnswer {
  readonly status: 'ok';
  readonly data: readonly Profile[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface GetPushKeyAnswer {
  readonly status: 'ok';
  readonly data: PushKey;
}

export interface GetResultsAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly data: {
    /** dB, one decimal; null before the first measurement. */
    readonly leq: string | null;
    /** dB, one decimal; null before the first measurement. */
    readonly lmax: string | null;
    /** dB, one decimal; null before the first measurement. */
    readonly lmin: string | null;
    /** dB, one decimal; null before the first measurement. */
    readonly lpeak: string | null;
    /** dB, one decimal; null before the first measurement. */
    readonly lieq?: string | null;
  };
}

export interface GetScheduleAnswer {
  readonly status: 'ok';
  readonly data: Schedule;
}

export interface GetSealsAnswer {
  readonly status: 'ok';
  readonly data: readonly DaySeal[];
}

export interface GetSessionAnswer {
  readonly status: 'ok';
  readonly data: Session;
}

export interface GetSettingLogLevelsAnswer {
  readonly status: 'ok';
  readonly data: {
    readonly log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Level by part. Parts that are not named have the level `log_level`. */
    readonly levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error' | 'silent'>>;
    /** All parts. */
    readonly parts: readonly string[];
  };
}

export interface GetSettingsAnswer {
  readonly status: 'ok';
  readonly data: ReadonlyArray<{
    readonly name: string;
    /** The present value. */
    readonly value: unknown;
    /** When a new value takes effect. */
    readonly takes_effect: 'reload' | 'restart';
    /** A new value was read, and waits for a restart. */
    readonly restart_needed: boolean;
  }>;
}

export interface GetSharedDataAnswer {
  readonly status: 'ok';
  readonly data: Shared;
}

export interface GetSitesAnswer {
  readonly status: 'ok';
  readonly data: readonly Site[];
}

export interface GetSleepStatusAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  readonly sleep_mode: 'On' | 'Off';
}

export interface GetStatusAnswer {
  readonly status: 'ok';
  readonly data: Status;
}

export interface GetTimeWeightingAnswer {
  readonly status: 'ok';
  /** How old the answer is; absent: it was read for this request. */
  readonly age_s?: number;
  /** When it was read; beside age_s. */
  readonly read_at?: string;
  /** How long the question waited for its turn beside a watched stream. */
  readonly waited_ms?: number;
  /** F 125 ms, S 1 s, I 35 ms. */
  readonly time_weighting: 'F' | 'S' | 'I';
  readonly channel: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface GetTraceAnswer {
  readonly status: 'ok';
  readonly data: Trace;
}

export interface GetUnitsAnswer {
  readonly status: 'ok';
  readonly data: readonly Unit[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface Hello {
  readonly event: 'hello';
  readonly time: string;
  /** Messages sent to this client, this one included. */
  readonly seq: number;
  /** Readings and frames that this client did not get since its last message, because it was slow. */
  readonly missed: number;
  readonly subscription: {
    readonly units: readonly string[];
    readonly events: readonly string[];
    readonly hz: number;
  };
  readonly data: readonly Unit[];
}

export interface History {
  readonly unit_id: string;
  /** Beginning of the first row: a full step of the local clock. */
  readonly from: string;
  readonly to: string;
  /** Seconds of a row; 86400 for local days, which may have 23 or 25 hours. */
  readonly step_s: number;
  readonly zone: string;
  /** Of the first column of levels; null: no channel has its weighting. */
  readonly channel: string | null;
  /** Of the first column of levels; null if there is no data. */
  readonly weighting: Weighting | null;
  /** Of the same channel: they also have data in the span and are left out. */
  readonly other_weightings: readonly Weighting[];
  /** The channel and weighting of the levels: one entry, or several if names have a weighting. */
  readonly series: readonly ColumnSeries[];
  /** How the answer differs from the request. */
  readonly notes: readonly string[];
  /** From here on rows whose source is not only card may still change: the card of the meter has not been read as far. Null: all rows are final. */
  readonly provisional_from: string | null;
  /** Ids of the notes whose time does not count in these rows; GET notes shows them. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  /** Names of the cells. lmax_bound, lmin_bound and lpeak_bound are there if they were asked for, or if some of these levels may not be certain in a row. */
  readonly columns: readonly string[];
  /** One row for each step, also those without data. Levels in dB, null if there is no value; coverage 0 to 1; quality measured, partial, sampled, mixed, flagged or none. */
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | null>>;
}

export interface HistoryDay {
  /** By the clock of the unit. */
  readonly date: string;
  readonly from: string;
  /** For today: the end of the last full minute. */
  readonly to: string;
  /** dB over the measured time that counts; null: no such time. */
  readonly leq: number | null;
  /** dB, of the time that counts */
  readonly lmax: number | null;
  /** Share of the time from `from` to `to` that was measured and counts, 0 to 1. */
  readonly coverage: number;
  /** Single readings in time without measurement. Their levels are not in leq. */
  readonly readings: number;
  /** Seconds from `from` to `to` that notes exclude. They do not count. */
  readonly excluded_s: number;
  /** dB: leq as it is with the excluded time; null: nothing is excluded. */
  readonly leq_all: number | null;
}

export interface HistoryDays {
  readonly unit_id: string;
  /** The oldest first; the last is today by the clock of the unit. */
  readonly days: readonly HistoryDay[];
}

export interface HistoryExtent {
  readonly unit_id: string;
  readonly first: string | null;
  readonly last: string | null;
  /** One for each channel, source and weighting. */
  readonly series: readonly HistorySeries[];
  /** Longer than gap_s and without any data; the newest first, at most 1,000. */
  readonly gaps: ReadonlyArray<{
    readonly from: string;
    readonly to: string;
    readonly seconds: number;
  }>;
  readonly gap_count: number;
  /** A minute, or two polling intervals if the unit is only polled. */
  readonly gap_s: number;
  readonly bytes: number;
  /** From this time on single seconds are kept; before it, minutes. null: no seconds are kept. */
  readonly seconds_from: string | null;
  readonly recording: Recording;
}

export interface HistoryLine {
  readonly unit_id: string;
  /** dB: Leq, or the mean of single readings if nothing was measured; null: no data. */
  readonly levels: ReadonlyArray<number | null>;
  /** The kind of the levels: Leq, means of single readings, or some of both. */
  readonly quantity: 'leq' | 'lp' | 'mixed';
  /** Of all levels of the line. */
  readonly weighting: Weighting | null;
}

export interface HistoryLines {
  /** Beginning of the first level of each line. */
  readonly from: string;
  /** Seconds from one level to the next. */
  readonly step_s: number;
  /** Units that are recorded. */
  readonly units: readonly HistoryLine[];
}

export interface HistorySeries {
  readonly channel: string;
  readonly source: 'card' | 'stream' | 'import' | 'poll';
  readonly weighting: Weighting;
  readonly first: string;
  /** End of the last row. */
  readonly last: string;
  /** Seconds with continuous data. */
  readonly measured_s: number;
  /** Single readings. */
  readonly readings: number;
  readonly bytes: number;
}

export interface HolidayCalendar {
  readonly name: string;
  /** A calendar of this name comes with the gateway. */
  readonly built_in: boolean;
  /** Somebody wrote it here; DELETE removes it, or brings the built-in calendar back. */
  readonly own: boolean;
  /** The law of the days; null: a person wrote the calendar. */
  readonly source: string | null;
  readonly days: ReadonlyArray<{
    readonly date: string;
    readonly name: string;
  }>;
}

export interface ImportAlertEventsAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly taken: number;
  /** Events that existed already. */
  readonly present: number;
  /** Events with a level that is not from -20 to 160 dB, by their place in the list, the first 20: they are not added. */
  readonly left_out: readonly string[];
}

export interface ImportAlertEventsBody {
  readonly events: ReadonlyArray<{
    /** 0: of no rule of this gateway. */
    readonly rule?: number;
    /** a text without control characters */
    readonly unit_id: string;
    /** a text without control characters */
    readonly rule_name: string;
    readonly severity?: 'info' | 'warning' | 'critical';
    readonly kind: 'level' | 'device' | 'coverage' | 'instances';
    /** a text without control characters */
    readonly what: string;
    /** a channel of the meter. Default main. */
    readonly channel?: string;
    readonly limit?: number | null;
    readonly opened_at: string;
    readonly closed_at: string;
    readonly worst?: number | null;
    /** a text without control characters */
    readonly detail?: string;
    /** a text without control characters */
    readonly cause?: string;
    readonly ack?: {
      /** a text without control characters */
      readonly by: string;
      readonly at: string;
    };
  }>;
}

export interface ImportHistoryAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job, which has ended. */
  readonly job: string;
  /** Rows with a level that is not from -20 to 160 dB, the first 20: they do not count. */
  readonly left_out: readonly LeftOutRow[];
}

export interface ImportSlmmAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
  /** Absent while the job goes on; then it is the result of the job. */
  readonly data?: {
    readonly taken: {
      readonly units: number;
      readonly rules: number;
      readonly events: number;
      readonly readings: number;
    };
    /** Wrong data in the database that is corrected here. */
    readonly mended: readonly string[];
    /** Data that was left out, and why. */
    readonly left: readonly string[];
  };
}

export interface IndexLevels {
  /** Real hours: 23 or 25 on a day on which the clocks change. */
  readonly hours: number;
  /** dB */
  readonly lday: number | null;
  /** dB */
  readonly levening: number | null;
  /** dB */
  readonly lnight: number | null;
  /** dB */
  readonly lden: number | null;
  /** dB */
  readonly ldn: number | null;
  /** dB */
  readonly cnel: number | null;
  /** dB, over the time with data of the whole day. In lden, ldn and cnel a gap counts as the rest of its period. */
  readonly leq_24h: number | null;
  /** none: there is data for the whole time; left_out: leq_24h is a mean without the time that has no data. */
  readonly leq_24h_gaps: 'none' | 'left_out' | null;
  /** dB */
  readonly l10: number | null;
  /** dB */
  readonly l50: number | null;
  /** dB */
  readonly l90: number | null;
  /** dB */
  readonly l95: number | null;
  /** dB */
  readonly lmax: number | null;
  readonly lmax_at: string | null;
  /** dB: where lmax is null because a row of the history reaches over the end of the day, it is at most this; null: lmax is certain, or there is no level. */
  readonly lmax_bound: number | null;
  /** Time with data, divided by real time; null: the preset has no such period. */
  readonly coverage: {
    readonly day: number | null;
    readonly evening: number | null;
    readonly night: number | null;
    readonly all: number;
  };
  readonly quality: 'measured' | 'partial' | 'sampled' | 'mixed' | 'flagged' | 'none';
  readonly valid: boolean;
  /** Why it is not valid, in words. */
  readonly reason: string | null;
  /** Seconds that exclusions leave out. They count as not measured: coverage lacks them, too. */
  readonly excluded_s: number;
  /** dB: leq_24h as it is with the excluded time; null: nothing is excluded. */
  readonly leq_all: number | null;
  /** dB: lden, ldn or cnel as it is with the excluded time; null: nothing is excluded. */
  readonly index_all: number | null;
}

export interface Indices {
  readonly unit_id: string;
  readonly zone: string;
  readonly preset: string;
  readonly min_coverage: number;
  /** Of all values. */
  readonly channel: string | null;
  /** Of all values; null: there is nothing. */
  readonly weighting: Weighting | null;
  /** Remarks to read before you use these numbers. */
  readonly notes: readonly string[];
  /** Times between two calibrations that differ by too much. */
  readonly doubtful: readonly DoubtfulTime[];
  /** Ids of the notes whose time does not count here; GET notes shows them. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  readonly days: readonly Day[];
  /** Of the query `by`, in order of time; otherwise empty. */
  readonly groups: readonly IndicesGroup[];
  readonly total: IndicesTotal;
}

export interface IndicesGroup {
  /** 2026-W47, 2026-11 or 2026. */
  readonly name: string;
  /** Number of valid days within the span. */
  readonly days: number;
  /** Days that are not valid. */
  readonly left_out: readonly string[];
  readonly mean_of_days: MeanOfDays;
  readonly standard_error: StandardErrorOfDays;
}

export interface IndicesTotal extends IndexLevels {
  /** Number of valid days; the total is made from these. */
  readonly days: number;
  /** The levels of the total are means over the measured time of all valid days: a day with gaps counts less. */
  readonly weighted_by: 'measured_time';
  readonly mean_of_days: MeanOfDays;
  /** Days that are not valid. */
  readonly left_out: readonly string[];
}

export interface Invitation {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** At this moment; null: all units. */
  readonly units: readonly string[] | null;
  /** The units are those with one of these tags; null: they are not chosen by tag. */
  readonly tags: readonly string[] | null;
  /** End of the person; null: without an end. */
  readonly until: string | null;
  readonly made_by: string;
  readonly created_at: string;
  /** End of the link. */
  readonly expires_at: string;
}

export interface InvitationOffer {
  readonly role: 'viewer' | 'operator' | 'admin';
  /** At this moment; null: all units. */
  readonly units: readonly string[] | null;
  /** The units are those with one of these tags; null: they are not chosen by tag. */
  readonly tags: readonly string[] | null;
  /** End of the person; null: without an end. */
  readonly until: string | null;
  /** It is the code for the first admin. */
  readonly first_admin: boolean;
}

export interface Job {
  readonly id: string;
  /** The kind of work, such as mirror. */
  readonly kind: string;
  /** The name of the kind for people. */
  readonly title: string;
  /** null: it is not about a single unit. */
  readonly unit_id: string | null;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly progress: {
    readonly done: number;
    /** null: not known. */
    readonly total: number | null;
    /** The counted unit. */
    readonly unit: string;
  } | null;
  readonly message: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly error: {
    readonly code: string;
    readonly detail: string;
  } | null;
  /** The result; its form depends on the kind. */
  readonly result: unknown;
}

export interface JobKind {
  readonly kind: string;
  /** For people. */
  readonly title: string;
  /** The fields to start it with. */
  readonly fields: readonly FormField[];
  /** Jobs of all kinds with the same word run one after the other on a unit; null: no limit. */
  readonly one_at_a_time: string | null;
  /** Whether a job that runs while the gateway stops goes on after the next start. */
  readonly goes_on: boolean;
}

export interface KeptFile {
  readonly path: string;
  readonly card: number;
  /** Bytes on the card, as listed last. */
  readonly size: number;
  /** As the meter lists it: the time of its own clock, without a zone; only a date if it lists no time. */
  readonly modified: string;
  /** Null until the copy was complete once. */
  readonly sha256: string | null;
  readonly fetched_at: string | null;
  readonly state: 'complete' | 'growing' | 'gone_from_card';
  /** Rows of the history made from its levels. */
  readonly rows: number;
  /** Problems of the file, each with its line. */
  readonly problems: readonly string[];
  /** Stored copies with other bytes of this path and card; GET files/versions lists them. */
  readonly versions: number;
}

export interface KeptReport {
  readonly id: string;
  /** a name in one line, for lists and for the subject of a mail */
  readonly name: string;
  /** The units of the report. A caller who may see all of them may see the report. */
  readonly units: readonly string[];
  /** In place of units, which then do not count: those with this tag when the report is made. Callers of all units, or by this tag, may see the report. */
  readonly tag: string | null;
  /** What it is about and how often it is due: the local day, week (from Monday) or month before. none: only when somebody asks. */
  readonly period: 'day' | 'week' | 'month' | 'none';
  /** a time such as 06:00 of the clock of `zone`, at which it is due on the day after its period. Where the clocks skip it, it is due as soon as they have jumped; where it comes twice, the first time. Never less than 5 minutes after the end of the period */
  readonly at: string;
  /** Each run makes one document of each. */
  readonly formats: ReadonlyArray<'pdf' | 'html' | 'csv' | 'xlsx'>;
  /** Ids of mail targets of alerts that get the documents of each run that was due. */
  readonly targets: readonly string[];
  /** Of words, numbers and dates. What people entered stays as it is. */
  readonly lang: 'en' | 'de' | 'fr' | 'es' | 'ja';
  /** Channel of the meters that all figures are of: one that is recorded (history_channels of the config). A unit that does not record it says so; where no unit does, the report is refused. */
  readonly channel: string;
  /** A name of GET _reports/templates. */
  readonly template: string;
  /** Periods of the day, as `preset` of GET indices. */
  readonly periods: 'eu' | 'eu-late' | 'it' | 'us' | 'cnel';
  /** Whose limits: `preset` of GET assessment. */
  readonly preset: string;
  /** As of GET assessment. */
  readonly area: string | null;
  /** As of GET assessment. */
  readonly calendar: string | null;
  /** As of GET assessment. */
  readonly limits: string | null;
  /** As of GET assessment. */
  readonly tonal: string | null;
  /** As of GET assessment. */
  readonly impulse: string | null;
  /** As of GET assessment. */
  readonly low_frequency: string | null;
  /** As of GET assessment. */
  readonly other: string | null;
  /** As of GET assessment. */
  readonly residual: string | null;
  /** As of GET assessment. */
  readonly background: string | null;
  /** As of GET assessment. */
  readonly duration_s: string | null;
  /** Default: the names of the units. */
  readonly title: string;
  /** up to 2,000 characters without control characters and marks that turn the direction of letters; lines stay lines */
  readonly remarks: string;
  /** A name of GET _reports/letterheads. */
  readonly letterhead: string | null;
  /** Of a PDF. */
  readonly paper: 'a4' | 'letter';
  /** Of its days, and of the clock of `at`. */
  readonly zone: string;
  /** When it is due next; null: never by itself. */
  readonly next_due_at: string | null;
  /** The newest run; null: there was none. */
  readonly last_run: KeptReportRun | null;
  /** What keeps it from being made or sent: a unit, a target, a template or a letterhead that is not there any more, a channel that a unit does not record, no mail server. */
  readonly warnings: readonly string[];
  readonly created_at: string;
  readonly created_by: string;
  readonly changed_at: string;
}

export interface KeptReportDocument {
  readonly id: string;
  /** Of the run that made it. */
  readonly run: string;
  readonly format: 'pdf' | 'html' | 'csv' | 'xlsx';
  /** Of the file. */
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly made_at: string;
  /** It was due while the gateway was off, and made later. */
  readonly late: boolean;
  readonly bytes: number;
  readonly sha256: string;
  /** The same query, now, gives the same bytes where levels and notes are the same. */
  readonly query: string;
  readonly href: string;
}

export interface KeptReportMail {
  readonly target: string;
  /** done: the mail server has taken it for all addresses; failed: it refused one for good, or too many tries failed; skipped: the target is switched off. */
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'skipped';
  readonly tries: number;
  readonly ended_at: string | null;
  /** What came of the last try. Mail addresses are whole for an admin only. */
  readonly outcome: string;
  /** Each address with its own result. */
  readonly recipients: ReadonlyArray<{
    readonly address: string;
    readonly state: 'sent' | 'waiting' | 'refused' | 'not_sent';
    /** Words of the mail server that refused it; else empty. */
    readonly said: string;
  }>;
}

export interface KeptReportMailDraft {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Lines stay lines. */
  readonly text: string;
  /** Names of the files. What is beyond 14 MB in all is not attached, and named in the mail. */
  readonly attachments: readonly string[];
  readonly targets: ReadonlyArray<{
    readonly id: string;
    /** Empty for all but admins. */
    readonly name: string;
    /** false: it is switched off or gone, and gets nothing. */
    readonly enabled: boolean;
    readonly addresses: readonly string[];
  }>;
}

export interface KeptReportRun {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Null: somebody asked for it. */
  readonly due_at: string | null;
  /** missed: its time passed while the gateway was off, and it is too old to be made late. */
  readonly state: 'waiting' | 'done' | 'failed' | 'missed';
  /** It was due while the gateway was off. */
  readonly late: boolean;
  readonly started_by: string;
  /** Id of its job. */
  readonly job: string | null;
  /** Tries that failed. */
  readonly tries: number;
  readonly ended_at: string | null;
  /** Why it failed or was missed. */
  readonly detail: string | null;
  readonly mails: readonly KeptReportMail[];
}

export interface KeptVersion {
  readonly path: string;
  /** Number of the card that it is from. */
  readonly card: number;
  /** 64 digits of SHA-256. */
  readonly sha256: string;
  /** Bytes of this copy. */
  readonly size: number;
  /** As the meter listed it when it was fetched; null for copies of older releases without this time. */
  readonly modified: string | null;
  readonly fetched_at: string | null;
  /** When other bytes came under this path of this card; null: it is the last copy. */
  readonly replaced_at: string | null;
  /** The state of the file on the card; `replaced` if the card has other bytes under this path. */
  readonly state: 'complete' | 'growing' | 'gone_from_card' | 'replaced';
}

export interface LastError {
  readonly code: string;
  readonly detail: string;
  readonly at: string;
  /** When a success ended it; null: it lasts. */
  readonly resolved_at: string | null;
}

export interface LastSetting {
  /** As in the list of all settings. */
  readonly name: string;
  /** As in the list of all settings. */
  readonly value: string;
  /** When it was last read or set. */
  readonly at: string;
}

export interface LastValues {
  readonly unit_id: string;
  readonly timestamp: string;
  readonly last_values: Values;
}

export interface LeftOutRow {
  /** `/line/12` */
  readonly path: string;
  readonly message: string;
}

export interface ListAllCalibrationsAnswer {
  readonly status: 'ok';
  readonly data: readonly Calibration[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListAllNotesAnswer {
  readonly status: 'ok';
  readonly data: readonly Note[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListAssessmentPresetsAnswer {
  readonly status: 'ok';
  readonly data: readonly AssessmentPreset[];
}

export interface ListCalendarsAnswer {
  readonly status: 'ok';
  readonly data: readonly HolidayCalendar[];
}

export interface ListCalibrationsAnswer {
  readonly status: 'ok';
  readonly data: readonly Calibration[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
  readonly doubtful: readonly DoubtfulTime[];
}

export interface ListClockReadingsAnswer {
  readonly status: 'ok';
  readonly data: readonly ClockReading[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListEvidenceAnswer {
  readonly status: 'ok';
  readonly data: readonly EvidencePackage[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListFileVersionsAnswer {
  readonly status: 'ok';
  readonly data: readonly KeptVersion[];
}

export interface ListInvitationsAnswer {
  readonly status: 'ok';
  readonly data: readonly Invitation[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListJobKindsAnswer {
  readonly status: 'ok';
  readonly data: readonly JobKind[];
}

export interface ListKeysAnswer {
  readonly status: 'ok';
  readonly data: readonly ApiKey[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListLastSettingsAnswer {
  readonly status: 'ok';
  readonly data: readonly LastSetting[];
}

export interface ListNoiseEventsAnswer {
  readonly status: 'ok';
  readonly data: NoiseEvents;
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListNoteProposalsAnswer {
  readonly status: 'ok';
  readonly data: readonly NoteProposal[];
  readonly unobserved: readonly UnobservedTime[];
  /** Ids of the stations that are for this unit. */
  readonly stations: readonly string[];
}

export interface ListNotesAnswer {
  readonly status: 'ok';
  readonly data: readonly Note[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListObservationsAnswer {
  readonly status: 'ok';
  readonly zone: string;
  readonly data: readonly ObservedRow[];
}

export interface ListPeopleAnswer {
  readonly status: 'ok';
  readonly data: readonly Person[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListPermitsAnswer {
  readonly status: 'ok';
  readonly data: readonly Permit[];
}

export interface ListPhonesAnswer {
  readonly status: 'ok';
  readonly data: readonly Phone[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListRecordingsAnswer {
  readonly status: 'ok';
  readonly data: readonly SoundRecording[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
  /** Copied recordings of these units with no known time. */
  readonly without_time: number;
}

export interface ListReportDocumentsAnswer {
  readonly status: 'ok';
  readonly data: readonly KeptReportDocument[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListReportLetterheadsAnswer {
  readonly status: 'ok';
  readonly data: readonly ReportLetterheadListed[];
}

export interface ListReportRunsAnswer {
  readonly status: 'ok';
  readonly data: readonly KeptReportRun[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListReportTemplatesAnswer {
  readonly status: 'ok';
  readonly data: readonly ReportTemplate[];
}

export interface ListReportsAnswer {
  readonly status: 'ok';
  readonly data: readonly KeptReport[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListScheduleActionsAnswer {
  readonly status: 'ok';
  readonly data: readonly ScheduleActionKind[];
}

export interface ListSessionsAnswer {
  readonly status: 'ok';
  readonly data: readonly SignInSession[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListSettingChangesAnswer {
  readonly status: 'ok';
  readonly data: readonly SettingChange[];
  /** The value of each setting at `from`, if it was seen before. */
  readonly in_force: readonly SettingInForce[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListSharesAnswer {
  readonly status: 'ok';
  readonly data: readonly Share[];
  /** The cursor of the next page; null: there is none. */
  readonly next: string | null;
}

export interface ListStationsAnswer {
  readonly status: 'ok';
  readonly data: readonly Station[];
}

export interface ListVerdictsAnswer {
  readonly status: 'ok';
  readonly data: readonly UnitVerdicts[];
  readonly permits: readonly PermitYesterday[];
}

export interface ListWaysToSignInAnswer {
  readonly status: 'ok';
  readonly data: WaysToSignIn;
}

export interface LogEntry {
  readonly id: string;
  readonly time: string;
  readonly kind: 'command' | 'connection' | 'reachability' | 'state' | 'change' | 'file' | 'job' | 'recording';
  /** The command as it was sent, or the event in words. */
  readonly text: string;
  /** `ok`, or the error: usually its code. */
  readonly outcome: string | null;
  readonly duration_ms: number | null;
  /** Name of the API key that asked for it. */
  readonly by: string | null;
  readonly role: string | null;
}

export interface LookAtInvitationAnswer {
  readonly status: 'ok';
  readonly data: InvitationOffer;
}

export interface LookAtInvitationBody {
  /** The text behind # in the link, or the code from the log. */
  readonly token: string;
}

export interface LoudHour {
  readonly from: string;
  readonly to: string;
  /** dB */
  readonly leq: number | null;
  readonly coverage: number | null;
}

export interface LoudestHour {
  readonly unit_id: string;
  readonly zone: string;
  readonly weighting: Weighting | null;
  /** Ids of the notes whose time does not count. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  /** The loudest full hour of the local clock. */
  readonly clock: LoudHour | null;
  /** The loudest hour that ends at a full minute. */
  readonly moving: LoudHour | null;
  /** Full hours with less than 75 % measured: they may have been louder. */
  readonly left_out: number;
  /** No full hour is left out. */
  readonly assessable: boolean;
}

export interface MakeEvidenceAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
}

export interface MakeEvidenceBody {
  /** with its offset from UTC; it belongs to the span */
  readonly from: string;
  /** at most 400 days later; it does not belong to the span */
  readonly to: string;
  /** What is in it. Without it: everything that the caller may hand over. */
  readonly include?: ReadonlyArray<'alerts' | 'audit' | 'calibrations' | 'clock' | 'files' | 'levels' | 'notes' | 'report' | 'settings'>;
}

export interface MapTiles {
  /** With {z}, {x} and {y}. */
  readonly url: string;
  readonly attribution: string;
  readonly max_zoom: number;
}

export interface MeanOfDays {
  /** Energy means of the values of the valid days; each day counts the same. This is the long-term definition. */
  readonly weighted_by: 'days';
  /** dB */
  readonly lday: number | null;
  /** dB */
  readonly levening: number | null;
  /** dB */
  readonly lnight: number | null;
  /** dB */
  readonly lden: number | null;
  /** dB */
  readonly ldn: number | null;
  /** dB */
  readonly cnel: number | null;
  /** dB */
  readonly leq_24h: number | null;
}

export interface MeasureCalibratorAnswer {
  readonly status: 'ok';
  readonly data: CalibratorLevel;
}

export interface MeasureCalibratorBody {
  /** how long the stream is read */
  readonly seconds?: number;
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db?: number;
  /** whether this time is excluded from indices and reports */
  readonly exclude?: boolean;
}

export interface MirrorFilesAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
}

export interface MovingLeq {
  readonly unit_id: string;
  readonly weighting: Weighting | null;
  /** Ids of the notes whose time does not count. */
  readonly exclusions: readonly string[];
  /** How exactly excluded time is left out: to the second, or as whole minutes at edges without stored seconds; null: nothing is excluded. */
  readonly edge: 'second' | 'minute' | null;
  readonly window_s: number;
  /** At each full minute: the Leq of the window that ends there, dB; null with less than 75 % measured. */
  readonly rows: ReadonlyArray<{
    readonly at: string;
    /** dB */
    readonly leq: number | null;
    readonly coverage: number | null;
  }>;
}

export interface NewAlertRule {
  /** a name without control characters */
  readonly name: string;
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  readonly enabled?: boolean;
  readonly severity?: 'info' | 'warning' | 'critical';
  /** Ids of the targets that get the messages. */
  readonly targets?: readonly string[];
  /** a time such as 30s, 5m, 2h or 1d: then the targets of escalate_to get a message, too */
  readonly ack_within?: string;
  /** Ids of targets. */
  readonly escalate_to?: readonly string[];
  /** Times of the local clock of the unit; if `to` is at or before `from`, the span goes over midnight. */
  readonly schedule?: readonly RuleSchedule[];
  /** true: if units of an enabled rule record too little for it, history of their config is raised. Units that get its tag later follow. The answer names the changed units. */
  readonly record?: boolean;
  readonly kind: 'level' | 'device' | 'coverage' | 'instances';
  /** leq, lmax, lpeak, lieq, or l01 to l99 */
  readonly quantity?: string;
  /** A channel that its units record (history_channels of the config), such as main or sub1. Default main. */
  readonly channel?: string;
  /** scheduled: each time of the schedule as a whole, such as a day from 06:00 to 22:00. */
  readonly window?: '1m' | '5m' | '15m' | '30m' | '1h' | '8h' | '12h' | 'day' | 'evening' | 'night' | 'scheduled';
  /** Default clock. */
  readonly align?: 'clock' | 'sliding';
  readonly limit_db?: number;
  /** From this level on an event is open with the severity warning. Above limit_db the same event is critical; severity does not count then. */
  readonly amber_db?: number;
  /** The level at which a sliding event ends. Default 2 dB below limit_db, or below amber_db. */
  readonly clear_db?: number;
  /** Levels are compared as they are shown: with 1, 75.04 dB is not above 75, and 75.05 is. Default 1. */
  readonly decimals?: number;
  /** With windows of the clock: an event goes on while one window after the other breaks the limit. false: an event for each window. Default true. */
  readonly continue?: boolean;
  /** apply: levels that come while an exclusion of their channel is in force are as if they were not measured. ignore: they count. Default apply; older rules keep ignore. */
  readonly exclusions?: 'ignore' | 'apply';
  /** Default 0.5. */
  readonly min_coverage?: number;
  readonly condition?: 'unreachable' | 'wedged' | 'asleep' | 'stale' | 'frozen' | 'not_measuring' | 'over_range' | 'battery_below' | 'card_below' | 'clock_off' | 'calibration_due' | 'calibrator_expired' | 'calibration_drift' | 'ftp_failing' | 'not_recorded' | 'station_silent' | 'settings_changed' | 'weighting_changed';
  readonly threshold?: number;
  /** the weighting that the meter should have, such as AF */
  readonly weighting?: string;
  /** a time such as 30s, 5m, 2h or 1d: how long the condition must hold. Default 1m */
  readonly for?: string;
  /** Default 75. */
  readonly least_percent?: number;
  readonly fault?: 'instance_silent' | 'meters_unowned';
}

export interface NewAlertTarget {
  /** a name without control characters */
  readonly name: string;
  readonly enabled?: boolean;
  /** Whether the end of an event is sent, too. */
  readonly resolved?: boolean;
  /** Times at which only critical events are sent; the others wait for the end of these times. */
  readonly quiet?: readonly RuleSchedule[];
  /** IANA name of the clock of `quiet`. Default: the setting timezone. */
  readonly zone?: string;
  /** The language of mails and notifications. A phone that was subscribed in another language keeps that. Default en. */
  readonly language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  readonly kind: 'mail' | 'push' | 'webhook' | 'mqtt';
  readonly to?: readonly string[];
  /** Names of people and API keys whose phones get messages. Default: all that have subscribed. */
  readonly people?: readonly string[];
  /** For a webhook: https://example.org/hook. For a broker: mqtts://example.org:8883 */
  readonly url?: string;
  /** for a webhook: whsec_ and the base64 of 24 to 64 random bytes; for a broker: the password. Never shown; a PUT without it keeps it */
  readonly secret?: string;
  /** a topic of a broker: words of letters, digits, dashes and underscores with slashes between them */
  readonly topic?: string;
  /** the user at a broker */
  readonly username?: string;
}

export interface NewPhone {
  /** The address at the push service. It is a secret: it is never shown. */
  readonly endpoint: string;
  /** As browsers send it; not used. */
  readonly expirationTime?: number | null;
  /** The key that messages are encrypted for (RFC 8291). */
  readonly keys: {
    /** 65 bytes as base64url */
    readonly p256dh: string;
    /** 16 bytes as base64url */
    readonly auth: string;
  };
  /** Your name for the phone. */
  readonly name?: string;
  /** The language of its notifications. Default: that of the target. */
  readonly language?: 'en' | 'de' | 'fr' | 'es' | 'ja';
  /** The former address, if the browser has renewed its subscription: the phone keeps its id, and its name unless the request has another name. */
  readonly replaces?: string;
}

export interface NewScheduleEntry {
  /** five parts in the time of the zone: minute, hour, day of the month, month, weekday (0 or 7 is Sunday) */
  readonly cron: string;
  readonly action: 'stop_cycle' | 'apply_profile' | 'clock_sync' | 'start_cycle' | 'mirror';
  /** the name of a profile: letters, digits, `.`, `_` and `-` */
  readonly profile?: string | null;
  /** The files on the card, for the action start_cycle, as in POST cycle/start. null: as the meter or the profile has it then. */
  readonly store?: 'auto' | 'nothing' | null;
}

export interface NewShare {
  readonly id: string;
  /** a name for administrators, in one line; the page does not show it */
  readonly name: string;
  /** The units of the page. It shows their names, not their ids. */
  readonly units: readonly string[];
  /** In place of units: those with this tag, the first 20. A unit that gets the tag later is shown at once. */
  readonly tag: string | null;
  /** live: the level of the last minute with a word for it; levels: the last 24 hours; indices: the last 7 days that are over; limits: the level rules of the units, and how often they were exceeded. */
  readonly show: ReadonlyArray<'live' | 'levels' | 'indices' | 'limits'>;
  /** Later levels are not shown. */
  readonly delay_s: number;
  /** Levels are rounded to full steps of this size before anything is shown. */
  readonly round_db: 0.1 | 0.5 | 1 | 2 | 5 | 10;
  /** the heading of the page, in one line */
  readonly title: string;
  /** the measurement and its operator, for residents; lines may end with \n */
  readonly text: string;
  /** origins of pages that may show it in a frame, such as https://town.example.org; none: no page may */
  readonly embed: readonly string[];
  readonly from: string | null;
  readonly expires_at: string;
  readonly created_at: string;
  /** Who made it. */
  readonly created_by: string;
  readonly state: 'active' | 'expired';
  /** How often the page was opened. */
  readonly views: number;
  readonly last_viewed_at: string | null;
  /** The page, below the root of the server. Only this answer has it. */
  readonly link: string;
}

export interface NoiseEvent {
  readonly start: string;
  readonly end: string;
  readonly duration_s: number;
  /** dB: exposure of all of it. */
  readonly lae: number;
  /** dB: exposure of its seconds within 10 dB of the loudest. */
  readonly lae10: number;
  /** dB */
  readonly lmax: number;
  readonly lmax_at: string;
  /** dB: the level that the event was above. */
  readonly threshold: number;
  /** Seconds in it without data; of a second that was measured in part, the rest. `lae` and `share` are of the measured time. */
  readonly missing_s: number;
}

export interface NoiseEvents {
  readonly unit_id: string;
  readonly weighting: Weighting | null;
  /** Ids of the notes whose time does not count. */
  readonly exclusions: readonly string[];
  /** true: no event of the measured time is missing. false: `notes` say why. */
  readonly assessable: boolean;
  /** Remarks to read before you use these numbers. */
  readonly notes: readonly string[];
  readonly count: number;
  /** Number of events with a maximum at or above each level. */
  readonly nat: ReadonlyArray<{
    /** dB */
    readonly level: number;
    readonly count: number;
  }>;
  /** dB: exposure of all events. */
  readonly lae: number | null;
  /** dB: of all that was measured. */
  readonly leq: number | null;
  /** Of the energy of all that was measured. */
  readonly share: number | null;
  readonly coverage: number | null;
  readonly events: readonly NoiseEvent[];
}

export interface Note {
  readonly id: string;
  readonly unit_id: string;
  readonly created_at: string;
  /** 1, 2, 3 ...: each change makes a new one. */
  readonly version: number;
  /** Who made this version. */
  readonly by: string;
  readonly changed_at: string;
  readonly removed: boolean;
  readonly from: string;
  readonly to: string | null;
  /** note: explains a time; exclusion: the levels of this time do not count. */
  readonly kind: 'note' | 'exclusion';
  /** own_noise: of the people who measure; intrusion: somebody at the microphone. */
  readonly reason: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  readonly text: string;
  /** channels of the meter in small letters, such as main or sub1; null: all */
  readonly channels: readonly string[] | null;
  /** It comes from observations of stations: a rule wrote it, or a person accepted its proposal. */
  readonly observed: boolean;
  /** All versions, the oldest first. Only with versions=true. */
  readonly versions: readonly NoteVersion[] | null;
}

export interface NoteProposal {
  readonly from: string;
  readonly to: string;
  readonly reason: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  /** The observation in words: it becomes the text of the note. */
  readonly text: string;
}

export interface NoteVersion {
  /** 1, 2, 3 ...: each change makes a new one. */
  readonly version: number;
  /** Who made this version. */
  readonly by: string;
  readonly changed_at: string;
  readonly removed: boolean;
  readonly from: string;
  readonly to: string | null;
  /** note: explains a time; exclusion: the levels of this time do not count. */
  readonly kind: 'note' | 'exclusion';
  /** own_noise: of the people who measure; intrusion: somebody at the microphone. */
  readonly reason: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  readonly text: string;
  /** channels of the meter in small letters, such as main or sub1; null: all */
  readonly channels: readonly string[] | null;
  /** It comes from observations of stations: a rule wrote it, or a person accepted its proposal. */
  readonly observed: boolean;
}

export interface ObservationRule {
  readonly quantity: 'wind_speed' | 'wind_direction' | 'gust' | 'rain' | 'temperature' | 'humidity' | 'pressure' | 'traffic' | 'train';
  /** a value that is exactly this does not count; null: no such limit */
  readonly above: number | null;
  /** as above */
  readonly below: number | null;
  readonly reason: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  /** seconds before that are left out, too */
  readonly before_s: number;
  /** seconds after that are left out, too */
  readonly after_s: number;
  /** shorter times do not count, seconds */
  readonly min_s: number;
}

export interface ObservedRow {
  readonly from: string;
  readonly to: string;
  readonly values: {
    /** wind speed, m/s; null: not observed */
    readonly wind_speed: number | null;
    /** where the wind comes from, clockwise from north, degrees; null: not observed */
    readonly wind_direction: number | null;
    /** strongest gust, m/s; null: not observed */
    readonly gust: number | null;
    /** rain in the interval, mm; null: not observed */
    readonly rain: number | null;
    /** air temperature, degrees Celsius; null: not observed */
    readonly temperature: number | null;
    /** relative humidity, %; null: not observed */
    readonly humidity: number | null;
    /** air pressure at the station, hPa; null: not observed */
    readonly pressure: number | null;
    /** vehicles in the interval, vehicles; null: not observed */
    readonly traffic: number | null;
    /** trains that passed in the interval, passages; null: not observed */
    readonly train: number | null;
  };
  readonly coverage: {
    /** Share of the time in which it was observed, 0 to 1. */
    readonly wind_speed: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly wind_direction: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly gust: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly rain: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly temperature: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly humidity: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly pressure: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly traffic: number;
    /** Share of the time in which it was observed, 0 to 1. */
    readonly train: number;
  };
}

export interface PastRun {
  readonly due: string;
  readonly action: 'stop_cycle' | 'apply_profile' | 'clock_sync' | 'start_cycle' | 'mirror';
  readonly profile: string | null;
  /** made_up: later than planned, because the gateway did not run then. */
  readonly outcome: 'started' | 'made_up' | 'missed' | 'not_started';
  /** Id of the job. */
  readonly job: string | null;
  readonly detail: string | null;
}

export interface Permit {
  readonly name: string;
  /** Name of the site or permit for people. */
  readonly title: string;
  /** Or a tag. */
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  /** A name of GET _assessments; or limits. */
  readonly preset?: string;
  /** The area of the preset whose limits count. */
  readonly area?: string;
  /** Values that a person chose, as in GET assessment. */
  readonly additions?: {
    /** For all periods of the preset, or by period. */
    readonly tonal?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly impulse?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly low_frequency?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly other?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly residual?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly background?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly duration_s?: number | Readonly<Record<string, number>>;
  };
  /** Limits of its own; or a preset. */
  readonly limits?: readonly PermitLimit[];
  /** A name of GET _calendars. Without a calendar no day is a holiday. */
  readonly calendar?: string;
  /** The first day; absent: from the beginning. */
  readonly valid_from?: string;
  /** The last day; absent: without an end. */
  readonly valid_until?: string;
  /** The person who answers for it. */
  readonly responsible: string;
  /** Targets of alerts for the rules of this permit. */
  readonly targets: readonly string[];
}

export interface PermitLimit {
  /** leq, lmax, or LN: l10. */
  readonly index: string;
  /** The worst full window by the local clock, or `period`: the whole time from `from` to `to`. */
  readonly window: '1m' | '5m' | '15m' | '30m' | '1h' | 'period';
  /** A time of day such as 07:00. */
  readonly from: string;
  /** A time of day up to 24:00. At or before `from`: on the next day. */
  readonly to: string;
  /** A day of the calendar of holidays is `holiday` and no day of the week. */
  readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | 'holiday'>;
  /** dB; this, or over_background_db. */
  readonly limit_db?: number;
  /** From this value on the day is a warning (`is_amber`). */
  readonly amber_db?: number;
  /** dB above the LA90 of the same window. */
  readonly over_background_db?: number;
}

export interface PermitPart {
  readonly date: string;
  /** The name of the limit. */
  readonly limit: string;
  /** exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met. */
  readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met';
  /** dB: the compared value; null: unknown. */
  readonly value: number | null;
  /** dB; null: the permit cannot judge, and reason says why. */
  readonly limit_db: number | null;
  /** dB: limit minus value, the least; null: unknown. */
  readonly margin_db: number | null;
  /** The value reached amber_db of a limit, and not the limit. */
  readonly is_amber: boolean;
  /** Share of its time that was measured and counts. */
  readonly coverage: number;
  /** Seconds of its time that notes exclude. */
  readonly excluded_s: number;
  /** dB: the Leq that would have counted; null: something counts, or nothing is excluded. */
  readonly leq_all: number | null;
  /** Beginning of the window that decides. */
  readonly from: string | null;
  readonly to: string | null;
  /** The time of the limit on this day; null: the limit is no level over a time, such as that of Lden or of a difference. */
  readonly applies_from: string | null;
  readonly applies_to: string | null;
  /** Why there is no value, or what to know of it. */
  readonly reason: string | null;
  /** The window that is not over yet, and its rest; null: none, or the limit is not for a Leq. */
  readonly running: RunningLimit | null;
}

export interface PermitRule {
  readonly name: string;
  readonly kind: 'level';
  readonly quantity: string;
  readonly window: string;
  readonly align: 'clock';
  readonly limit_db: number;
  readonly decimals: number;
  readonly min_coverage: number;
  readonly schedule: readonly PresetRuleTime[];
  readonly amber_db?: number;
  /** Or a tag. */
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  /** Targets of alerts for the rules of this permit. */
  readonly targets: readonly string[];
}

export interface PermitRules {
  /** For POST /_alerts/rules/batch. */
  readonly rules: readonly PermitRule[];
  /** Figures that no rule can watch. */
  readonly left_out: readonly PresetRuleLeftOut[];
  /** How the rules differ from the preset. */
  readonly notes: readonly string[];
}

export interface PermitUnit {
  readonly unit_id: string;
  /** exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met. */
  readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met';
  /** dB: limit minus value, the least; null: unknown. */
  readonly margin_db: number | null;
  /** The value reached amber_db of a limit, and not the limit. */
  readonly is_amber: boolean;
  /** How many days have each verdict. */
  readonly days: {
    readonly exceeded: number;
    readonly not_over: number;
    readonly not_assessable: number;
    readonly excluded: number;
    readonly met: number;
  };
  /** They say nothing about the other days. */
  readonly excluded_days: readonly string[];
  /** The days with too few levels. */
  readonly not_assessable_days: readonly string[];
  readonly parts: readonly PermitPart[];
}

export interface PermitVerdict {
  readonly permit: string;
  readonly title: string;
  /** exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met. */
  readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met';
  /** dB: limit minus value, the least; null: unknown. */
  readonly margin_db: number | null;
  /** The value reached amber_db of a limit, and not the limit. */
  readonly is_amber: boolean;
  readonly units: readonly PermitUnit[];
}

export interface PermitYesterday {
  readonly permit: string;
  readonly title: string;
  readonly units: readonly string[];
  /** By the clock of each unit; null: the permit was not valid. */
  readonly yesterday: {
    /** exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met. */
    readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met';
    /** dB: limit minus value, the least; null: unknown. */
    readonly margin_db: number | null;
    /** The value reached amber_db of a limit, and not the limit. */
    readonly is_amber: boolean;
    /** The unit that decides. */
    readonly unit_id: string;
  } | null;
}

export interface Person {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** At this moment; null: all units. */
  readonly units: readonly string[] | null;
  /** The units are those with one of these tags; null: they are not chosen by tag. */
  readonly tags: readonly string[] | null;
  /** The person may sign in until then; null: without an end. */
  readonly until: string | null;
  /** false: a proxy in front of the gateway signs the person in. */
  readonly has_password: boolean;
  readonly created_at: string;
  /** How many are open. */
  readonly sessions: number;
  /** Of these sessions, the last request; null: none is open. */
  readonly last_used_at: string | null;
}

export interface Phone {
  /** an id, a whole number */
  readonly id: string;
  /** The name that its owner gave it. */
  readonly name: string;
  /** The name of the person or of the API key that has subscribed. */
  readonly person: string;
  /** It is of the caller. */
  readonly own: boolean;
  /** false: the person or the key has lost its rights; the phone gets nothing. */
  readonly reached: boolean;
  /** The push service. */
  readonly service: string;
  readonly created_at: string;
  /** When the push service last took a message. */
  readonly taken_at: string | null;
  /** The rules that the phone gets no messages about now, by the button of a notification. */
  readonly quiet: readonly PhoneQuiet[];
}

export interface PhoneQuiet {
  /** an id, a whole number */
  readonly rule: string;
  readonly unit_id: string;
  readonly until: string;
}

export interface Plan {
  readonly picture: PlanPicture | null;
  readonly marks: readonly PlanMark[];
}

export interface PlanMark {
  readonly unit_id: string;
  /** From the left edge of the picture, 0 to 1. */
  readonly x: number;
  /** From its upper edge, 0 to 1. */
  readonly y: number;
}

export interface PlanPicture {
  /** A new value: the picture has changed. */
  readonly sha256: string;
  readonly media_type: 'image/png' | 'image/jpeg';
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly changed_at: string;
}

export interface PlannedRun {
  readonly at: string;
  /** In the zone, with its offset from UTC. */
  readonly local: string;
  readonly action: 'stop_cycle' | 'apply_profile' | 'clock_sync' | 'start_cycle' | 'mirror';
  readonly profile: string | null;
  /** The files on the card, for the action start_cycle, as in POST cycle/start. null: as the meter or the profile has it then. */
  readonly store: 'auto' | 'nothing' | null;
}

export interface PollingConfig {
  readonly unit_id: string;
  readonly poll_enabled: boolean;
  readonly poll_interval_seconds: number;
}

export interface PresetRule {
  readonly name: string;
  readonly kind: 'level';
  readonly quantity: string;
  readonly window: string;
  readonly align: 'clock';
  readonly limit_db: number;
  readonly decimals: number;
  readonly min_coverage: number;
  readonly schedule: readonly PresetRuleTime[];
}

export interface PresetRuleLeftOut {
  readonly figure: string;
  readonly reason: string;
}

export interface PresetRuleTime {
  readonly days: readonly string[];
  readonly from: string;
  readonly to: string;
}

export interface PresetRules {
  readonly preset: string;
  readonly area: string | null;
  /** For POST /_alerts/rules/batch, after units or a tag are added. */
  readonly rules: readonly PresetRule[];
  /** Figures that no rule can watch. */
  readonly left_out: readonly PresetRuleLeftOut[];
  /** How the rules differ from the preset. */
  readonly notes: readonly string[];
}

export interface PreviewAlertRuleAnswer {
  readonly status: 'ok';
  readonly data: readonly AlertPreview[];
}

export interface PreviewAlertRuleBody {
  readonly rule: AlertRuleChange;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B) */
  readonly from: string;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B) */
  readonly to: string;
}

export interface PreviewReportAnswer {
  readonly status: 'ok';
  readonly data: ReportDocument;
}

export interface Problem {
  readonly detail: string;
  readonly code: 'MALFORMED_JSON' | 'MALFORMED_REQUEST' | 'SIGN_IN_FAILED' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'SIGN_IN_REFUSED' | 'FOREIGN_ORIGIN' | 'TCP_DISABLED' | 'FTP_DISABLED' | 'ADDRESS_REFUSED' | 'NOT_FOUND' | 'UNIT_NOT_FOUND' | 'FILE_NOT_FOUND' | 'JOB_NOT_FOUND' | 'ALERT_NOT_FOUND' | 'PERSON_NOT_FOUND' | 'INVITATION_NOT_FOUND' | 'SESSION_NOT_FOUND' | 'INSTANCE_NOT_FOUND' | 'KEY_NOT_FOUND' | 'CALIBRATION_NOT_FOUND' | 'NOTE_NOT_FOUND' | 'ASSESSMENT_NOT_FOUND' | 'PERMIT_NOT_FOUND' | 'SEAL_NOT_FOUND' | 'PLAN_NOT_FOUND' | 'STATION_NOT_FOUND' | 'SHARE_NOT_FOUND' | 'REPORT_NOT_FOUND' | 'PROFILE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'UNIT_EXISTS' | 'NOT_SUPPORTED' | 'DEVICE_WRONG_STATE' | 'TOO_LATE' | 'STORE_NAMES_TAKEN' | 'JOB_RUNNING' | 'SEAL_OUTDATED' | 'INSTANCE_RUNS' | 'PROFILE_IN_USE' | 'PRECONDITION_FAILED' | 'BODY_TOO_LARGE' | 'URI_TOO_LONG' | 'NOT_JSON' | 'RANGE_NOT_SATISFIABLE' | 'EXPECTATION_FAILED' | 'WRONG_HOST' | 'INVALID' | 'DEVICE_REFUSED_PARAMETER' | 'UPGRADE_REQUIRED' | 'TOO_MANY_REQUESTS' | 'HEADERS_TOO_LARGE' | 'INTERNAL' | 'DEVICE_REFUSED_COMMAND' | 'DEVICE_GARBLED' | 'DEVICE_UNREACHABLE' | 'DEVICE_WEDGED' | 'OUTCOME_UNKNOWN' | 'FTP_FAILED' | 'FTP_LOGIN_FAILED' | 'FTP_DATA_CONNECTION' | 'ISSUER_FAILED' | 'OUTBOUND_FAILED' | 'DEVICE_BUSY' | 'BUSY' | 'NOT_READY' | 'TOO_MANY_STREAMS' | 'OWNER_CHANGING' | 'STANDBY' | 'STOPPING' | 'STORAGE_FAILED' | 'DEVICE_TIMEOUT' | 'QUEUE_TIMEOUT' | 'PLUGIN_TIMEOUT' | 'STORAGE_FULL';
  readonly errors?: ReadonlyArray<{
    readonly path: string;
    readonly message: string;
  }>;
}

export interface Profile {
  readonly name: string;
  readonly description: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Units whose last profile this is, as far as the API key may see them. */
  readonly units: readonly string[];
  readonly created_at: string;
  readonly changed_at: string;
}

export interface ProposeCalibrationsAnswer {
  readonly status: 'ok';
  readonly data: readonly CalibratorTone[];
}

export interface ProveRowsAnswer {
  readonly status: 'ok';
  readonly data: RowProof;
}

export interface ProvedRow {
  /** As it is stored, and as it stands in a package. */
  readonly line: string;
  /** Its place in the table of the day, from 0. */
  readonly index: number;
  /** Hashes beside its way to the root of the table, from below. */
  readonly path: readonly string[];
}

export interface PushAction {
  readonly action: 'acknowledge' | 'quiet';
  /** an id, a whole number */
  readonly event: string;
  /** an id, a whole number */
  readonly phone: string;
  /** when the button ends, in seconds since 1970 UTC */
  readonly expires: number;
  /** the signature */
  readonly signature: string;
}

export interface PushKey {
  /** base64url */
  readonly public_key: string;
}

export interface PutOnPlanAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: PlanMark;
}

export interface PutOnPlanBody {
  /** From the left edge of the picture, 0 to 1. */
  readonly x: number;
  /** From its upper edge, 0 to 1. */
  readonly y: number;
}

export interface PutPlanPictureAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: PlanPicture | null;
}

export interface ReachabilityChange {
  readonly unit_id: string;
  readonly timestamp: string;
  readonly reachability: 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';
  /** Why, for a person. */
  readonly reason: string;
  /** Exchanges in a row that did not succeed. */
  readonly consecutive_failures: number;
}

export interface ReconciledHour {
  /** When it begins, UTC. */
  readonly hour: string;
  /** Minutes that are complete in both card and stream. */
  readonly compared_minutes: number;
  /** Card minus stream. */
  readonly mean_difference_db: number | null;
  readonly largest_difference_db: number | null;
  /** Seconds that only the card has. */
  readonly filled_s: number;
  /** The weighting of the stream, if it differs from that of the card. */
  readonly other_weighting: string | null;
}

/** The present recording. The numbers count since the recording began. */
export interface Recording {
  readonly mode: 'off' | 'poll' | 'stream';
  readonly state: 'off' | 'waiting' | 'recording' | 'full' | 'failing';
  /** The reason why it waits, or why nothing can be written. */
  readonly reason: string | null;
  readonly weighting: Weighting | null;
  /** When this weighting was last confirmed. If the meter turns out to have another weighting, levels since then get the flag weighting. */
  readonly weighting_confirmed_at: string | null;
  /** Of 100 ms, from the stream. */
  readonly frames: number;
  readonly readings: number;
  /** How often a command interrupted the stream. Each is a gap. */
  readonly interruptions: number;
  /** How often the stream was lost. */
  readonly losses: number;
  /** Frames and readings left out because their weighting was not known. */
  readonly unweighted: number;
  /** The other recorded channels; the fields above are about the main channel. */
  readonly channels: readonly ChannelRecording[];
}

export interface ReloadSettingAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: {
    readonly changed: readonly string[];
    readonly restart_needed: readonly string[];
  };
}

export interface RemoveCalibrationAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Calibration;
}

export interface ReplaceCalendarAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: HolidayCalendar;
}

export interface ReplaceCalendarBody {
  readonly days: ReadonlyArray<{
    readonly date: string;
    readonly name: string;
  }>;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly name?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly built_in?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly own?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly source?: unknown;
}

export interface ReplaceExclusionRulesAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: {
    readonly rules: readonly ObservationRule[];
    /** This unit has no rules of its own: these are the usual rules. */
    readonly usual: boolean;
    /** The rules write their exclusions by themselves. */
    readonly auto_exclude: boolean;
    /** They have judged the time until then. It does not move while the stations of the unit observe nothing. */
    readonly judged_until: string | null;
  };
}

export interface ReplaceExclusionRulesBody {
  readonly rules: ReadonlyArray<{
    readonly quantity: 'wind_speed' | 'wind_direction' | 'gust' | 'rain' | 'temperature' | 'humidity' | 'pressure' | 'traffic' | 'train';
    /** a value that is exactly this does not count; null: no such limit */
    readonly above?: number | null;
    /** as above */
    readonly below?: number | null;
    readonly reason?: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
    /** seconds before that are left out, too */
    readonly before_s?: number;
    /** seconds after that are left out, too */
    readonly after_s?: number;
    /** shorter times do not count, seconds */
    readonly min_s?: number;
  }>;
  /** The rules write their exclusions by themselves, from now on, as soon as such a time is over or has lasted an hour. */
  readonly auto_exclude?: boolean;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly usual?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly judged_until?: unknown;
}

export interface ReplacePermitAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Permit;
}

export interface ReplacePermitBody {
  /** Name of the site or permit for people. */
  readonly title?: string;
  /** Or a tag. */
  readonly units?: readonly string[];
  /** All units that have this tag, now or later. */
  readonly tag?: string;
  /** A name of GET _assessments; or limits. */
  readonly preset?: string;
  /** The area of the preset whose limits count. */
  readonly area?: string;
  /** Values that a person chose, as in GET assessment. */
  readonly additions?: {
    /** For all periods of the preset, or by period. */
    readonly tonal?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly impulse?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly low_frequency?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly other?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly residual?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly background?: number | Readonly<Record<string, number>>;
    /** For all periods of the preset, or by period. */
    readonly duration_s?: number | Readonly<Record<string, number>>;
  };
  /** Limits of its own; or a preset. */
  readonly limits?: readonly PermitLimit[];
  /** A name of GET _calendars. Without a calendar no day is a holiday. */
  readonly calendar?: string;
  /** The first day; absent: from the beginning. */
  readonly valid_from?: string;
  /** The last day; absent: without an end. */
  readonly valid_until?: string;
  /** The person who answers for it. */
  readonly responsible?: string;
  /** Targets of alerts for the rules of this permit. */
  readonly targets?: readonly string[];
  readonly name?: string;
}

/** text: `text`; table: `name`, `columns`, `rows`; chart: `name`, `from`, `to`, `stepS`, `series`, `days`, `gaps`, `nights`, `excluded`, `limit`, `limits`; strip: `name`, `days`, `rows`. */
export interface ReportBlock {
  readonly block: 'text' | 'table' | 'chart' | 'strip';
  readonly text?: string;
  /** lead: the sentence that says it all; note: small. */
  readonly look?: 'lead' | 'note';
  readonly name?: string;
  readonly columns?: ReadonlyArray<{
    readonly title: string;
    /** level: dB; share: from 0 to 1; time: with its offset from UTC; date: `2026-10-25`, or words. */
    readonly kind: 'text' | 'time' | 'date' | 'level' | 'share' | 'number';
  }>;
  readonly rows?: readonly unknown[];
  /** Of a table: the colour beside each row. */
  readonly marks?: ReadonlyArray<'good' | 'warn' | 'bad' | 'unknown' | null>;
  /** Seconds since 1970 UTC. */
  readonly from?: number;
  /** Seconds since 1970 UTC. */
  readonly to?: number;
  /** Length of a row, s. */
  readonly stepS?: number;
  readonly series?: ReadonlyArray<{
    readonly name: string;
    readonly look: 'light' | 'dark' | 'light dotted' | 'dark dotted';
    readonly points: ReadonlyArray<ReadonlyArray<number | null>>;
  }>;
  /** Of a chart: where days begin, with their names; of a strip: dates. */
  readonly days?: readonly unknown[];
  /** Time without data, from and to in s since 1970 UTC. */
  readonly gaps?: ReadonlyArray<readonly number[]>;
  readonly nights?: ReadonlyArray<readonly number[]>;
  /** Time that notes exclude. */
  readonly excluded?: ReadonlyArray<readonly number[]>;
  /** A line at this level, dB. */
  readonly limit?: number | null;
  /** Limits that are for a time: from, to, dB. */
  readonly limits?: ReadonlyArray<readonly number[]>;
}

export interface ReportCheck {
  readonly text: string;
  /** Of the page that compares a file with the kept reports. */
  readonly address: string;
}

export interface ReportDocument {
  readonly title: string;
  readonly template: string;
  readonly lang: 'en' | 'de' | 'fr' | 'es' | 'ja';
  /** Of its local times and days. */
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly period: string;
  readonly remarks: string;
  readonly letterhead: ReportLetterhead | null;
  readonly check: ReportCheck | null;
  /** The first page, about all units; null: the template has none. */
  readonly overview: ReportSection | null;
  readonly units: readonly ReportedUnit[];
}

export interface ReportLetterhead {
  readonly lines: readonly string[];
  /** SHA-256 of the picture. */
  readonly logo: string | null;
}

export interface ReportLetterheadFull {
  readonly name: string;
  /** Each below the other. */
  readonly lines: readonly string[];
  /** A PNG or JPEG as Base64, at most 1 MB and 2,000 pixels on a side; null: none. */
  readonly logo: string | null;
}

export interface ReportLetterheadListed {
  readonly name: string;
  /** Each below the other. */
  readonly lines: readonly string[];
  /** SHA-256 of the picture; null: there is none. */
  readonly logo: string | null;
}

export interface ReportSection {
  readonly section: 'overview' | 'summary' | 'meter' | 'levels' | 'limits' | 'days' | 'charts' | 'exceedances' | 'events' | 'exclusions' | 'calibration' | 'weather' | 'left_out' | 'method';
  readonly title: string;
  readonly blocks: readonly ReportBlock[];
}

export interface ReportTemplate {
  readonly name: string;
  readonly title: string;
  /** In their order. */
  readonly sections: ReadonlyArray<'overview' | 'summary' | 'meter' | 'levels' | 'limits' | 'days' | 'charts' | 'exceedances' | 'events' | 'exclusions' | 'calibration' | 'weather' | 'left_out' | 'method'>;
  /** Titles of sections in the place of those of the language. */
  readonly titles: {
    readonly overview?: string;
    readonly summary?: string;
    readonly meter?: string;
    readonly levels?: string;
    readonly limits?: string;
    readonly days?: string;
    readonly charts?: string;
    readonly exceedances?: string;
    readonly events?: string;
    readonly exclusions?: string;
    readonly calibration?: string;
    readonly weather?: string;
    readonly left_out?: string;
    readonly method?: string;
  };
  /** It comes with the gateway. */
  readonly built_in: boolean;
}

export interface ReportedUnit {
  readonly unit_id: string;
  /** With the channel, where it is another one than main. */
  readonly title: string;
  /** Of the meter: all figures are of it. */
  readonly channel: string;
  readonly sections: readonly ReportSection[];
}

export interface RevokeKeyAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: ApiKey;
}

export interface RowProof {
  readonly kind: string;
  readonly rows: readonly ProvedRow[];
  readonly seal: DaySeal;
}

export interface RuleSchedule {
  readonly days: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>;
  /** a time such as 07:00 */
  readonly from: string;
  /** a time such as 19:00, or 24:00 */
  readonly to: string;
}

export interface RunReportAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
}

export interface RunningLimit {
  readonly from: string;
  readonly to: string;
  /** dB: the Leq so far, with the additions of the limit. */
  readonly leq: number | null;
  /** dB: the same of the last five minutes; null: unknown. */
  readonly present_db: number | null;
  /** Seconds that present_db may go on until this window exceeds the limit. 0: the limit is exceeded; null: until the end of the window, or unknown. */
  readonly may_go_on_s: number | null;
}

export interface Schedule {
  readonly unit_id: string;
  /** The zone of the schedule; default: the zone of the unit. */
  readonly zone: string;
  readonly entries: readonly ScheduleEntry[];
  /** The next runs of all entries. */
  readonly next: readonly PlannedRun[];
  /** The results of the last runs, the newest first. */
  readonly recent: readonly PastRun[];
}

export interface ScheduleActionKind {
  readonly action: string;
  /** For people, as an order. */
  readonly words: string;
  /** Fields of an entry beside its time. */
  readonly fields: readonly FormField[];
}

export interface ScheduleEntry {
  readonly cron: string;
  readonly action: 'stop_cycle' | 'apply_profile' | 'clock_sync' | 'start_cycle' | 'mirror';
  readonly profile: string | null;
  /** The files on the card, for the action start_cycle, as in POST cycle/start. null: as the meter or the profile has it then. */
  readonly store: 'auto' | 'nothing' | null;
}

export interface SealedTable {
  readonly kind: 'intervals' | 'minutes' | 'seconds';
  readonly root: string;
  readonly rows: number;
}

export interface Sentence {
  /** For programs, such as level_above: it stays the same when the words change. */
  readonly code: string;
  /** English, with gaps such as {limit}; behind | the plural, for the value count. */
  readonly text: string;
  /** For each gap a number, a time, a name, a sentence of this form, or a list of these. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Session {
  readonly unit_id: string;
  readonly tcp_enabled: boolean;
  readonly state: 'idle' | 'ready' | 'dialling' | 'exchanging' | 'streaming' | 'draining' | 'closed';
  readonly state_text: string;
  /** The operation that has reserved the meter; null: no operation. */
  readonly reservation: {
    readonly operation: string;
    readonly since: string;
    readonly held_s: number;
    readonly callers: number;
  } | null;
  /** In the order in which they are sent. */
  readonly waiting: ReadonlyArray<{
    readonly operation: string;
    readonly priority: 'operator' | 'background';
    readonly waited_s: number;
    /** Callers that share this operation. */
    readonly callers: number;
  }>;
  /** WebSocket clients of the fast stream. */
  readonly watchers: number;
  readonly connection: {
    readonly open: boolean;
    readonly since: string | null;
    readonly last_ending: {
      readonly by: 'us' | 'peer' | 'fault';
      readonly reason: string;
      readonly at: string;
    } | null;
    /** After failures: until a background reading connects again; an operator waits less. null: at once. */
    readonly retry_in_s: number | null;
  };
  readonly reachability: {
    readonly state: 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';
    readonly reason: string;
    readonly since: string | null;
    readonly last_success: string | null;
    readonly consecutive_failures: number;
    readonly last_error: LastError | null;
  };
  /** The state that the gateway last saw or set; null: unknown. The weightings are of the main channel. */
  readonly device_state: {
    readonly measuring: boolean | null;
    readonly paused: boolean | null;
    readonly store_name: string | null;
    readonly frequency_weighting: string | null;
    readonly time_weighting: string | null;
  };
  /** How far the clock of the meter is ahead of that of the gateway; null: not measured. */
  readonly clock: {
    readonly offset_s: number;
    /** Plus or minus. The clock shows whole seconds. */
    readonly uncertainty_s: number;
    readonly measured_at: string;
  } | null;
  /** Which meter answers; null until it was read after a change of the address. `exchanged`: since the gateway started. */
  readonly meter: {
    readonly serial_number: string | null;
    /** Serial numbers, if another meter answers than before, and when the gateway noticed it. */
    readonly exchanged: {
      readonly from: string;
      readonly to: string;
      readonly at: string;
    } | null;
  };
  /** Other units whose config names the same meter under another address; the gateway notices it when it connects. They take turns; keep only one of them. Only units that the API key may see. */
  readonly shared_with: readonly string[];
  /** Replies that arrived whole but could not be read, and were not followed by a readable one: at most 16. After three in a row the gateway itself asks only once an hour. */
  readonly unreadable: ReadonlyArray<{
    readonly command: string;
    readonly raw: string;
    readonly at: string;
    /** In a row. */
    readonly times: number;
  }>;
  /** The last line that was not a reply of a meter, for example the greeting of another service at this address. null: no such line, or the role of the API key is not admin. */
  readonly strange_line: {
    readonly raw: string;
    readonly at: string;
  } | null;
  /** The card of the meter since the gateway started: control and data connections together. */
  readonly ftp: {
    readonly sessions: number;
    readonly bytes_sent: number;
    readonly bytes_received: number;
  };
  /** Commands and card together, without the overhead of TCP/IP. */
  readonly today: {
    /** Local day of the unit. */
    readonly date: string;
    /** Midnight there, or later: when the gateway began to count on that day. */
    readonly since: string;
    readonly bytes_sent: number;
    readonly bytes_received: number;
  };
  /** Bytes are those of the control connection, without the overhead of TCP/IP. */
  readonly counters: {
    readonly counted_since: string;
    readonly bytes_sent: number;
    readonly bytes_received: number;
    readonly connects: number;
    readonly connect_failures: number;
    readonly commands: number;
    readonly refused: number;
    readonly garbled: number;
    readonly timeouts: number;
    readonly resent: number;
    readonly joined: number;
    readonly frames: number;
    readonly frames_unreadable: number;
  } | null;
}

export interface SetAlertRuleAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AlertRule;
  /** Units that record more from now on, for this rule. */
  readonly recording: readonly AlertRuleRecording[];
}

export interface SetAlertTargetAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: AlertTarget;
  /** The reason why nothing can be sent to it now; absent: it can get messages. */
  readonly warning?: string;
}

export interface SetChannelAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** A channel that is off has no levels. The main channel is always on. */
  readonly state: 'On' | 'Off';
  readonly channel: 'Sub1' | 'Sub2' | 'Sub3';
}

export interface SetChannelBody {
  readonly channel: 'Sub1' | 'Sub2' | 'Sub3';
  /** A channel that is off has no levels. The main channel is always on. */
  readonly state: 'On' | 'Off';
}

export interface SetClockAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** YYYY/MM/DD,HH:MM:SS, local time of the meter, no zone. */
  readonly clock: string;
}

export interface SetClockBody {
  /** YYYY/MM/DD,HH:MM:SS, or with a space instead of the comma; a time that exists */
  readonly datetime: string;
}

export interface SetConfigAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Config;
  /** Absent while TCP is disabled, and for a family without sleep mode. */
  readonly sleep_mode?: 'Off' | 'unknown';
  readonly warning?: string;
}

export interface SetFrequencyWeightingAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly frequency_weighting: 'A' | 'C' | 'Z';
  readonly channel: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface SetFrequencyWeightingBody {
  readonly weighting: 'A' | 'C' | 'Z';
  readonly channel?: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface SetIndexNumberAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly index_number: string;
}

export interface SetIndexNumberBody {
  readonly index: number;
}

export interface SetLeqIntervalAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly leq_interval: string;
}

export interface SetLeqIntervalBody {
  /** Off, <n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h */
  readonly preset: string;
}

export interface SetLpIntervalAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly lp_interval: 'Off' | '10ms' | '25ms' | '100ms' | '200ms' | '1s';
}

export interface SetLpIntervalBody {
  readonly preset: 'Off' | '10ms' | '25ms' | '100ms' | '200ms' | '1s';
}

export interface SetMeasurementTimeAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly measurement_time: string;
}

export interface SetMeasurementTimeBody {
  /** <n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h */
  readonly preset: string;
}

export interface SetNoteAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Note;
}

export interface SetNoteBody {
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); default: now */
  readonly from?: string;
  /** a time with its offset from UTC, such as 2026-11-21T06:00:00Z or 2026-11-21T07:00:00%2B01:00 (a plus is written %2B); null: it goes on until you end it */
  readonly to?: string | null;
  /** note: explains a time; exclusion: the levels of this time do not count. */
  readonly kind?: 'note' | 'exclusion';
  /** own_noise: of the people who measure; intrusion: somebody at the microphone. */
  readonly reason?: 'calibration' | 'rain' | 'wind' | 'own_noise' | 'intrusion' | 'fault' | 'other';
  /** text of up to 2,000 characters, without control characters and marks that turn the direction of letters */
  readonly text?: string;
  /** channels of the meter in small letters, such as main or sub1; null: all */
  readonly channels?: readonly string[] | null;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly unit_id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly version?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly by?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly removed?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly observed?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly versions?: unknown;
}

export interface SetPollingConfigAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: PollingConfig;
}

export interface SetPollingConfigBody {
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly unit_id?: unknown;
  /** Whether the meter is read in the background. */
  readonly poll_enabled?: boolean;
  /** Time between two background readings. */
  readonly poll_interval_seconds?: number;
}

export interface SetProfileAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Profile;
}

export interface SetProfileBody {
  /** For people. */
  readonly description?: string;
  readonly settings: {
    /** Auto stores automatically from start to stop. */
    readonly store_mode?: 'Manual' | 'Auto' | 'Timer Auto';
    /** A channel that is off has no levels. The main channel is always on. */
    readonly channel_sub1?: 'On' | 'Off';
    /** A channel that is off has no levels. The main channel is always on. */
    readonly channel_sub2?: 'On' | 'Off';
    /** A channel that is off has no levels. The main channel is always on. */
    readonly channel_sub3?: 'On' | 'Off';
    readonly frequency_weighting?: 'A' | 'C' | 'Z';
    readonly frequency_weighting_sub1?: 'A' | 'C' | 'Z';
    readonly frequency_weighting_sub2?: 'A' | 'C' | 'Z';
    readonly frequency_weighting_sub3?: 'A' | 'C' | 'Z';
    /** F 125 ms, S 1 s, I 35 ms. */
    readonly time_weighting?: 'F' | 'S' | 'I';
    /** F 125 ms, S 1 s, I 35 ms. */
    readonly time_weighting_sub1?: 'F' | 'S' | 'I';
    /** F 125 ms, S 1 s, I 35 ms. */
    readonly time_weighting_sub2?: 'F' | 'S' | 'I';
    /** F 125 ms, S 1 s, I 35 ms. */
    readonly time_weighting_sub3?: 'F' | 'S' | 'I';
    /** <n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h */
    readonly measurement_time?: string;
    /** Off, <n>s, <n>m, <n>h or HH:MM:SS, up to 1000 h */
    readonly leq_interval?: string;
    readonly lp_interval?: 'Off' | '10ms' | '25ms' | '100ms' | '200ms' | '1s';
  };
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly name?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly units?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly created_at?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly changed_at?: unknown;
}

export interface SetScheduleAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: Schedule;
}

export interface SetScheduleBody {
  /** An IANA name such as Europe/Berlin. Default: the zone of the unit. */
  readonly zone?: string | null;
  readonly entries: readonly NewScheduleEntry[];
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly unit_id?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly next?: unknown;
  /** May be here and has no effect: the data of a GET can be sent back. */
  readonly recent?: unknown;
}

export interface SetSettingLogLevelsAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: {
    readonly log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Level by part. Parts that are not named have the level `log_level`. */
    readonly levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error' | 'silent'>>;
    /** All parts. */
    readonly parts: readonly string[];
  };
}

export interface SetSettingLogLevelsBody {
  readonly log_level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Level by part. Parts that are not named have the level `log_level`. */
  readonly levels?: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error' | 'silent'>>;
}

export interface SetTimeWeightingAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** F 125 ms, S 1 s, I 35 ms. */
  readonly time_weighting: 'F' | 'S' | 'I';
  readonly channel: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface SetTimeWeightingBody {
  /** F 125 ms, S 1 s, I 35 ms. */
  readonly weighting: 'F' | 'S' | 'I';
  readonly channel?: 'Main' | 'Sub1' | 'Sub2' | 'Sub3';
}

export interface SettingCapability {
  /** As in settings/all and in profiles. */
  readonly name: string;
  /** word: one of `values`. text: of the form of `range`. */
  readonly type: 'word' | 'text';
  /** The words; null: any text of the form. */
  readonly values: readonly string[] | null;
  /** The unit of its number. `s, m, h`: its text names one of them. Absent: it is no number. */
  readonly unit?: string;
  /** The allowed values, in words. */
  readonly range: string | null;
  /** stopped: only while the meter does not measure. */
  readonly changes: 'always' | 'stopped';
}

export interface SettingChange {
  /** As in the list of all settings. */
  readonly name: string;
  /** As in the list of all settings. */
  readonly value: string;
  /** The value before; null: no value was seen. */
  readonly before: string | null;
  /** When the value was read or set: the change itself may be earlier if it was made at the keys. */
  readonly at: string;
}

export interface SettingInForce {
  /** As in the list of all settings. */
  readonly name: string;
  /** As in the list of all settings. */
  readonly value: string;
  /** The first time at which this value was seen. */
  readonly since: string;
}

export interface Share {
  readonly id: string;
  /** a name for administrators, in one line; the page does not show it */
  readonly name: string;
  /** The units of the page. It shows their names, not their ids. */
  readonly units: readonly string[];
  /** In place of units: those with this tag, the first 20. A unit that gets the tag later is shown at once. */
  readonly tag: string | null;
  /** live: the level of the last minute with a word for it; levels: the last 24 hours; indices: the last 7 days that are over; limits: the level rules of the units, and how often they were exceeded. */
  readonly show: ReadonlyArray<'live' | 'levels' | 'indices' | 'limits'>;
  /** Later levels are not shown. */
  readonly delay_s: number;
  /** Levels are rounded to full steps of this size before anything is shown. */
  readonly round_db: 0.1 | 0.5 | 1 | 2 | 5 | 10;
  /** the heading of the page, in one line */
  readonly title: string;
  /** the measurement and its operator, for residents; lines may end with \n */
  readonly text: string;
  /** origins of pages that may show it in a frame, such as https://town.example.org; none: no page may */
  readonly embed: readonly string[];
  readonly from: string | null;
  readonly expires_at: string;
  readonly created_at: string;
  /** Who made it. */
  readonly created_by: string;
  readonly state: 'active' | 'expired';
  /** How often the page was opened. */
  readonly views: number;
  readonly last_viewed_at: string | null;
}

export interface Shared {
  readonly title: string;
  readonly text: string;
  /** Later levels are not shown. */
  readonly until: string;
  /** Nothing from before is shown. */
  readonly from: string | null;
  readonly delay_s: number;
  readonly round_db: number;
  readonly units: readonly SharedUnit[];
}

export interface SharedDay {
  readonly date: string;
  readonly lday_db: number | null;
  readonly levening_db: number | null;
  readonly lnight_db: number | null;
  readonly leq_24h_db: number | null;
  readonly lden_db: number | null;
  /** Enough of each period was measured. */
  readonly is_complete: boolean;
  /** By the permits of the unit; null: none is valid on this day. */
  readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met' | null;
}

export interface SharedHour {
  readonly from: string;
  readonly to: string;
  readonly leq_db: number | null;
  readonly lmax_db: number | null;
  readonly coverage: number;
}

export interface SharedLimit {
  readonly quantity: string;
  /** Channel of the meter that the limit is for. */
  readonly channel: string;
  readonly window: string;
  readonly limit_db: number;
  readonly schedule: ReadonlyArray<{
    readonly days: readonly string[];
    readonly from: string;
    readonly to: string;
  }>;
  /** Events are counted from here. */
  readonly since: string;
  readonly exceeded_now: boolean;
  /** Decided with levels before rounding; at most 1,000. */
  readonly exceeded_count: number;
  /** Share of this time with data: nothing is known of the rest. */
  readonly coverage: number;
}

export interface SharedLive {
  /** level: of the last minutes. stale: there is none of the last minutes, and the last one ended at `since`. none: no level since `since`. */
  readonly state: 'level' | 'stale' | 'none' | 'not_recorded';
  readonly level_db: number | null;
  /** mean: of a minute. reading: of single readings. */
  readonly kind: 'mean' | 'reading' | null;
  readonly word: 'very_quiet' | 'quiet' | 'moderate' | 'loud' | 'very_loud' | null;
  /** End of its minute. */
  readonly at: string | null;
  /** Since when levels are missing; null: there is a level, or it is not known. */
  readonly since: string | null;
  readonly weighting: 'A' | 'C' | 'Z' | null;
}

export interface SharedUnit {
  /** null: the meter has no name. */
  readonly name: string | null;
  readonly timezone: string;
  readonly live?: SharedLive;
  readonly hours?: readonly SharedHour[];
  readonly days?: readonly SharedDay[] | null;
  readonly limits?: readonly SharedLimit[] | null;
}

export interface ShowAssessmentAnswer {
  readonly status: 'ok';
  readonly data: Assessment;
}

export interface ShowAssessmentPresetAnswer {
  readonly status: 'ok';
  readonly data: AssessmentPreset;
}

export interface ShowCalibrationAssistantAnswer {
  readonly status: 'ok';
  readonly data: AssistedCalibration | null;
}

export interface ShowDistributionAnswer {
  readonly status: 'ok';
  readonly data: Distribution;
}

export interface ShowEvidenceKeyAnswer {
  readonly status: 'ok';
  readonly data: EvidenceKey;
  readonly retired: readonly EvidenceKey[];
}

export interface ShowExclusionRulesAnswer {
  readonly status: 'ok';
  readonly data: {
    readonly rules: readonly ObservationRule[];
    /** This unit has no rules of its own: these are the usual rules. */
    readonly usual: boolean;
    /** The rules write their exclusions by themselves. */
    readonly auto_exclude: boolean;
    /** They have judged the time until then. It does not move while the stations of the unit observe nothing. */
    readonly judged_until: string | null;
  };
}

export interface ShowLoudestHourAnswer {
  readonly status: 'ok';
  readonly data: LoudestHour;
}

export interface ShowMovingLeqAnswer {
  readonly status: 'ok';
  readonly data: MovingLeq;
}

export interface ShowPermitAnswer {
  readonly status: 'ok';
  readonly data: Permit;
}

export interface ShowPermitVerdictAnswer {
  readonly status: 'ok';
  readonly data: PermitVerdict;
}

export interface ShowReportAnswer {
  readonly status: 'ok';
  readonly data: KeptReport;
}

export interface ShowReportLetterheadAnswer {
  readonly status: 'ok';
  readonly data: ReportLetterheadFull;
}

export interface ShowReportMailAnswer {
  readonly status: 'ok';
  readonly data: KeptReportMailDraft;
}

export interface ShowReportTemplateAnswer {
  readonly status: 'ok';
  readonly data: ReportTemplate;
}

export interface ShowRulesOfPermitAnswer {
  readonly status: 'ok';
  readonly data: PermitRules;
}

export interface ShowRulesOfPresetAnswer {
  readonly status: 'ok';
  readonly data: PresetRules;
}

export interface ShowStationAnswer {
  readonly status: 'ok';
  readonly data: Station;
}

export interface ShowVerdictsAnswer {
  readonly status: 'ok';
  readonly data: UnitVerdicts;
}

export interface SignInAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: SignedIn;
}

export interface SignInBody {
  /** Of the person; capitals do not count. */
  readonly name?: string;
  readonly password?: string;
  /** An API key, in place of both. */
  readonly key?: string;
}

export interface SignInSession {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Of the person or the API key. */
  readonly name: string;
  readonly kind: 'person' | 'key' | 'issuer';
  readonly role: 'viewer' | 'operator' | 'admin';
  /** null: all units. */
  readonly units: readonly string[] | null;
  /** It is of the caller. */
  readonly own: boolean;
  /** The request came by it. */
  readonly current: boolean;
  /** Where it began. */
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string;
  readonly since: string;
  readonly last_used_at: string;
  /** When it ends at the latest. */
  readonly until: string;
}

export interface SignOutAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Where the browser goes to sign out at the issuer, too; null: nowhere. */
  readonly issuer_sign_out: string | null;
}

export interface SignedIn {
  /** Of the person or the API key. */
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** null: all units. */
  readonly units: readonly string[] | null;
  /** How the caller is known; `proxy`: a proxy in front of the gateway names the caller, `anybody`: nobody needs to sign in. */
  readonly kind: 'person' | 'key' | 'issuer' | 'proxy' | 'anybody';
  /** The id of the session; null: the request has an API key, or needs none. */
  readonly session: string | null;
  /** When the session began. */
  readonly since: string | null;
  /** When it ends at the latest. For a key: when it expires; null: never. */
  readonly until: string | null;
  /** When it ends if no further request comes. */
  readonly idle_until: string | null;
}

export interface Site {
  readonly name: string;
  /** Of its dashboard. */
  readonly address: string;
  /** silent: its last read failed. */
  readonly state: 'unknown' | 'ok' | 'silent';
  /** Why the last read failed. */
  readonly error: string | null;
  /** When its units were read last. */
  readonly read_at: string | null;
  /** Seconds since read_at. */
  readonly age_s: number | null;
  /** As GET _status of the site showed them last. */
  readonly units: readonly Unit[];
}

export interface Snapshot extends Values {
  readonly unit_id: string;
  /** null: meters of this family do not report it. */
  readonly measurement_state: 'Measure' | 'Stop' | null;
  /** As levels_age_s. In GET status it is the time since last_seen. */
  readonly age_s: number | null;
}

export interface SoundRecording {
  readonly unit_id: string;
  /** On the card. GET files/content takes it with `card` and `sha256`. */
  readonly path: string;
  readonly card: number;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** From the time in the name of the file and readings of the clock of the meter. */
  readonly from: string;
  /** `from` and the length of the sound. */
  readonly to: string;
  /** Both times may be so much earlier or later. */
  readonly uncertainty_s: number;
}

/** dB: how far each mean may be off; null for fewer than two days. */
export interface StandardErrorOfDays {
  /** dB */
  readonly lday: number | null;
  /** dB */
  readonly levening: number | null;
  /** dB */
  readonly lnight: number | null;
  /** dB */
  readonly lden: number | null;
  /** dB */
  readonly ldn: number | null;
  /** dB */
  readonly cnel: number | null;
  /** dB */
  readonly leq_24h: number | null;
}

export interface StartCalibrationAnswer {
  readonly status: 'ok';
  readonly data: AssistedCalibration | null;
}

export interface StartCalibrationBody {
  /** what the calibrator gives at the microphone, such as 94.0 or 114.0, dB */
  readonly nominal_db?: number;
}

export interface StartCycleAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
}

export interface StartCycleBody {
  /** A profile to apply first. */
  readonly profile?: string;
  /** The files on the card: auto sets the store mode to Auto, so there are files; nothing sets it to Manual, without files. Without it the store mode stays as the meter or the profile has it. */
  readonly store?: 'auto' | 'nothing';
  /** Whether the clock of the meter is set. */
  readonly sync_clock?: boolean;
}

export interface StartMeasurementAnswer {
  readonly status: 'ok';
  /** The result in words. */
  readonly message: string;
  readonly warning?: string;
}

export interface StateWeightingAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Seconds, readings and means between readings that have this weighting now. */
  readonly moved: number;
  /** Seconds and readings that had it and were doubtful. */
  readonly confirmed: number;
  /** Hours that stay as they are: their single seconds are no longer kept. */
  readonly left_hours: number;
  /** Id of the note. */
  readonly note: string;
}

export interface StateWeightingBody {
  /** The first second that was measured with it. */
  readonly from: string;
  /** The first second after it; at most 31 days later. Default: now. */
  readonly to?: string;
  /** The channel of the meter. Default: main. */
  readonly channel?: string;
  readonly frequency_weighting: 'A' | 'C' | 'Z';
  readonly time_weighting: 'F' | 'S' | 'I';
  /** How it is known; kept in the note. */
  readonly text?: string;
}

export interface Station {
  readonly id: string;
  readonly title: string;
  /** IANA name: days and steps of its observations are those of its clock. Default: UTC. */
  readonly zone: string;
  /** its place in words */
  readonly place: string;
  /** the units that it is for; null: all of them */
  readonly units: readonly string[] | null;
  /** the longest time of an observation without duration_s, which counts since the previous observation; default 600 */
  readonly interval_s: number;
  /** the station is silent after so many seconds without an observation; null: three times interval_s or the length of its newest observation, the longer of both */
  readonly silent_after_s: number | null;
  readonly changed_at: string;
  /** The end of its newest observation; null: no observation. */
  readonly last_at: string | null;
  /** Seconds since then. */
  readonly age_s: number | null;
  /** It has sent nothing for longer than silent_limit_s. null: not known yet, the gateway has just started or the station was just changed. */
  readonly silent: boolean | null;
  /** silent_after_s, or three times its usual. */
  readonly silent_limit_s: number;
}

export interface Status extends Values {
  readonly unit_id: string;
  readonly measurement_start_time: string | null;
  /** How measurement_start_time is known. sent: this gateway started the measurement. computed: from LE and Leq, to 2 % of the time since then. seen: when it was first seen; it began earlier. null: no start is known. */
  readonly measurement_start_source: 'sent' | 'computed' | 'seen' | null;
  /** When the meter last gave one of these values. */
  readonly last_seen: string | null;
  /** Seconds since last_seen. In GET live it is the time since measured_at. */
  readonly age_s: number | null;
  /** null: not tried since the gateway started. */
  readonly is_reachable: boolean | null;
  readonly consecutive_failures: number;
  readonly last_error: LastError | null;
}

export interface StopCycleAnswer {
  readonly status: 'ok';
  readonly message: string;
  /** Id of the job. */
  readonly job: string;
}

export interface Subscription {
  /** Unit ids, or `*` for all. */
  readonly units?: readonly string[];
  readonly events?: ReadonlyArray<'reading' | 'frame' | 'state' | 'setting' | 'reachability' | 'config' | 'alert' | 'job'>;
  /** Most frames of one meter in a second. */
  readonly hz?: number;
}

export interface SyncClockAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly data: ClockSync;
}

export interface TestAlertTargetAnswer {
  readonly status: 'ok';
  readonly message: string;
  readonly delivered: boolean;
}

export interface Trace {
  readonly active: boolean;
  /** Null: no trace since the gateway started. */
  readonly from: string | null;
  readonly until: string | null;
  /** Older lines: the last 5000 are kept. */
  readonly left_out: number;
  /** The oldest first. */
  readonly lines: ReadonlyArray<{
    readonly time: string;
    readonly port: 'control' | 'ftp';
    readonly direction: 'sent' | 'received';
    readonly text: string;
  }>;
}

export interface TraceAnswer {
  readonly status: 'ok';
  readonly data: Trace;
}

export interface TraceBody {
  /** How long. */
  readonly seconds: number;
}

export interface Unit {
  readonly unit_id: string;
  /** Name for people, without control characters. */
  readonly name: string | null;
  /** Place of the meter, in words without control characters. */
  readonly place: string | null;
  /** Degrees, WGS 84, north is positive. */
  readonly latitude: number | null;
  /** Degrees, WGS 84, east is positive. */
  readonly longitude: number | null;
  /** Time zone of the place, an IANA name such as Europe/Berlin. Default: the setting timezone. */
  readonly timezone: string;
  /** Words to find and group units by. */
  readonly tags: readonly string[];
  /** Last day of the legal verification of the meter, such as 2027-12-31. */
  readonly verified_until: string | null;
  /** Last day of the SIM card of its modem, such as 2027-12-31. */
  readonly sim_valid_until: string | null;
  /** Whether commands may be sent. */
  readonly tcp_enabled: boolean;
  /** Whether the meter is read in the background. */
  readonly poll_enabled: boolean;
  /** Time between two background readings. */
  readonly poll_interval_seconds: number;
  /** Recorded levels: none, the background readings, or the fast stream. */
  readonly history: 'off' | 'poll' | 'stream';
  readonly measurement_state: 'Measure' | 'Stop' | null;
  /** dB; null: no value. */
  readonly lp: number | null;
  /** dB; null: no value. */
  readonly leq: number | null;
  /** dB; null: no value. */
  readonly lmax: number | null;
  /** dB; null: no value. */
  readonly lmin: number | null;
  /** dB; null: no value. */
  readonly lpeak: number | null;
  /** dB; null: no value. */
  readonly lieq?: number | null;
  /** dB; null: no value. */
  readonly le: number | null;
  /** dB; null: no value. */
  readonly ln1: number | null;
  /** dB; null: no value. */
  readonly ln2: number | null;
  /** dB; null: no value. */
  readonly ln3: number | null;
  /** dB; null: no value. */
  readonly ln4: number | null;
  /** dB; null: no value. */
  readonly ln5: number | null;
  readonly over_range: boolean | null;
  readonly under_range: boolean | null;
  readonly battery_level: number | null;
  /** The word of the meter for battery_level. */
  readonly battery_state: string | null;
  readonly power_source: 'Battery' | 'External' | 'USB' | null;
  readonly sd_remaining_mb: number | null;
  readonly sd_free_ratio: number | null;
  /** When the levels were measured; lp may be younger: the stream has it, too. */
  readonly measured_at: string | null;
  readonly lp_at: string | null;
  readonly state_at: string | null;
  readonly battery_at: string | null;
  readonly power_at: string | null;
  readonly sd_at: string | null;
  /** ln1 to ln5 by the percentage of the time in which they are exceeded, as the meter has it set: {"5": 52.1, "10": 50.9} are L5 and L10 in dB. Of the places whose percentage is known; null: of none. */
  readonly ln: Readonly<Record<string, number | null>> | null;
  /** With which the levels were measured, but for lpeak; null: not known, or not the same for all. */
  readonly frequency_weighting: 'A' | 'C' | 'Z' | null;
  /** The same for lp, lmax, lmin and the percentiles. */
  readonly time_weighting: 'F' | 'S' | 'I' | null;
  /** No level came for three polling intervals of this unit, or ever. While a stream keeps lp fresh, measured_at says how old the others are. */
  readonly stale: boolean;
  /** Seconds after which lp is old: three polling intervals of this unit. */
  readonly stale_after_s: number;
  /** The levels but for lp are older than levels_stale_after_s, or were never read. */
  readonly levels_stale: boolean;
  /** Seconds after which the other levels are old: as stale_after_s, but at least 900 while a stream brings a younger lp, because the display is then read at most every 300 s. */
  readonly levels_stale_after_s: number;
  /** The levels do not change although the meter says that it measures, for longer than real levels could: 60 s, or a twentieth of the measured time if that is more. */
  readonly frozen: boolean;
  /** The meter showed an impossible level, such as 999.9; it is null here. */
  readonly implausible: boolean;
  /** Seconds since measured_at: how old the levels are, but for lp. */
  readonly levels_age_s: number | null;
  /** Why values are missing; null: nothing is wrong with them. */
  readonly warning: string | null;
  readonly measurement_start_time: string | null;
  /** How measurement_start_time is known. sent: this gateway started the measurement. computed: from LE and Leq, to 2 % of the time since then. seen: when it was first seen; it began earlier. null: no start is known. */
  readonly measurement_start_source: 'sent' | 'computed' | 'seen' | null;
  readonly last_seen: string | null;
  /** Seconds since last_seen. */
  readonly age_s: number | null;
  /** How the meter was last reached; unknown: not tried since the gateway started. */
  readonly state: 'unknown' | 'online' | 'degraded' | 'offline' | 'asleep?' | 'wedged';
  /** Why it is in this state, for a person. */
  readonly reason: string;
  readonly is_reachable: boolean | null;
  readonly consecutive_failures: number;
  readonly last_error: LastError | null;
  /** How far the clock of the meter is ahead of that of the gateway; null: not measured. */
  readonly clock: {
    readonly offset_s: number;
    /** Plus or minus. The clock shows whole seconds. */
    readonly uncertainty_s: number;
    readonly measured_at: string;
  } | null;
}

export interface UnitBudget {
  readonly unit_id: string;
  /** an id, a whole number */
  readonly rule: string;
  readonly name: string;
  readonly quantity: string;
  /** Channel of the meter that the limit is for. */
  readonly channel: string;
  readonly limit_db: number;
  readonly window_from: string;
  readonly window_to: string;
  readonly elapsed_s: number;
  readonly measured_s: number;
  /** For another quantity than leq: its value so far. */
  readonly leq_so_far: number | null;
  /** dB that the rest of the window may average; null: nothing is left, or there is no budget. */
  readonly remaining_may_average_db: number | null;
  /** If the noise of the last five minutes goes on; null: not within this window. */
  readonly will_exceed_at: string | null;
  /** no_data: nothing was measured in this window so far, half a minute after its beginning or later; or less than min_coverage of the rule, and note says what is missing. */
  readonly state: 'ok' | 'warning' | 'exceeded' | 'no_data';
  /** Why there is no budget; null if there is one. */
  readonly note: string | null;
}

export interface UnitEvent {
  /** reading: the values of a command, and while a stream runs the known values, at least once a second. setting: a setting of the meter was read or set. feed: a change of the stream of a unit whose frames are wanted (ok, interrupted, lost). */
  readonly event: 'reading' | 'feed' | 'state' | 'setting' | 'reachability' | 'config' | 'alert' | 'job';
  readonly unit_id: string;
  readonly time: string;
  /** Messages sent to this client, this one included. */
  readonly seq: number;
  /** Readings and frames that this client did not get since its last message, because it was slow. */
  readonly missed: number;
  /** Levels are numbers, dB. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface UnitPolling {
  readonly unit_id: string;
  readonly poll_enabled: boolean;
  readonly poll_interval_seconds: number;
  /** off: not enabled, or TCP is disabled; a meter whose stream is recorded and does not come is read all the same. streaming: somebody watches the fast stream, which keeps lp and more fresh; the display is read at most every five minutes then. slowed: the meter cannot be reached and is tried less often. */
  readonly state: 'off' | 'waiting' | 'reading' | 'streaming' | 'slowed';
  readonly next_poll: string | null;
  readonly last_poll: string | null;
  readonly last_success: string | null;
  readonly last_error: LastError | null;
  /** Polls in a row that could not reach the meter. */
  readonly consecutive_failures: number;
  /** Since the gateway started, like the two below. */
  readonly polls: number;
  readonly successes: number;
  /** Polls that a watched stream made unnecessary. */
  readonly skipped: number;
  readonly measured_at: string | null;
  readonly stale: boolean;
}

export interface UnitVerdict {
  readonly date: string;
  /** exceeded: one limit is, whatever else is missing; not_over: nothing is exceeded so far; not_assessable: too little was measured; excluded: all that would count is excluded; met. */
  readonly verdict: 'exceeded' | 'not_over' | 'not_assessable' | 'excluded' | 'met';
  /** dB: limit minus value, the least; null: unknown. */
  readonly margin_db: number | null;
  /** The value reached amber_db of a limit, and not the limit. */
  readonly is_amber: boolean;
  readonly permit: string;
  readonly title: string;
  readonly parts: readonly PermitPart[];
}

export interface UnitVerdicts {
  readonly unit_id: string;
  /** Days on which a permit is valid for the unit. The permit with the worst verdict decides. */
  readonly days: readonly UnitVerdict[];
}

export interface UnobservedTime {
  readonly quantity: 'wind_speed' | 'wind_direction' | 'gust' | 'rain' | 'temperature' | 'humidity' | 'pressure' | 'traffic' | 'train';
  /** Seconds of the span in which no station of the unit observed this quantity. */
  readonly seconds: number;
  /** The first hundred of these times. */
  readonly spans: ReadonlyArray<{
    readonly from: string;
    readonly to: string;
  }>;
}

export interface Values {
  readonly measurement_state: 'Measure' | 'Stop' | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly lp: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly leq: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly lmax: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly lmin: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly lpeak: string | null;
  /** dB, one decimal. Absent where the meter does not send it. */
  readonly lieq?: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly le: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly ln1: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly ln2: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly ln3: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly ln4: string | null;
  /** dB, one decimal, as the meter wrote it; null: no value. */
  readonly ln5: string | null;
  readonly over_range: boolean | null;
  readonly under_range: boolean | null;
  /** Per cent. Read at most once a minute, like the four below. */
  readonly battery_level: string | null;
  /** The word of the meter for battery_level. */
  readonly battery_state: string | null;
  readonly power_source: 'Battery' | 'External' | 'USB' | null;
  readonly sd_remaining_mb: string | null;
  /** Per cent of the card that is free. */
  readonly sd_free_ratio: string | null;
  /** When the levels were measured; lp may be younger: the stream has it, too. */
  readonly measured_at: string | null;
  readonly lp_at: string | null;
  readonly state_at: string | null;
  readonly battery_at: string | null;
  readonly power_at: string | null;
  readonly sd_at: string | null;
  /** ln1 to ln5 by the percentage of the time in which they are exceeded, as the meter has it set: {"5": 52.1, "10": 50.9} are L5 and L10 in dB. Of the places whose percentage is known; null: of none. */
  readonly ln: Readonly<Record<string, number | null>> | null;
  /** With which the levels were measured, but for lpeak; null: not known, or not the same for all. */
  readonly frequency_weighting: 'A' | 'C' | 'Z' | null;
  /** The same for lp, lmax, lmin and the percentiles. */
  readonly time_weighting: 'F' | 'S' | 'I' | null;
  /** No level came for three polling intervals of this unit, or ever. While a stream keeps lp fresh, measured_at says how old the others are. */
  readonly stale: boolean;
  /** Seconds after which lp is old: three polling intervals of this unit. */
  readonly stale_after_s: number;
  /** The levels but for lp are older than levels_stale_after_s, or were never read. */
  readonly levels_stale: boolean;
  /** Seconds after which the other levels are old: as stale_after_s, but at least 900 while a stream brings a younger lp, because the display is then read at most every 300 s. */
  readonly levels_stale_after_s: number;
  /** The levels do not change although the meter says that it measures, for longer than real levels could: 60 s, or a twentieth of the measured time if that is more. */
  readonly frozen: boolean;
  /** The meter showed an impossible level, such as 999.9; it is null here. */
  readonly implausible: boolean;
  /** Seconds since measured_at: how old the levels are, but for lp. */
  readonly levels_age_s: number | null;
  /** Why values are missing; null: nothing is wrong with them. */
  readonly warning: string | null;
}

export interface WaysToSignIn {
  /** There are people with a password. */
  readonly password: boolean;
  /** Nobody can sign in yet: the code in the log of the gateway makes the first admin (`POST /_invitation/person`). */
  readonly first_admin: boolean;
  /** Name of the issuer for people (OpenID Connect): sign-in begins at /sign-in. null: no issuer is set. */
  readonly issuer: string | null;
}

export interface Weighting {
  readonly frequency: 'A' | 'C' | 'Z';
  readonly time: 'F' | 'S' | 'I';
}

export interface WhoAmIAnswer {
  readonly status: 'ok';
  readonly data: SignedIn;
}

export interface WorstWindow {
  readonly from: string;
  readonly to: string;
  /** dB */
  readonly leq: number | null;
  /** dB */
  readonly lr: number | null;
  readonly parts: readonly AssessedPart[];
}

/** What is kept of stations. Times are ms since 1970 UTC. */
import { columns, defineTable, type NoteReason, type Table, type TableMigration } from '../../lib/index.ts';
import { OBSERVED_NAMES, type ObservedName, type ObservedValues } from './quantities.ts';

const { integer, integerOrNull, json, realOrNull, text } = columns;

/** What a person says of a station. */
export interface StationBody {
  readonly title: string;
  /** IANA name: days and steps are those of its clock. */
  readonly zone: string;
  /** Where it stands, in words. */
  readonly place: string;
  /** The units that it is for; null: all of them. */
  readonly units: readonly string[] | null;
  /** How long an observation lasts at most that does not say so, seconds. */
  readonly intervalS: number;
  /** Without an observation for longer it counts as silent, seconds; null: three times its usual. */
  readonly silentAfterS: number | null;
}
/** A station as a row. */
export interface StationRow {
  readonly id: string;
  readonly body: StationBody;
  readonly changedAt: number;
}
/** By id. */
export const STATIONS: Table<StationRow> = defineTable('stations_station', ['id'], {
  id: text(),
  body: json<StationBody>(),
  changedAt: integer(),
});

/** What a station observed in the `duration` ms that ended at `at`; null: since the one before. */
export interface StationObservation extends ObservedValues {
  readonly at: number;
  readonly duration: number | null;
}
/** The same as a row. */
export interface ObservationRow extends StationObservation {
  readonly station: string;
}
/** By station and time. */
export const OBSERVATIONS: Table<ObservationRow> = defineTable('stations_observation', ['station', 'at'], {
  station: text(),
  at: integer(),
  duration: integerOrNull(),
  ...{ wind_speed: realOrNull(), wind_direction: realOrNull(), gust: realOrNull(), rain: realOrNull() },
  ...{ temperature: realOrNull(), humidity: realOrNull(), pressure: realOrNull() },
  ...{ traffic: realOrNull(), train: realOrNull() },
});

/** Levels do not count where a quantity is above, or below, a limit; a value that is exactly the limit is neither. */
export interface ObservationRule {
  readonly quantity: ObservedName;
  readonly above: number | null;
  readonly below: number | null;
  readonly reason: NoteReason;
  /** What is left out before and after such a time, seconds. */
  readonly before_s: number;
  readonly after_s: number;
  /** Shorter times are no reason, seconds. */
  readonly min_s: number;
}
/** The rules of a unit as a row. */
export interface UnitRules {
  readonly unitId: string;
  readonly rules: readonly ObservationRule[];
  readonly changedAt: number;
  /** Since when the rules exclude by themselves; null: they propose alone. */
  readonly autoSince: number | null;
  /** Times before are judged; what is late is judged again. Null where nothing is excluded by itself. */
  readonly autoFrom: number | null;
}
/** By unit. */
export const OBSERVATION_RULES: Table<UnitRules> = defineTable('stations_rules', ['unitId'], {
  unitId: text(),
  rules: json<readonly ObservationRule[]>(),
  changedAt: integer(),
  ...{ autoSince: integerOrNull(), autoFrom: integerOrNull() },
});

/** The steps in the life of the tables. */
export const STATION_MIGRATIONS: readonly TableMigration[] = [
  {
    name: '0001-stations',
    statements: [
      'create table stations_station (id text not null primary key, body json not null, changed_at integer not null)',
      `create table stations_observation (
        station text not null, at integer not null, duration integer null,
        ${OBSERVED_NAMES.map((name) => `${name} real null`).join(', ')},
        primary key (station, at)
      ) without rowid`,
      'create table stations_rules (unit_id text not null primary key, rules json not null, changed_at integer not null)',
    ],
  },
  {
    name: '0002-auto-exclude',
    statements: [
      'alter table stations_rules add column auto_since integer null',
      'alter table stations_rules add column auto_from integer null',
    ],
  },
];

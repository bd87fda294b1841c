/** The tables of stations. Times are ms since 1970 UTC. */
import { columns, defineTable, type Table, type TableMigration } from '../../lib/index.ts';
import type { NoteReason } from '../notes/index.ts';
import { OBSERVED_NAMES, type ObservedName, type ObservedValues } from './quantities.ts';

const { integer, integerOrNull, json, realOrNull, text } = columns;

export interface StationBody {
  readonly title: string;
  /** IANA name: days and steps follow its clock. */
  readonly zone: string;
  readonly place: string;
  readonly units: readonly string[] | null;
  /** The longest time of an observation without a duration, seconds. */
  readonly intervalS: number;
  /** After this time without an observation the station is silent, seconds; null: three times its usual pause. */
  readonly silentAfterS: number | null;
}
export interface StationRow {
  readonly id: string;
  readonly body: StationBody;
  readonly changedAt: number;
}
export const STATIONS: Table<StationRow> = defineTable('stations_station', ['id'], {
  id: text(),
  body: json<StationBody>(),
  changedAt: integer(),
});

/** The observation of a station over `duration` ms that ended at `at`; null: since the previous observation. */
export interface StationObservation extends ObservedValues {
  readonly at: number;
  readonly duration: number | null;
}
export interface ObservationRow extends StationObservation {
  readonly station: string;
}
export const OBSERVATIONS: Table<ObservationRow> = defineTable('stations_observation', ['station', 'at'], {
  station: text(),
  at: integer(),
  duration: integerOrNull(),
  wind_speed: realOrNull(),
  wind_direction: realOrNull(),
  gust: realOrNull(),
  rain: realOrNull(),
  temperature: realOrNull(),
  humidity: realOrNull(),
  pressure: realOrNull(),
  traffic: realOrNull(),
  train: realOrNull(),
});

/** Excludes levels while a quantity is above, or below, a limit; a value that equals the limit is neither. */
export interface ObservationRule {
  readonly quantity: ObservedName;
  readonly above: number | null;
  readonly below: number | null;
  readonly reason: NoteReason;
  /** Time to exclude before and after such a time, seconds. */
  readonly before_s: number;
  readonly after_s: number;
  /** Shorter times do not count, seconds. */
  readonly min_s: number;
}
export interface UnitRules {
  readonly unitId: string;
  readonly rules: readonly ObservationRule[];
  readonly changedAt: number;
  /** Since when the rules write exclusions; null: they only propose. */
  readonly autoSince: number | null;
  /** Earlier times are judged; late observations are judged again. Null if the rules only propose. */
  readonly autoFrom: number | null;
}
export const OBSERVATION_RULES: Table<UnitRules> = defineTable('stations_rules', ['unitId'], {
  unitId: text(),
  rules: json<readonly ObservationRule[]>(),
  changedAt: integer(),
  autoSince: integerOrNull(),
  autoFrom: integerOrNull(),
});

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

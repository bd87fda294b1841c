/** The tables of stations. Times are ms since 1970 UTC. */
import type { RecordOf } from '../../lib/built-in.ts';
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
const STATION_FIELDS = { id: text(), body: json<StationBody>(), changedAt: integer() };
export type StationRow = RecordOf<typeof STATION_FIELDS>;
export const STATIONS = defineTable('stations_station', ['id'], STATION_FIELDS);

/** The observation of a station over `duration` ms that ended at `at`; null: since the previous observation. */
export interface StationObservation extends ObservedValues {
  readonly at: number;
  readonly duration: number | null;
}
export interface ObservationRow extends StationObservation {
  readonly station: string;
}
const OBSERVED_COLUMNS = Object.fromEntries(OBSERVED_NAMES.map((name) => [name, realOrNull()])) as Record<
  ObservedName,
  ReturnType<typeof realOrNull>
>;
export const OBSERVATIONS: Table<ObservationRow> = defineTable('stations_observation', ['station', 'at'], {
  station: text(),
  at: integer(),
  duration: integerOrNull(),
  ...OBSERVED_COLUMNS,
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
const RULES_FIELDS = {
  unitId: text(),
  rules: json<readonly ObservationRule[]>(),
  changedAt: integer(),
  /** Since when the rules write exclusions; null: they only propose. */
  autoSince: integerOrNull(),
  /** Earlier times are judged; late observations are judged again. Null if the rules only propose. */
  autoFrom: integerOrNull(),
};
export type UnitRules = RecordOf<typeof RULES_FIELDS>;
export const OBSERVATION_RULES = defineTable('stations_rules', ['unitId'], RULES_FIELDS);

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

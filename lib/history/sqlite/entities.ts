/**
 * The tables of the history for the ORM. The tables themselves are made by `migrations/`; a test compares the two.
 * Levels are hundredths of a dB, `hour` counts hours since 1970 UTC, blobs have the formats of `../rows`.
 */
import { defineEntity, p } from '@mikro-orm/core';

/** A source of a unit with its weighting. */
export const SeriesEntity = defineEntity({
  name: 'HistorySeries',
  tableName: 'history_series',
  properties: {
    id: p.integer().primary().autoincrement(false),
    unitId: p.text(),
    source: p.text().$type<'card' | 'stream' | 'import' | 'poll'>(),
    frequency: p.text(),
    time: p.text(),
    /** Null: the main channel. */
    channel: p.text().nullable(),
    /** 0 during an import: its rows are invisible. */
    ready: p.integer(),
    /** Bounds of its intervals, if it has any. */
    intervalsFrom: p.integer().nullable(),
    intervalsTo: p.integer().nullable(),
  },
});

/** The packed seconds of an hour. */
export const SecondHourEntity = defineEntity({
  name: 'HistorySecondHour',
  tableName: 'history_second_hour',
  properties: { series: p.integer().primary(), hour: p.integer().primary(), rows: p.blob() },
});

/** The packed minutes of an hour. */
export const MinuteHourEntity = defineEntity({
  name: 'HistoryMinuteHour',
  tableName: 'history_minute_hour',
  properties: { series: p.integer().primary(), hour: p.integer().primary(), rows: p.blob() },
});

/** The sum of an hour. */
export const HourEntity = defineEntity({
  name: 'HistoryHour',
  tableName: 'history_hour',
  properties: {
    series: p.integer().primary(),
    hour: p.integer().primary(),
    leq: p.integer(),
    lmax: p.integer(),
    lmaxAt: p.integer(),
    lmin: p.integer(),
    lpeak: p.integer(),
    lp: p.integer(),
    steps: p.integer(),
    readings: p.integer(),
    over: p.integer(),
    under: p.integer(),
    frozen: p.integer(),
    implausible: p.integer(),
    /** Bytes of its seconds and of its minutes; 0 when they are no longer kept. */
    secondBytes: p.integer(),
    minuteBytes: p.integer(),
    counts: p.blob(),
    spans: p.blob(),
    /** Levels and flags that have no column: JSON by name. */
    more: p.text().nullable(),
  },
});

/** Rows of other lengths than a second. */
export const IntervalEntity = defineEntity({
  name: 'HistoryInterval',
  tableName: 'history_interval',
  properties: {
    series: p.integer().primary(),
    at: p.integer().primary(),
    duration: p.integer(),
    leq: p.integer(),
    lmax: p.integer(),
    lmin: p.integer(),
    lpeak: p.integer(),
    /** Percentiles of the source, as JSON. */
    ln: p.text().nullable(),
    line: p.integer().nullable(),
    more: p.text().nullable(),
  },
});

/** Batches that are not yet in their hours. */
export const JournalEntity = defineEntity({
  name: 'HistoryJournal',
  tableName: 'history_journal',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** The series that the rows refer to by index, as JSON; for a removal its series and span. */
    head: p.text(),
    rows: p.blob(),
  },
});

/** All tables of the history. */
export const historyEntities = [
  SeriesEntity,
  SecondHourEntity,
  MinuteHourEntity,
  HourEntity,
  IntervalEntity,
  JournalEntity,
];

/**
 * The tables as the ORM sees them. The tables themselves are made by `migrations/`; a test compares the two.
 * Credentials are already sealed text here (see `secrets.ts`): nothing in this file ever holds a password.
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const DeviceConfigEntity = defineEntity({
  name: 'DeviceConfig',
  tableName: 'device_config',
  properties: {
    unitId: p.string().primary(),
    host: p.string(),
    tcpPort: p.integer(),
    tcpEnabled: p.boolean(),
    ftpEnabled: p.boolean(),
    webEnabled: p.boolean(),
    ftpPort: p.integer(),
    ftpMode: p.string().$type<'active' | 'passive'>(),
    ftpUsername: p.text().nullable(),
    ftpPassword: p.text().nullable(),
    pollEnabled: p.boolean().default(false),
    pollIntervalSeconds: p.integer().default(60),
  },
});

export const SnapshotEntity = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshot',
  properties: {
    unitId: p.string().primary(),
    measurementState: p.string().$type<'Measure' | 'Stop'>().nullable(),
    lp: p.string().nullable(),
    leq: p.string().nullable(),
    le: p.string().nullable(),
    lmax: p.string().nullable(),
    lmin: p.string().nullable(),
    lpeak: p.string().nullable(),
    ln1: p.string().nullable(),
    ln2: p.string().nullable(),
    ln3: p.string().nullable(),
    ln4: p.string().nullable(),
    ln5: p.string().nullable(),
    overRange: p.boolean().nullable(),
    underRange: p.boolean().nullable(),
    batteryLevel: p.string().nullable(),
    batteryState: p.string().nullable(),
    powerSource: p.string().$type<'Battery' | 'External' | 'USB'>().nullable(),
    sdRemainingMb: p.string().nullable(),
    sdFreeRatio: p.string().nullable(),
    // SQLite integers have 64 bits: milliseconds since 1970 fit, and stay numbers in JavaScript.
    measurementStartTime: p.integer().nullable(),
    lastSeen: p.integer().nullable(),
    stateAt: p.integer().nullable(),
    lpAt: p.integer().nullable(),
    levelsAt: p.integer().nullable(),
    batteryAt: p.integer().nullable(),
    powerAt: p.integer().nullable(),
    cardAt: p.integer().nullable(),
    unchangedSince: p.integer().nullable(),
  },
});

/** Facts about the database itself, by name. */
export const StoreFactEntity = defineEntity({
  name: 'StoreFact',
  tableName: 'store_fact',
  properties: {
    name: p.string().primary(),
    value: p.text(),
  },
});

export const entities = [DeviceConfigEntity, SnapshotEntity, StoreFactEntity];

export type DeviceConfigRow = InferEntity<typeof DeviceConfigEntity>;
export type SnapshotRow = InferEntity<typeof SnapshotEntity>;

/** What one unit has cost and how it went, over all its sessions. Counts only; nobody decides by them. */
import { METER_COUNTER_NAMES } from '../fields/counters.ts';
import type { MeterCounters } from './contract.ts';

export type Counters = { -readonly [Name in keyof MeterCounters]: number };

export const createCounters = (): Counters =>
  Object.fromEntries(METER_COUNTER_NAMES.map((name) => [name, 0])) as Counters;

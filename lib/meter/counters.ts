/** What one unit has cost and how it went, over all its sessions. Counts only; nobody decides by them. */
import type { MeterCounters } from './contract.ts';

export type Counters = { -readonly [Name in keyof MeterCounters]: number };

export const createCounters = (): Counters => ({
  bytesSent: 0,
  bytesReceived: 0,
  connects: 0,
  connectFailures: 0,
  commands: 0,
  refused: 0,
  garbled: 0,
  timeouts: 0,
  resent: 0,
  joined: 0,
  frames: 0,
  framesUnreadable: 0,
});

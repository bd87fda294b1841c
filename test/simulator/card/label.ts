/** A store label and blocks with known numbers, for tests of the card. */
import type { Block, BlockValues, DisplayValues, InstrumentSetup, StoreLabel } from '../../../simulator/contract.ts';

/** 2025-12-24 02:00:00 on the meter's clock. */
export const AT = Date.UTC(2025, 11, 24, 2);

const off = { on: false, frequency: 'A', time: 'F' } as const;

export const SETUP: InstrumentSetup = {
  channels: { main: { on: true, frequency: 'A', time: 'F' }, sub1: off, sub2: off, sub3: off },
  percentiles: [5, 10, 50, 90, 95],
  movingLeqMs: null,
};

export const storeLabel = (changes: Partial<StoreLabel> = {}): StoreLabel => ({
  mode: 'Auto',
  storeName: 19,
  indexNumber: 1,
  address: 1,
  startedAt: AT,
  model: 'NL-43',
  serial: '00123456',
  setup: SETUP,
  lpIntervalMs: 1_000,
  leqIntervalMs: 900_000,
  ...changes,
});

export const VALUES: BlockValues = {
  lp: 43.7,
  leq: 43.5,
  le: 73.04,
  lmax: 43.9,
  lmin: 43.4,
  ln: [47.2, 45.9, 43, 41.6, 41.3],
  lpeak: 56.1,
  lieq: 44.25,
  over: false,
  under: false,
};

export const block = (from: number, ms: number, values: BlockValues | null = VALUES): Block => ({
  from,
  to: from + ms,
  channels: { main: values, sub1: null, sub2: null, sub3: null },
});

export const shown = (changes: Partial<DisplayValues> = {}) => ({
  main: { ...VALUES, lieq: null, leqMov: null, ltm5: null, ...changes },
  sub1: null,
  sub2: null,
  sub3: null,
});

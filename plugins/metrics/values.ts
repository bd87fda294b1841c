/**
 * The last values of each meter as gauges: levels, battery, card. An unknown or old value is left out, as Prometheus
 * recommends: the line of a lost meter then ends.
 */
import { Gauge, type Registry } from 'prom-client';
import {
  type LevelSettings,
  quantities,
  type Reachability,
  STALE_INTERVALS,
  type Status,
  type UnitStatus,
} from '../../lib/built-in.ts';
import type { DeviceConfig } from '../../lib/index.ts';

const { quantitiesIn, quantityOf, SLOTS } = quantities;
const LEVELS = quantitiesIn('metrics');
const SLOT_NAMES: readonly string[] = SLOTS;
/** Battery and card are read once a minute at most, and during a stream one after the other. ms */
const SLOW_MS = 900_000;
/** Values of such a meter are not present values. */
const GONE: ReadonlySet<string> = new Set(['offline', 'asleep?', 'wedged'] satisfies Reachability['state'][]);

interface ShownConfig extends Pick<DeviceConfig, 'unitId' | 'pollIntervalSeconds'> {
  readonly reachability: Reachability | undefined;
}

export function showValues(registry: Registry, status: Status, units: readonly ShownConfig[]): void {
  const registers = [registry];
  const level = new Gauge({
    name: 'slm_level_db',
    help: 'Last level of the main channel, with its known weightings, or the known percentage of a percentile',
    labelNames: ['unit_id', 'quantity', 'percent', 'frequency_weighting', 'time_weighting'],
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['unit_id'], registers });
  const battery = gauge('slm_battery_percent', 'Battery of the meter');
  const card = gauge('slm_card_free_percent', 'Free space on the card of the meter');
  const measuring = gauge('slm_measuring', '1 while the meter measures, 0 while it does not');
  for (const unit of units) {
    const { unitId: unit_id } = unit;
    const known = status.of(unit_id);
    const { values, levelSettings } = known;
    for (const quantity of LEVELS) {
      const labels = labelsOf(quantity, levelSettings);
      const at = quantityOf(quantity)?.age ?? 'levelsAt';
      if (labels && values[quantity] !== null && isOfNow(unit, known, at))
        level.set({ unit_id, quantity, ...labels }, Number(values[quantity]));
    }
    const isThere = (at: Parameters<UnitStatus['age']>[0]) => isOfNow(unit, known, at, SLOW_MS);
    if (values.batteryLevel !== null && isThere('batteryAt')) battery.set({ unit_id }, Number(values.batteryLevel));
    if (values.sdFreeRatio !== null && isThere('cardAt')) card.set({ unit_id }, Number(values.sdFreeRatio));
    if (values.measurementState !== null && isThere('stateAt'))
      measuring.set({ unit_id }, Number(values.measurementState === 'Measure'));
  }
}

function isOfNow(
  { pollIntervalSeconds, reachability }: ShownConfig,
  { age }: UnitStatus,
  at: Parameters<UnitStatus['age']>[0],
  leastMs = 0,
): boolean {
  const old = age(at);
  const limit = Math.max(leastMs, STALE_INTERVALS * pollIntervalSeconds * 1_000);
  return old !== null && old <= limit && !GONE.has(reachability?.state ?? 'unknown');
}

function labelsOf(
  quantity: quantities.QuantityIn<'metrics'>,
  { percentiles, frequencyWeighting, timeWeighting }: LevelSettings,
): Readonly<Record<string, string>> | undefined {
  const place = SLOT_NAMES.indexOf(quantity);
  const percent = percentiles[place] ?? null;
  if (place >= 0 && percent === null) return undefined;
  const symbol = place >= 0 ? 'L{f}{t}' : (quantityOf(quantity)?.symbol ?? '');
  return {
    ...(percent !== null && { percent: String(percent) }),
    ...(frequencyWeighting !== null && symbol.includes('{f}') && { frequency_weighting: frequencyWeighting }),
    ...(timeWeighting !== null && symbol.includes('{t}') && { time_weighting: timeWeighting }),
  };
}

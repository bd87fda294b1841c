/** The last values of each meter as gauges: levels, battery, card. A value that is not known is left out, as Prometheus wants it. */
import { Gauge, type Registry } from 'prom-client';
import { quantitiesIn } from '../../domain/quantities.ts';
import type { SnapshotStore } from '../../store/contract.ts';

const LEVELS = quantitiesIn('metrics');

/** Adds a gauge for each kind of value, with one series for each unit that has it. */
export function showValues(registry: Registry, snapshots: Pick<SnapshotStore, 'get'>, units: readonly string[]): void {
  const registers = [registry];
  const level = new Gauge({
    name: 'slm_level_db',
    help: 'Last level of the main channel; slm_meter_levels_timestamp_seconds says how old',
    labelNames: ['unit_id', 'quantity'],
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['unit_id'], registers });
  const battery = gauge('slm_battery_percent', 'Battery of the meter');
  const card = gauge('slm_card_free_percent', 'Free space on the card of the meter');
  const measuring = gauge('slm_measuring', '1 while the meter measures, 0 while it does not');
  for (const unit_id of units) {
    const values = snapshots.get(unit_id);
    for (const quantity of LEVELS)
      if (values[quantity] !== null) level.set({ unit_id, quantity }, Number(values[quantity]));
    if (values.batteryLevel !== null) battery.set({ unit_id }, Number(values.batteryLevel));
    if (values.sdFreeRatio !== null) card.set({ unit_id }, Number(values.sdFreeRatio));
    if (values.measurementState !== null) measuring.set({ unit_id }, Number(values.measurementState === 'Measure'));
  }
}

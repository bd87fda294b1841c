/**
 * The `.rnh` header of an Auto store: `CSV`, then sections of `key,value` lines. It has the percentage of each
 * LN column, but no times of the measurement. The shape is inferred from programs that read such files; keys inferred,
 * spelt like the commands of the same things.
 */

import { CHANNELS } from '../../lib/drivers/nl43/spec/layouts.ts';
import type { StoreLabel } from '../contract.ts';
import { label as channelLabel } from './rows.ts';

/** The whole file, lines with CR LF. */
export function storeHeader(label: StoreLabel): string {
  const four = (value: number) => String(value).padStart(4, '0');
  const lines = [
    'CSV',
    '[System]',
    `Type,${label.model}`,
    `Serial Number,${label.serial}`,
    `Index Number,${four(label.indexNumber)}`,
    '[Store]',
    `Store Mode,${label.mode}`,
    `Store Name,${four(label.storeName)}`,
    `Lp Store Interval,${interval(label.lpIntervalMs)}`,
    `Leq Calculation Interval,${interval(label.leqIntervalMs)}`,
    '[Channel]',
    ...CHANNELS.flatMap((channel) => channelLines(label, channel)),
    '[Percentile]',
    ...label.setup.percentiles.map((percent, at) => `Percentile ${at + 1},${percent}`),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

function channelLines(label: StoreLabel, channel: (typeof CHANNELS)[number]): string[] {
  const setup = label.setup.channels[channel];
  const name = channelLabel(channel);
  if (channel !== 'main' && !setup.on) return [`Channel (${name}),Off`];
  return [
    `Channel (${name}),On`,
    `Frequency Weighting (${name}),${setup.frequency}`,
    `Time Weighting (${name}),${setup.time}`,
  ];
}

/** `100ms`, `1s`, `15m`, `8h`: the words of the interval commands. */
function interval(ms: number | null): string {
  if (ms === null) return 'Off';
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const) {
    if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

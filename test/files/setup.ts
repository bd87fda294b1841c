/** Cards on a clock that does not move by itself, beside real sockets on loopback. */

import { type CardsOptions, ftpCards } from '../../lib/files/index.ts';
import { createLog } from '../../lib/log.ts';
import type { DeviceConfig } from '../../lib/store/contract.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { deviceConfig } from '../support/config.ts';

export const TIMEOUT_MS = 5_000;
export const forever = { signal: new AbortController().signal };

export const config = (at: { host: string; port: number }, over: Partial<DeviceConfig> = {}): DeviceConfig =>
  deviceConfig({ host: at.host, ftpEnabled: true, ftpPort: at.port, ...over });

export function cards(over: Partial<CardsOptions> = {}) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => lines.push(line) });
  const made = ftpCards({ clock, timeoutMs: TIMEOUT_MS, coordinator: () => undefined, log, ...over });
  return { clock, lines, of: made.of };
}

/** The card of a meter there, with a clock of its own. */
export const cardOf = (at: { host: string; port: number }, over: Partial<DeviceConfig> = {}) =>
  cards().of(config(at, over));

/** Lets sockets go on until `holds`; the test's own time limit is the deadline. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets bytes that are on their way over loopback arrive. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

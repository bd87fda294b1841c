/** Several meters in one process, each with its own ports, card, sound and serial number, on one clock. */
import type { MeterOptions, SimulatedMeter } from './contract.ts';
import { startMeter } from './meter.ts';

interface FleetOptions extends Omit<MeterOptions, 'tcpPort' | 'ftpPort' | 'serial'> {
  readonly meters: number;
  /** Control port of the first meter, its FTP port is the next one, and so on. Default: any free ports. */
  readonly firstPort?: number | undefined;
}

export interface FleetMember {
  /** `sim-1`, `sim-2` ... */
  readonly unitId: string;
  readonly meter: SimulatedMeter;
}

const FIRST_SERIAL = 144_703;

/** A hundred meters on one core need a coarser sound model. ms */
const soundStep = (meters: number) => (meters > 4 ? 100 : 10);

/** All of them or none: when one cannot start, the others are stopped again. */
export async function startFleet({ meters, firstPort, ...options }: FleetOptions): Promise<FleetMember[]> {
  const seed = options.seed ?? 1;
  const started = await Promise.allSettled(
    Array.from({ length: meters }, async (_, index) => ({
      unitId: `sim-${index + 1}`,
      meter: await startMeter({
        soundStepMs: soundStep(meters),
        ...options,
        seed: seed + index,
        ...(firstPort !== undefined && { tcpPort: firstPort + 2 * index, ftpPort: firstPort + 2 * index + 1 }),
        serial: String(FIRST_SERIAL + index).padStart(8, '0'),
      }),
    })),
  );
  const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed) {
    await stopFleet(running);
    throw failed.reason;
  }
  return running;
}

export async function stopFleet(fleet: readonly FleetMember[]): Promise<void> {
  await Promise.all(fleet.map(({ meter }) => meter.stop()));
}

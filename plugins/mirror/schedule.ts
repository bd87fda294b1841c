/** Starts the mirror of each unit: `every` after the last run, or soon if that time has passed. */
import type { DeviceConfig, Host } from '../../lib/index.ts';
import type { MirrorSettings } from './run.ts';
import type { MirrorStore } from './store.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Not in the first minute, when the gateway and its meters have other work. */
const SOONEST_MS = 60_000;

/** `30m`, `6h`, `1d`. */
export const everyMs = (every: string): number =>
  Number(every.slice(0, -1)) * UNIT_MS[every.endsWith('m') ? 'm' : every.endsWith('h') ? 'h' : 'd'];

/** Until the plugin stops. */
export function scheduleRuns(
  host: Host<MirrorSettings>,
  store: MirrorStore,
  start: (unitId: string) => Promise<unknown>,
): void {
  const timers = new Map<string, () => void>();
  const disarm = (unitId: string): void => {
    timers.get(unitId)?.();
    timers.delete(unitId);
  };
  const arm = (unitId: string, ms: number): void => {
    disarm(unitId);
    timers.set(
      unitId,
      host.clock.after(ms, () => fire(unitId)),
    );
  };
  const fire = (unitId: string): void => {
    start(unitId)
      .catch((error: unknown) => host.log.warn({ unit_id: unitId, err: error }, 'the mirror could not be started'))
      .then(() => {
        const config = host.configs.get(unitId);
        if (config?.mirror.enabled && !host.signal.aborted) arm(unitId, everyMs(config.mirror.every));
      });
  };
  const plan = async (config: DeviceConfig): Promise<void> => {
    const { unitId, mirror, ftpEnabled } = config;
    disarm(unitId);
    if (!mirror.enabled || !ftpEnabled || !host.families.find(config.family)?.card) return;
    const { lastRun } = await store.unit(unitId);
    if (host.signal.aborted || host.configs.get(unitId) !== config) return;
    const ms = everyMs(mirror.every);
    const wait = lastRun === null ? 0 : Math.min(ms, lastRun + ms - host.clock.now());
    arm(unitId, Math.max(SOONEST_MS, wait));
  };
  const follow = (config: DeviceConfig) =>
    void plan(config).catch((error: unknown) =>
      host.log.warn({ unit_id: config.unitId, err: error }, 'no plan for the mirror'),
    );
  const unfollow = host.configs.onChange((unitId, config) => (config ? follow(config) : disarm(unitId)));
  for (const config of host.configs.list()) follow(config);
  host.onStop(() => {
    unfollow();
    for (const cancel of timers.values()) cancel();
  });
}

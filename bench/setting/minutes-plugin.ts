/** Tells of readings of every unit once a minute, by the clock of the gateway; each unit stands still for ten minutes in two hours. */
import type { Plugin } from '../../lib/index.ts';

const MINUTE_MS = 60_000;
const ROUND = 120;
const STOPPED = 10;

const plugin: Plugin = {
  name: 'minutes',
  register(host) {
    let minute = 0;
    const tell = (unitId: string, index: number) => {
      const level = 50 + 8 * Math.sin((minute + index) / 20);
      const now = host.clock.now();
      const isStopped = (minute + index * STOPPED) % ROUND < STOPPED;
      host.publish(unitId, 'reading', {
        values: {
          levelsAt: now,
          lpAt: now,
          stateAt: now,
          measurementState: isStopped ? 'Stop' : 'Measure',
          lp: level.toFixed(1),
          leq: level.toFixed(1),
          lmax: (level + 12).toFixed(1),
          lmin: (level - 9).toFixed(1),
        },
      });
    };
    let cancel = () => {};
    const go = () => {
      minute += 1;
      for (const [index, { unitId }] of host.configs.list().entries()) tell(unitId, index);
      cancel = host.clock.after(MINUTE_MS, go);
    };
    cancel = host.clock.after(MINUTE_MS, go);
    host.onStop(() => cancel());
  },
};
export default plugin;

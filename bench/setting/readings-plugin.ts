/** Tells of readings of every unit once a second, as if meters had been asked: for benches that need no meter. */
import type { Plugin } from '../../lib/index.ts';

const SECOND_MS = 1_000;

const plugin: Plugin = {
  name: 'readings',
  register(host) {
    let round = 0;
    const tell = (unitId: string, index: number) => {
      const level = 50 + 8 * Math.sin((round + index) / 20) + (round % 7) / 10;
      const text = (value: number) => value.toFixed(1);
      const now = host.clock.now();
      host.publish(unitId, 'reading', {
        values: {
          levelsAt: now,
          lpAt: now,
          stateAt: now,
          measurementState: 'Measure',
          lp: text(level + 2),
          leq: text(level),
          lmax: text(level + 12),
          lmin: text(level - 9),
          lpeak: text(level + 25),
        },
      });
    };
    const timer = setInterval(() => {
      round += 1;
      for (const [index, { unitId }] of host.configs.list().entries()) tell(unitId, index);
    }, SECOND_MS);
    host.onStop(() => clearInterval(timer));
  },
};
export default plugin;

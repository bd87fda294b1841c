/** A radio that sleeps when nothing is sent, and takes its time to come back. */
import { defineFault } from './define.ts';
import { later } from './emissions.ts';
import { ms } from './settings.ts';

export const wakeUp = defineFault({
  name: 'wake-up',
  summary: 'The first reply after a quiet time is slow, as over an LTE modem whose radio had gone to sleep.',
  works: 'lasting',
  settings: {
    idle_ms: ms(10_000, 'after this quiet time the radio sleeps, ms'),
    min_ms: ms(300, 'waking takes at least, ms'),
    max_ms: ms(2_000, 'and at most, ms'),
  },
  evidence: ['inferred', 'radio wake-up of 0.3 to 2 s; first contacts of the field log were not slower'],
  create({ idle_ms, min_ms, max_ms }, { clock, random }) {
    let trafficAt = Number.NEGATIVE_INFINITY;
    let waking = false;
    return {
      incoming(bytes) {
        waking ||= clock.elapsed() - trafficAt > idle_ms;
        trafficAt = clock.elapsed();
        return bytes;
      },
      outgoing(emissions) {
        trafficAt = clock.elapsed();
        if (!waking) return emissions;
        waking = false;
        return later(emissions, min_ms + Math.max(0, max_ms - min_ms) * random());
      },
    };
  },
});

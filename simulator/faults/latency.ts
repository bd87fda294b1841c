/** Time that a reply takes longer: on the way, or until a radio that slept is back. */
import { defineFault, ms } from './define.ts';
import { later } from './emissions.ts';

export const latency = defineFault({
  name: 'latency',
  summary: 'Every reply and every frame comes later, by a fixed time and a random one.',
  works: 'by reply',
  settings: { ms: ms(500, 'fixed part, ms'), jitter_ms: ms(0, 'up to this much more, drawn each time, ms') },
  evidence: ['captured', 'field log over LTE: round trips of 0.11 to 0.63 s, 80 ms of it the link'],
  create: (settings, { random }) => ({
    outgoing: (emissions) => later(emissions, settings.ms + settings.jitter_ms * random()),
  }),
});

export const lateReply = defineFault({
  name: 'late-reply',
  summary:
    'The reply comes whole, but after the client has given up; what the client sends meanwhile finds a busy meter.',
  works: 'by reply',
  settings: { ms: ms(6_000, 'so much later, ms; the meter promises 3 s') },
  evidence: ['code', 'a public client drains late replies before it sends again'],
  create: (settings) => ({ outgoing: (emissions, _, frame) => (frame ? emissions : later(emissions, settings.ms)) }),
});

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

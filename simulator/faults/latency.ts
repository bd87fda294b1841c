/** Time that a reply takes longer. */
import { defineFault } from './define.ts';
import { later } from './emissions.ts';
import { ms } from './settings.ts';

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

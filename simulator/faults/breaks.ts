/** Replies that break off. Each break falls in the middle of a reply, or at a byte that is counted from the switching on. */
import type { Emission } from './contract.ts';
import { defineFault } from './define.ts';
import { breakpoint, upTo } from './emissions.ts';
import { place } from './settings.ts';

const atByte = place(
  null,
  'after this many bytes that the fault sees since it was switched on; null: in the middle of a reply',
);

/** A reset may overtake bytes that the client has not read yet; this is their lead. */
const AFTER_MS = 5;

export const halfLine = defineFault({
  name: 'half-line',
  summary: 'Half a reply, and then silence on this connection. The connection stays open.',
  works: 'by reply',
  settings: { at_byte: atByte },
  evidence: ['inferred', 'a link that fails in mid-reply without a word'],
  create: ({ at_byte }) => breakingOff(at_byte, { afterMs: 0, act: 'silence' }),
});

export const resetMidReply = defineFault({
  name: 'reset-mid-reply',
  summary: 'The connection is reset in the middle of a reply or a stream.',
  works: 'by reply',
  settings: { at_byte: atByte },
  evidence: ['inferred', 'a modem or a NAT that drops a flow reports this with a reset'],
  create: ({ at_byte }) => breakingOff(at_byte, { afterMs: AFTER_MS, act: 'reset' }),
});

export const halfClose = defineFault({
  name: 'half-close',
  summary: 'The meter ends its side of the connection after a reply or within it; it still takes what comes.',
  works: 'by reply',
  settings: {
    at_byte: place(0, '0: after the whole reply; null: in the middle of a reply; otherwise after this many bytes'),
  },
  evidence: ['inferred', 'the ordinary end of a TCP connection, seen from a client that waits'],
  create({ at_byte }) {
    const ending: Emission = { afterMs: 0, act: 'half-close' };
    if (at_byte === 0) return { outgoing: (emissions) => [...emissions, ending] };
    return breakingOff(at_byte, ending);
  },
});

function breakingOff(place: number | null, ending: Emission) {
  const find = breakpoint(place);
  return {
    outgoing(emissions: readonly Emission[]): readonly Emission[] {
      const at = find(emissions);
      return at === null ? emissions : [...upTo(emissions, at), ending];
    },
  };
}

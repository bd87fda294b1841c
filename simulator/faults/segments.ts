/** The same bytes in other segments. */
import type { Emission } from './contract.ts';
import { amount, defineFault, ms } from './define.ts';
import { isBytes, lengthMs } from './emissions.ts';

export const split = defineFault({
  name: 'split',
  summary: 'Replies and frames arrive in segments cut at random places, also within a line and between CR and LF.',
  works: 'by reply',
  settings: {
    max_bytes: amount(8, 1, 65_536, 'longest segment, bytes; each has 1 to this many'),
    gap_ms: ms(5, 'from one segment to the next, ms'),
  },
  evidence: ['inferred', 'TCP promises no segments; the prompt was seen to come apart from its reply'],
  create: ({ max_bytes, gap_ms }, { random }) => ({
    outgoing: (emissions) => cut(emissions, gap_ms, () => 1 + Math.floor(random() * Math.floor(max_bytes))),
  }),
});

export const oneByte = defineFault({
  name: 'one-byte',
  summary: 'Every byte comes in a segment of its own.',
  works: 'by reply',
  settings: { gap_ms: ms(1, 'from byte to byte, ms; a stream of frames needs 0.4 or less to keep up') },
  evidence: ['inferred', 'the hardest case of split; a serial line behind a converter is near to it'],
  create: ({ gap_ms }) => ({ outgoing: (emissions) => cut(emissions, gap_ms, () => 1) }),
});

export const joined = defineFault({
  name: 'joined',
  summary: 'Result, data and prompt come in one segment, and so do several frames of a stream.',
  works: 'by reply',
  settings: { frames: amount(5, 1, 100, 'frames in one segment') },
  evidence: ['inferred', 'TCP joins what is sent closely; a cellular link delivers frames in bunches'],
  create({ frames }) {
    const bunch = Math.floor(frames);
    let held: readonly Emission[] = [];
    let count = 0;
    const release = (emissions: readonly Emission[]) => {
      const all = join([...held, ...emissions]);
      held = [];
      return all;
    };
    return {
      admit() {
        held = [];
        return 'serve';
      },
      outgoing(emissions, _, frame) {
        if (!frame || ++count % bunch === 0) return release(emissions);
        held = [...held, ...emissions];
        return [];
      },
    };
  },
});

function cut(emissions: readonly Emission[], gapMs: number, size: () => number): Emission[] {
  let first = true;
  return emissions.flatMap((emission) => {
    if (!isBytes(emission)) return [emission];
    const pieces: Emission[] = [];
    for (let at = 0; at < emission.bytes.length; ) {
      const bytes = emission.bytes.subarray(at, at + size());
      // An emission with its own wait keeps it.
      const gap = first ? 0 : gapMs;
      pieces.push({ bytes, afterMs: at === 0 ? Math.max(emission.afterMs, gap) : gap });
      at += bytes.length;
      first = false;
    }
    return pieces;
  });
}

/** All waits go in front. Everything from the first act on is unchanged. */
function join(emissions: readonly Emission[]): readonly Emission[] {
  const acts = emissions.findIndex((emission) => !isBytes(emission));
  const upTo = acts < 0 ? emissions.length : acts;
  const head = emissions.slice(0, upTo);
  if (head.length < 2) return emissions;
  const bytes = Buffer.concat(head.map((emission) => (isBytes(emission) ? emission.bytes : Buffer.alloc(0))));
  return [{ afterMs: lengthMs(head), bytes }, ...emissions.slice(upTo)];
}

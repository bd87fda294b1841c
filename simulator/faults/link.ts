/** Faults of a link: the same bytes in other segments, or later, also while a radio that slept comes back. */
import type { Emission } from './contract.ts';
import { amount, defineFault, ms } from './define.ts';
import { isBytes, later, lengthMs } from './emissions.ts';

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

/** Faults of DRD streams, and data that never stops. A frame is `counter,values...` with CR LF. */

import type { Emission } from './contract.ts';
import { amount, choice, defineFault, type FaultHost, flag, ms } from './define.ts';
import { isBytes, later, say, textOf } from './emissions.ts';

const SUB = '\x1a';
const LAST_COUNTER = 600;

export const frozen = defineFault({
  name: 'frozen',
  summary:
    'The numbers stand still: every reply to the same request, and every frame but for its counter, repeats the first.',
  works: 'by reply',
  settings: {},
  evidence: ['inferred', 'calculated values stay after a stop; here Lp does too'],
  create() {
    const first = new Map<string, string>();
    const remembered = (key: string, text: string) => {
      if (!first.has(key)) first.set(key, text);
      return first.get(key) ?? text;
    };
    return {
      outgoing(emissions, { text }, frame) {
        if (!emissions.every(isBytes)) return emissions;
        const said = textOf(emissions);
        const comma = said.indexOf(',');
        const still = (kept: string) => [say(kept, emissions[0]?.afterMs)];
        if (frame && comma > 0) return still(said.slice(0, comma) + remembered(`frame ${text}`, said.slice(comma)));
        if (frame || !/^(dod|dlc)\?/i.test(text) || !said.includes('R+0000')) return emissions;
        return still(remembered(text.toLowerCase(), said));
      },
    };
  },
});

export const stall = defineFault({
  name: 'stall',
  summary: 'A stream stops for a while and then brings everything at once.',
  works: 'by reply',
  settings: {
    after_frames: amount(10, 0, 1_000_000, 'frames that come in time first'),
    stall_ms: ms(31_000, 'how long nothing comes, ms'),
    again: flag(false, 'stalls again after the same number of frames'),
  },
  evidence: ['code', 'a public client allows more than 30 s between frames on a cellular link'],
  create({ after_frames, stall_ms, again }, { clock }) {
    let inTime = 0;
    let until: number | null = null;
    return {
      outgoing(emissions, _, frame) {
        if (!frame) return emissions;
        if (until !== null && clock.elapsed() >= until && again) [until, inTime] = [null, 0];
        if (until === null && inTime++ >= after_frames) until = clock.elapsed() + stall_ms;
        const wait = until === null ? 0 : until - clock.elapsed();
        return wait > 0 ? later(emissions, wait) : emissions;
      },
    };
  },
});

export const framesLost = defineFault({
  name: 'frames-lost',
  summary: 'Frames of a stream are missing; the counter jumps.',
  works: 'by reply',
  settings: {
    every: amount(
      10,
      1,
      1_000_000,
      'frames are lost once in this many; for random losses use 1 and a probability in `when`',
    ),
    lost: amount(1, 1, 1_000_000, 'how many of them are lost, the last ones'),
  },
  evidence: ['inferred', 'fault list of the protocol notes: a frame is missing, the counter jumps'],
  create({ every, lost }) {
    let frames = 0;
    return {
      outgoing: (emissions, _, frame) => (frame && frames++ % every >= every - lost ? [] : emissions),
    };
  },
});

export const dataAfterSub = defineFault({
  name: 'data-after-sub',
  summary: 'Frames still come after SUB has ended the stream, before its prompt or even after it.',
  works: 'by reply',
  settings: {
    frames: amount(3, 1, 1_000, 'how many'),
    place: choice(['before', 'after'], 'the prompt'),
    gap_ms: ms(20, 'from one to the next, ms'),
  },
  evidence: ['code', 'a public client drains lines after SUB until the prompt'],
  create({ frames, place, gap_ms }) {
    let last: string | null = null;
    return {
      outgoing(emissions, { text }, frame) {
        if (frame) last = textOf(emissions);
        if (frame || text !== SUB || last === null) return emissions;
        const more = following(last, Math.floor(frames)).map((line) => say(line, gap_ms));
        return place === 'before' ? [...more, ...emissions] : [...emissions, ...more];
      },
    };
  },
});

function following(frame: string, count: number): string[] {
  const comma = frame.indexOf(',');
  const counter = Number(frame.slice(0, comma));
  const numbered = (ahead: number) => String(((counter - 1 + ahead) % LAST_COUNTER) + 1).padStart(comma);
  return Array.from({ length: count }, (_, index) => numbered(index + 1) + frame.slice(comma));
}

export const endlessData = defineFault({
  name: 'endless-data',
  summary:
    'After the result of a command data come and come: one line without an end, or lines; no other command is answered.',
  works: 'lasting',
  settings: {
    shape: choice(['line', 'lines'], 'one line that never ends, or one line after the other'),
    bytes: amount(1_024, 1, 65_536, 'how many bytes each time'),
    every_ms: ms(100, 'from one to the next, ms'),
  },
  evidence: ['inferred', 'what a reader without a limit would hold in memory'],
  create({ shape, bytes, every_ms }, host) {
    let flow: { readonly connection: number; stop(): void } | null = null;
    const stop = () => {
      flow?.stop();
      flow = null;
    };
    return {
      end: stop,
      admit() {
        stop();
        return 'serve';
      },
      outgoing(emissions, { command, connection }, frame) {
        if (command === 0 && !frame) return emissions;
        if (flow?.connection === connection) return [];
        flow = { connection, stop: pour(host, connection, chunk(shape, Math.floor(bytes)), Math.max(1, every_ms)) };
        return resultOf(emissions);
      },
    };
  },
});

function chunk(shape: 'line' | 'lines', size: number): Emission {
  const text = ' 45.8,'.repeat(Math.ceil(size / 6)).slice(0, size);
  return say(shape === 'line' ? text : `${text.slice(0, -2)}\r\n`);
}

/** Says it again and again while the connection is served; the disposer ends it. */
function pour({ clock, say: tell }: FaultHost, connection: number, emission: Emission, everyMs: number): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(everyMs, () => {
      if (tell(connection, [emission])) next();
    });
  };
  next();
  return () => cancel();
}

const resultOf = (emissions: readonly Emission[]): Emission[] => {
  const text = textOf(emissions);
  return [say(text.slice(0, text.indexOf('\n') + 1), emissions[0]?.afterMs ?? 0)];
};

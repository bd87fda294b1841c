/** Frames of a meter that a browser is made to receive, because nobody wants to wait an hour for them. */

interface Wish {
  readonly unitId: string;
  /** Seconds of the hour without frames. */
  readonly hole: { readonly from: number; readonly to: number };
  /** Seconds of the hour at which one frame is over range. */
  readonly overRangeAt: readonly number[];
}

/**
 * A script for a page, to run before its own: the socket of frames brings an hour of them, 50 dB with a frame at 55 dB now and then. Then
 * the page has the attribute `data-frames`.
 */
export const framesOfLastHour = (wish: Wish): string => `(() => {
  const { unitId, hole, overRangeAt } = ${JSON.stringify(wish)};
  const Real = WebSocket;
  const begin = Date.now() - 3_600_000;
  window.framesBegin = begin;
  const frameAt = (index) => {
    const second = index / 10;
    if (second >= hole.from && second < hole.to) return undefined;
    const over = overRangeAt.some((at) => Math.round(at * 10) === index);
    const level = over ? 52 : index % 17 === 0 ? 55 : 50;
    const data = { counter: 1, lp: level, leq: level, lmax: level, lmin: level, lpeak: level + 10 };
    const flags = { over_range: over, under_range: false, implausible: false };
    const time = new Date(begin + index * 100).toISOString();
    return JSON.stringify({ event: 'frame', unit_id: unitId, time, seq: index + 1, missed: 0, data: { ...data, ...flags } });
  };
  window.WebSocket = class extends EventTarget {
    constructor(url) {
      super();
      if (!String(url).includes('events=frame')) return new Real(url);
      setTimeout(() => this.onopen?.(), 0);
      const send = (from) => {
        for (let index = from; index < from + 2_000; index++) {
          if (index >= 36_000) {
            document.documentElement.dataset.frames = 'sent';
            return;
          }
          const data = frameAt(index);
          if (data) this.onmessage?.({ data });
        }
        setTimeout(() => send(from + 2_000), 5);
      };
      setTimeout(() => send(0), 10);
    }
    close() {}
  };
})()`;

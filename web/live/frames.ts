/**
 * The fast stream of one meter, ten frames a second, as long as its page is visible: a stream uses the meter's only
 * connection and about 1.7 kB a second of its link.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { client } from '../state/access.ts';
import { isoSpan } from '../state/chosen-time.ts';
import { now } from '../state/fleet.ts';
import type { Frame, Recorded } from './frame-lines.ts';

/** A meter is looked at again and again: what has come of the last few is kept. */
const MOST_LOGS = 3;
const logs = new Map<string, FrameLog>();

export interface Frames {
  readonly newest: ReadonlySignal<Frame | undefined>;
  readonly isFresh: ReadonlySignal<boolean>;
  /** Why no frames come; undefined while they do. */
  readonly trouble: ReadonlySignal<string | undefined>;
  /** All of the last hour, the oldest first. It grows in place. */
  readonly all: readonly Frame[];
  /** Values that the gateway recorded before the frames and between them. */
  readonly recorded: readonly Recorded[];
  /** Grows whenever the stream begins again. */
  readonly begun: ReadonlySignal<number>;
  recall(from: number): Promise<void>;
}

const KEPT = 36_000;
const FRESH_MS = 3_000;
/** After this time in the background a page ends the stream. */
const HIDDEN_MS = 10_000;

class FrameLog implements Frames {
  readonly unitId: string;
  readonly begun = signal(0);
  recorded: readonly Recorded[] = [];
  readonly newest: Signal<Frame | undefined> = signal(undefined);
  readonly trouble: Signal<string | undefined> = signal(undefined);
  readonly all: Frame[] = [];
  readonly isFresh = computed(() => {
    const { value } = this.newest;
    return value !== undefined && now.value - value.at < FRESH_MS;
  });

  constructor(unitId: string) {
    this.unitId = unitId;
  }

  static of(unitId: string): FrameLog {
    const log = logs.get(unitId) ?? new FrameLog(unitId);
    logs.delete(unitId);
    logs.set(unitId, log);
    for (const old of [...logs.keys()].slice(0, -MOST_LOGS)) logs.delete(old);
    return log;
  }

  async recall(from: number): Promise<void> {
    const to = now.peek();
    const query = { step: '1s', quantities: 'leq,lp', ...isoSpan({ from, to }) };
    const { rows } = await client.value.history(this.unitId, query).catch(() => ({ rows: undefined }));
    if (!rows) return;
    const found = rows.flatMap(([start, leq, lp]): Recorded[] => {
      const level = leq ?? lp;
      return typeof level === 'number' ? [{ at: Date.parse(String(start)) + 500, level }] : [];
    });
    const oldest = to - KEPT * 100;
    this.recorded = [...this.recorded.filter(({ at }) => at < from && at > oldest), ...found];
  }

  add(frame: Frame): void {
    this.all.push(frame);
    if (this.all.length > KEPT * 1.1) this.all.splice(0, this.all.length - KEPT);
    this.newest.value = frame;
    this.trouble.value = undefined;
  }
}

/** The frames of a meter while the part that asks is shown. `isAtRest`: somebody else needs the line, and none are asked for. */
export function useFrames(unitId: string, isAtRest: boolean): Frames {
  const log = useMemo(() => FrameLog.of(unitId), [unitId]);
  useEffect(() => {
    if (isAtRest) return undefined;
    return whileVisible((leaving) => {
      log.begun.value += 1;
      void watch(unitId, log, leaving);
    });
  }, [log, isAtRest]);
  return log;
}

async function watch(unitId: string, log: FrameLog, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.value.events({ units: [unitId], events: ['frame'], signal })) {
      if (event.event === 'feed')
        log.trouble.value = event.data.status === 'ok' ? undefined : String(event.data.detail);
      if (event.event !== 'frame') continue;
      const { lp, leq, over_range } = event.data;
      const levels = { lp: numberOr(lp), leq: numberOr(leq), over: over_range === true };
      log.add({ at: Date.parse(event.time), ...levels, missed: event.missed });
    }
  } catch (error) {
    if (!signal.aborted) log.trouble.value = error instanceof Error ? error.message : String(error);
  }
}

const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Starts the work now and whenever the page becomes visible; ends it when the page was hidden for a while, and at the end. */
function whileVisible(work: (leaving: AbortSignal) => void): () => void {
  let leaving: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        leaving?.abort();
        leaving = undefined;
      }, HIDDEN_MS);
    } else if (!leaving) {
      leaving = new AbortController();
      work(leaving.signal);
    }
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
    leaving?.abort();
  };
}

/** The last minutes of the fast stream. It can be stood still to look closer; nothing is lost meanwhile. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { now } from '../app/fleet.ts';
import type { Frame, Frames } from '../app/frames.ts';
import { nameOf, type Weightings } from '../app/quantity.ts';
import { Chart } from './chart.tsx';

const SPANS: readonly (readonly [seconds: number, word: string])[] = [
  [60, '1 min'],
  [300, '5 min'],
  [900, '15 min'],
  [3_600, '1 h'],
];
/** More points than a screen has columns only cost time. */
const MOST_POINTS = 1_500;
const DRAW_MS = 200;
const HOLE_MS = 1_500;

export function LiveChart({ frames, weightings }: { readonly frames: Frames; readonly weightings: Weightings }) {
  const [seconds, setSeconds] = useState(60);
  const [paused, setPaused] = useState(false);
  const chart = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const draw = () => {
      if (!paused && !document.hidden && chart.current) show(chart.current, frames.all, seconds);
    };
    draw();
    const timer = setInterval(draw, DRAW_MS);
    return () => clearInterval(timer);
  }, [frames, seconds, paused]);
  const leq = `${nameOf('leq', weightings)} of 100 ms`;
  return (
    <>
      <Chart
        label={`Levels of the last ${seconds} seconds`}
        height={260}
        lines={[
          { label: leq, colour: 'second', width: 1 },
          { label: nameOf('lp', weightings), colour: 'accent' },
          { label: 'Over range', colour: 'alarm', width: 4 },
        ]}
        onReady={(ready) => {
          chart.current = ready;
        }}
      />
      <div class="row end">
        <fieldset class="row choice">
          <legend class="hidden-label">Time shown</legend>
          {SPANS.map(([each, word]) => (
            <button key={each} type="button" aria-pressed={each === seconds} onClick={() => setSeconds(each)}>
              {word}
            </button>
          ))}
          <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? 'Go on' : 'Stand still'}
          </button>
        </fieldset>
        <p class="soft small" role="status">
          {frames.trouble.value ?? (frames.newest.value ? '' : 'Waiting for the first frame ...')}
        </p>
      </div>
    </>
  );
}

function show(chart: uPlot, all: readonly Frame[], seconds: number): void {
  const until = now.peek();
  const end = Math.max(until, all.at(-1)?.at ?? 0);
  const begin = end - seconds * 1_000;
  let first = all.length;
  while (first > 0 && (all[first - 1]?.at ?? 0) >= begin) first -= 1;
  const stride = Math.max(1, Math.ceil((all.length - first) / MOST_POINTS));
  const [x, leq, lp, over]: [number[], (number | null)[], (number | null)[], (number | null)[]] = [[], [], [], []];
  for (let index = first; index < all.length; index += stride) {
    const frame = all[index];
    if (!frame) continue;
    const before = x.at(-1);
    if (before !== undefined && frame.at - before * 1_000 > HOLE_MS * stride) push(before + 0.05, null);
    push(frame.at / 1_000, frame);
  }
  function push(at: number, frame: Frame | null): void {
    x.push(at);
    leq.push(frame?.leq ?? null);
    lp.push(frame?.lp ?? null);
    over.push(frame?.over ? frame.lp : null);
  }
  chart.setData([x, leq, lp, over], false);
  chart.setScale('x', { min: begin / 1_000, max: end / 1_000 });
}

/** The last minutes of the fast stream. It can be stopped and moved back to look closer; no frame is lost meanwhile. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Unit } from '../../client/index.ts';
import { budgetsOf } from '../state/alerts.ts';
import { now } from '../state/fleet.ts';
import { nameOf, type Weightings } from '../state/numbers.ts';
import { Chart } from '../ui/chart.tsx';
import { say } from '../words/say.ts';
import { type Frame, linesOf } from './frame-lines.ts';
import type { Frames } from './frames.ts';

const SPANS: readonly (readonly [seconds: number, word: string])[] = [
  [60, '1 min'],
  [300, '5 min'],
  [900, '15 min'],
  [3_600, '1 h'],
];
const DRAW_MS = 200;
/** No chart has more columns of pixels: it is drawn when it has moved by one of them. */
const MOST_COLUMNS = 4_000;

/** Values just before the first frame are written a little later, ms. */
const WRITTEN_MS = 3_000;
const JUST_MS = 15_000;

/** States in which the page of a meter says why it cannot be reached. */
const AWAY: readonly Unit['state'][] = ['offline', 'wedged', 'asleep?'];

interface Props {
  readonly unit: Unit;
  readonly frames: Frames;
  readonly weightings: Weightings;
}

export function LiveChart({ unit, frames, weightings }: Props) {
  const { unit_id: unitId, timezone: zone, history } = unit;
  const [seconds, setSeconds] = useState(60);
  /** End of the chart while it is paused, ms; undefined: now. */
  const [stillAt, setStillAt] = useState<number | undefined>(undefined);
  const chart = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const draw = () => {
      if (!document.hidden && chart.current) show(chart.current, frames, seconds, stillAt ?? endOf(frames.all));
    };
    draw();
    if (stillAt !== undefined) return;
    const timer = setInterval(draw, Math.max(DRAW_MS, (seconds * 1_000) / MOST_COLUMNS));
    return () => clearInterval(timer);
  }, [frames, seconds, stillAt]);
  const { value: begun } = frames.begun;
  // At the first look, whenever more is shown, and after a pause.
  useEffect(() => {
    void frames.recall(now.peek() - seconds * 1_000);
    const timer = setTimeout(() => void frames.recall(now.peek() - JUST_MS), WRITTEN_MS);
    return () => clearTimeout(timer);
  }, [frames, seconds, begun]);
  const limits = budgetsOf(unitId).flatMap(({ name, channel, limit_db }) =>
    channel === 'main' ? { level: limit_db, label: name } : [],
  );
  const [oldest, newest] = [frames.all[0]?.at ?? 0, endOf(frames.all)];
  const recorded =
    history === 'stream'
      ? say('{quantity} of 1 s, recorded', { quantity: nameOf('leq', weightings) })
      : say('Readings, recorded');
  const leq = say('{quantity} of 100 ms', { quantity: nameOf('leq', weightings) });
  return (
    <>
      <Chart
        label={say('Levels of the last {seconds} seconds', { seconds })}
        height={260}
        lines={[
          { label: leq, colour: 'second', width: 1 },
          { label: nameOf('lp', weightings), colour: 'accent' },
          { label: say('Over range'), colour: 'alarm', marks: true },
          { label: recorded, colour: 'accent', width: 1 },
        ]}
        limits={limits}
        zone={zone}
        onReady={(ready) => {
          chart.current = ready;
        }}
      />
      <div class="row end">
        <fieldset class="row choice">
          <legend class="hidden-label">{say('Time shown')}</legend>
          {SPANS.map(([each, word]) => (
            <button key={each} type="button" aria-pressed={each === seconds} onClick={() => setSeconds(each)}>
              {word}
            </button>
          ))}
          <button
            type="button"
            aria-pressed={stillAt !== undefined}
            onClick={() => setStillAt(stillAt === undefined ? endOf(frames.all) : undefined)}
          >
            {stillAt === undefined ? say('Stand still') : say('Go on')}
          </button>
          {stillAt !== undefined && (
            <span class="together">
              <button
                type="button"
                aria-label={say('Earlier')}
                disabled={stillAt - seconds * 1_000 <= oldest}
                onClick={() => setStillAt(stillAt - seconds * 500)}
              >
                ←
              </button>
              <button
                type="button"
                aria-label={say('Later')}
                disabled={stillAt >= newest}
                onClick={() => setStillAt(Math.min(newest, stillAt + seconds * 500))}
              >
                →
              </button>
            </span>
          )}
        </fieldset>
        <p class="soft small" role="status">
          {statusOf(unit, frames)}
        </p>
      </div>
    </>
  );
}

/** The reason why nothing is drawn. Troubles of the meter itself are above, on its page. */
function statusOf({ state }: Unit, { trouble, newest }: Frames): string {
  if (trouble.value === undefined) return newest.value ? '' : say('Waiting for the first frame ...');
  return AWAY.includes(state) ? say('No frames come.') : trouble.value;
}

const endOf = (all: readonly Frame[]): number => Math.max(now.peek(), all.at(-1)?.at ?? 0);

function show(chart: uPlot, { all, recorded }: Frames, seconds: number, end: number): void {
  const begin = end - seconds * 1_000;
  chart.setData(linesOf(all, recorded, begin, end), false);
  chart.setScale('x', { min: begin / 1_000, max: end / 1_000 });
}

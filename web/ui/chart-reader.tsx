/** A chart for the keyboard: the arrow keys move its cursor, and the levels there are read out. */
import type { ComponentChildren, RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { dayOf, decibels, timeOfDay } from '../state/numbers.ts';
import { say } from '../words/say.ts';

interface Props {
  readonly chart: RefObject<uPlot | undefined>;
  /** Where the keyboard has put the cursor, s; undefined: nowhere. */
  readonly cursorAt: { current: number | undefined };
  readonly label: string;
  readonly zone: string | null | undefined;
  readonly children: ComponentChildren;
}

/** The frame of a chart. A moving chart keeps the cursor at its time by `putCursor` after each drawing. */
export function ChartReader({ chart, cursorAt, label, zone, children }: Props) {
  const [words, setWords] = useState('');
  const press = (event: KeyboardEvent) => {
    const at = chart.current && nextPoint(chart.current, event, cursorAt.current);
    if (!chart.current || at === undefined) return;
    event.preventDefault();
    cursorAt.current = at;
    putCursor(chart.current, at);
    setWords(pointWords(chart.current, at, zone));
  };
  const leave = () => {
    cursorAt.current = undefined;
  };
  return (
    <div
      role="application"
      aria-label={say('{chart}. Arrow keys read it point by point, with Shift ten at once.', { chart: label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application gets the keys; Biome does not count it as interactive
      tabIndex={0}
      onKeyDown={press}
      onBlur={leave}
      onPointerMove={leave}
    >
      {children}
      <p class="hidden-label" aria-live="polite">
        {words}
      </p>
    </div>
  );
}

/** Points of one press with Shift. */
const FAR = 10;

/** The time of the point that a key leads to, from the one at `at`; undefined: the key is for something else. */
function nextPoint(chart: uPlot, { key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent, at: number | undefined) {
  const [first, last] = chart.series[0]?.idxs ?? [0, -1];
  if (first > last || ctrlKey || altKey || metaKey) return undefined;
  const step = shiftKey ? FAR : 1;
  const index = at === undefined ? undefined : chart.valToIdx(at);
  const next = {
    ArrowLeft: index === undefined ? last : index - step,
    ArrowRight: index === undefined ? first : index + step,
    Home: first,
    End: last,
  }[key];
  return next === undefined ? undefined : chart.data[0][Math.min(last, Math.max(first, next))];
}

const levelAt = (chart: uPlot, line: number, at: number) => chart.data[line]?.[chart.valToIdx(at)] ?? undefined;

/** The cursor is at the time, s, and at the first level there. */
export function putCursor(chart: uPlot, at: number): void {
  const level = chart.series
    .map((_line, index) => (index === 0 ? undefined : levelAt(chart, index, at)))
    .find(Number.isFinite);
  chart.setCursor({ left: chart.valToPos(at, 'x'), top: level === undefined ? 0 : chart.valToPos(level, 'y') });
}

/** `21 Nov, 14:05: LAeq 54.3 dB, LAFmax 60.1 dB` */
function pointWords(chart: uPlot, at: number, zone: string | null | undefined): string {
  const levels = chart.series.flatMap(({ label }, index) => {
    const level = index === 0 ? undefined : levelAt(chart, index, at);
    return level === undefined ? [] : [`${label} ${decibels(level)} dB`];
  });
  const time = `${dayOf(at * 1_000, zone)}, ${timeOfDay(at * 1_000, zone)}`;
  return `${time}: ${levels.length > 0 ? levels.join(', ') : say('no data')}`;
}

/** A uPlot chart as wide as its container, in the colours of the page. The wheel and two fingers zoom. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { holdsAt, type Limit, type LimitPart, partsOf } from '../state/limits.ts';
import { clockTime, dayAndTime, decibels } from '../state/numbers.ts';
import { LOCALES } from '../words/language.ts';
import { say } from '../words/say.ts';
import { ChartReader, putCursor } from './chart-reader.tsx';

export interface Line {
  readonly label: string;
  /** Name of a colour in tokens.css, without dashes. */
  readonly colour: string;
  readonly width?: number;
  readonly stepped?: boolean;
  readonly dash?: readonly number[];
  /** Whether each value is a dot as well: for single values between gaps. */
  readonly points?: boolean;
  /** Whether the values are only dots, one in a column of pixels. */
  readonly marks?: boolean;
}

interface Props {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly height: number;
  readonly zone?: string | null;
  /** Changed in place by its owner, in seconds. */
  readonly onReady: (chart: uPlot) => void;
  /** With the span that was drawn with the mouse, which is shown alone then. */
  readonly onZoom?: (from: number, to: number) => void;
  /** With the span that was drawn with the mouse, in seconds; what is shown stays. */
  readonly onChoose?: (from: number, to: number) => void;
  readonly shade?: (chart: uPlot) => void;
  /** Drawn as lines with their names, where they are near what is shown. */
  readonly limits?: readonly Limit[];
}

/** The value of a colour in tokens.css. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A chart over time, by the clock of `zone`. `onReady` gets the chart itself, to be fed. */
export function Chart({ label, lines, height, zone, onReady, onZoom, onChoose, shade, limits = [] }: Props) {
  const drawn = onChoose ?? onZoom;
  const place = useRef<HTMLDivElement>(null);
  // They come later than the chart, and change while it stays.
  const shownLimits = useRef(limits);
  shownLimits.current = limits;
  const drawing = useRef<uPlot | undefined>(undefined);
  /** Where the keyboard has put the cursor, s. */
  const cursorAt = useRef<number | undefined>(undefined);
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    let chart = draw(current);
    drawing.current = chart;
    onReady(chart);
    const resized = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      const { data } = chart;
      chart.destroy();
      chart = draw(current);
      drawing.current = chart;
      chart.setData(data);
      onReady(chart);
    };
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      resized.disconnect();
      chart.destroy();
    };
  }, [lines.map(({ label }) => label).join(), zone]);

  const draw = (target: HTMLElement) =>
    new uPlot(
      {
        width: target.clientWidth,
        height,
        ...(zone && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), zone) }),
        cursor: { drag: { x: drawn !== undefined, y: false, setScale: !onChoose }, points: { size: 6 } },
        select: { show: drawn !== undefined, left: 0, top: 0, width: 0, height: 0 },
        scales: { y: { range: (_chart, low, high) => rangeOf(low, high, shownLimits.current) } },
        axes: [
          axis({ values: (_chart, ticks) => ticks.map((at, index) => tickText(at, ticks, index, zone)), space: 72 }),
          axis({ label: 'dB', incrs: [1, 2, 5, 10, 20], size: 44, labelSize: 18, space: 28 }),
        ],
        series: [
          { label: say('Time'), value: (_chart, at) => (at === null || at === undefined ? '–' : clockOf(at, zone)) },
          ...lines.map(seriesOf),
        ],
        legend: { markers: { dash: (_chart, index) => borderOf(lines[index - 1]) } },
        hooks: {
          drawClear: shade ? [shade] : [],
          draw: [
            (chart) => drawLimits(chart, shownLimits.current, zone),
            (chart) => cursorAt.current !== undefined && putCursor(chart, cursorAt.current),
          ],
          setSelect: [
            (chart) => {
              const { left, width } = chart.select;
              if (!drawn || width < 8) return;
              const [from, to] = [chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x')];
              // The page marks the chosen span itself.
              if (onChoose) chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              drawn(from, to);
            },
          ],
        },
      },
      [[], ...lines.map((): null[] => [])],
      target,
    );
  return (
    <ChartReader chart={drawing} cursorAt={cursorAt} label={label} zone={zone}>
      <figure class="chart" ref={place} role="img" aria-label={label} />
    </ChartReader>
  );
}

/** The legend shows the dashes of the line: long ones, or dots. */
const borderOf = ({ dash: [on] = [] }: Partial<Line> = {}): string =>
  on === undefined ? 'solid' : on > 2 ? 'dashed' : 'dotted';

const axis = (more: uPlot.Axis): uPlot.Axis => ({
  stroke: colour('ink-soft'),
  font: `12px ${colour('font')}`,
  labelFont: `12px ${colour('font')}`,
  grid: { stroke: colour('line'), width: 1 },
  ticks: { stroke: colour('line'), width: 1, size: 4 },
  ...more,
});

const seriesOf = ({ label, colour: name, width = 1.5, stepped, dash, points = false, marks }: Line): uPlot.Series => ({
  label,
  stroke: colour(name),
  width,
  ...(dash && { dash: [...dash] }),
  ...(stepped && uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
  ...(marks && { paths: () => null }),
  points: {
    show: points,
    size: marks ? 6 : 4,
    fill: colour(name),
    ...(!points && !stepped && { filter: marks ? highestOfColumns : thoseAlone }),
  },
  spanGaps: false,
  value: (_chart, level) => (level === null || level === undefined ? '–' : `${decibels(level)} dB`),
});

/** A value between two gaps: a line would not show it. */
function thoseAlone(chart: uPlot, series: number): number[] {
  const levels = chart.data[series] ?? [];
  const [first, last] = shownOf(chart);
  const alone: number[] = [];
  for (let index = first; index <= last; index += 1) {
    if (isNone(levels[index]) || !isNone(levels[index - 1]) || !isNone(levels[index + 1])) continue;
    alone.push(index);
  }
  return alone;
}

/** More dots than columns of pixels would only cost time. */
function highestOfColumns(chart: uPlot, series: number): number[] {
  const levels = chart.data[series] ?? [];
  const [first, last] = shownOf(chart);
  const highest = new Map<number, number>();
  for (let index = first; index <= last; index += 1) {
    const level = levels[index];
    if (level === null || level === undefined) continue;
    const column = Math.round(chart.valToPos(chart.data[0][index] ?? 0, 'x', true));
    const before = highest.get(column);
    if (before === undefined || level > (levels[before] ?? 0)) highest.set(column, index);
  }
  return [...highest.values()];
}

const isNone = (level: number | null | undefined): boolean => level === null || level === undefined;
const shownOf = ({ series }: uPlot): readonly [first: number, last: number] => series[0]?.idxs ?? [0, -1];

/** A limit that is further away is not shown, because it would make the levels a flat line, dB. */
const NEAR_DB = 20;

/** At least 20 dB, on full tens, so that small changes look small. */
function rangeOf(low: number | null, high: number | null, limits: readonly Limit[]): [number, number] {
  if (low === null || high === null) return [20, 100];
  const near = limits.map(({ level }) => level).filter((level) => level < high + NEAR_DB && level > low - NEAR_DB);
  const bottom = Math.floor((Math.min(low, ...near) - 2) / 10) * 10;
  return [bottom, Math.max(Math.ceil((Math.max(high, ...near) + 2) / 10) * 10, bottom + 20)];
}

function drawLimits(chart: uPlot, limits: readonly Limit[], zone: string | null | undefined): void {
  const { ctx, valToPos, scales } = chart;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.strokeStyle = colour('alarm');
  ctx.fillStyle = colour('alarm');
  ctx.font = `${12 * ratio}px ${colour('font')}`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.lineWidth = ratio;
  for (const limit of limits) {
    const { level, label } = limit;
    if (level < (scales.y?.min ?? 0) || level > (scales.y?.max ?? 0)) continue;
    const parts = linesOf(chart, limit, zone);
    const y = valToPos(level, 'y', true);
    for (const { from, to, isBefore } of parts) {
      ctx.globalAlpha = isBefore ? PALE : 1;
      ctx.beginPath();
      ctx.moveTo(from, y);
      ctx.lineTo(to, y);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    const end = parts.at(-1)?.to;
    if (end === undefined) continue;
    // A border in the colour of the card: the name can be read where lines are behind it.
    ctx.save();
    ctx.setLineDash([]);
    ctx.lineWidth = 4 * ratio;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = colour('card');
    const x = Math.max(end - 4 * ratio, chart.bbox.left + ctx.measureText(label).width);
    ctx.strokeText(label, x, y - 2 * ratio);
    ctx.restore();
    ctx.fillText(label, x, y - 2 * ratio);
  }
  ctx.restore();
}

/** Steps in which the hours of a limit are looked for, s. */
const STEP_S = 300;
/** In longer spans its hours would look like a pattern. */
const MOST_S = 32 * 86_400;

/** Of a limit before its rule was made. */
const PALE = 0.3;

function linesOf(chart: uPlot, limit: Limit, zone: string | null | undefined): readonly LimitPart[] {
  const made = limit.rule?.created_at;
  const spans = spansOf(chart, limit, zone);
  return partsOf(spans, made ? chart.valToPos(Date.parse(made) / 1_000, 'x', true) : chart.bbox.left);
}

/** The times at which a limit holds, from left to right: not at night, if it is a limit for the day. */
function spansOf({ bbox, scales, valToPos }: uPlot, { rule }: Limit, zone: string | null | undefined) {
  const { min = 0, max = 0 } = scales.x ?? {};
  const whole = [[bbox.left, bbox.left + bbox.width]] as const;
  if (!rule || !zone || max - min > MOST_S) return whole;
  const spans: [from: number, to: number][] = [];
  const x = (at: number) => valToPos(Math.min(max, Math.max(min, at)), 'x', true);
  for (let at = Math.floor(min / STEP_S) * STEP_S; at < max; at += STEP_S) {
    if (!holdsAt(rule, at * 1_000, zone)) continue;
    const last = spans.at(-1);
    if (last && last[1] >= x(at)) last[1] = x(at + STEP_S);
    else spans.push([x(at), x(at + STEP_S)]);
  }
  return spans;
}

const clockOf = (at: number, zone: string | null | undefined): string =>
  Date.now() - at * 1_000 > 43_200_000 ? dayAndTime(at * 1_000, zone) : clockTime(at * 1_000, zone);

function tickText(at: number, ticks: readonly number[], index: number, zone: string | null | undefined): string {
  const step = (ticks[1] ?? at) - (ticks[0] ?? at);
  const options: Intl.DateTimeFormatOptions = {
    ...(zone && { timeZone: zone }),
    ...(step >= 86_400
      ? { weekday: 'short', day: 'numeric' }
      : { hour: '2-digit', minute: '2-digit', ...(step < 60 && { second: '2-digit' }) }),
  };
  const text = new Date(at * 1_000).toLocaleString(LOCALES, options);
  const isMidnight = /^(00|24|12)\D00(\D*(AM|00))?\s*(AM)?$/.test(text) && step < 86_400;
  if (step >= 86_400 || (!isMidnight && (index > 0 || step < 3_600))) return text;
  return `${text}\n${new Date(at * 1_000).toLocaleDateString(LOCALES, { weekday: 'short', day: 'numeric', ...(zone && { timeZone: zone }) })}`;
}

/** After the last turn of the wheel, ms. */
const SETTLED_MS = 250;
const STEP = 1.25;
/** Nothing shorter is shown, s. */
const SHORTEST_S = 10;

/** Ends with the chart: its elements go with it. `zoomed`: with the new span in seconds, when the hand rests. */
export function zoomByHand(chart: uPlot, zoomed: (from: number, to: number) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (from: number, to: number) => {
    if (to - from < SHORTEST_S) return;
    chart.setScale('x', { min: from, max: to });
    clearTimeout(timer);
    timer = setTimeout(() => zoomed(from, to), SETTLED_MS);
  };
  const span = () => [chart.scales.x?.min ?? 0, chart.scales.x?.max ?? 0] as const;
  chart.over.addEventListener(
    'wheel',
    (event) => {
      // Without a key the wheel moves the page, as everywhere.
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const [min, max] = span();
      const at = chart.posToVal(event.offsetX, 'x');
      const factor = (event.deltaY || event.deltaX) > 0 ? STEP : 1 / STEP;
      show(at - (at - min) * factor, at + (max - at) * factor);
    },
    { passive: false },
  );
  followFingers(chart, span, show);
}

/** Two fingers hold the two times that they touched. */
function followFingers(
  chart: uPlot,
  span: () => readonly [min: number, max: number],
  show: (from: number, to: number) => void,
): void {
  let held: readonly [one: number, other: number] | undefined;
  const places = ({ touches }: TouchEvent) => {
    const { left } = chart.over.getBoundingClientRect();
    return [...touches].slice(0, 2).map(({ clientX }) => clientX - left) as [number, number];
  };
  chart.over.addEventListener('touchstart', (event) => {
    if (event.touches.length !== 2) return;
    const [one, other] = places(event);
    held = [chart.posToVal(one, 'x'), chart.posToVal(other, 'x')];
  });
  chart.over.addEventListener(
    'touchmove',
    (event) => {
      if (!held || event.touches.length !== 2) return;
      event.preventDefault();
      const [one, other] = places(event);
      const [min, max] = span();
      const width = chart.over.clientWidth;
      const length = (held[1] - held[0]) / ((other - one) / width);
      if (!Number.isFinite(length) || length <= 0 || length > (max - min) * 50) return;
      const from = held[0] - (one / width) * length;
      show(from, from + length);
    },
    { passive: false },
  );
  chart.over.addEventListener('touchend', () => {
    held = undefined;
  });
}

/** Zoom of a chart by the wheel and by two fingers. Dragging is the chart's own. */
import type uPlot from 'uplot';

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

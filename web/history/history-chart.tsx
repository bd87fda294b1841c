/** Recorded levels, with coverage and quality as a strip below. Night is shaded in the zone of the meter. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { AlertEvent, History, schemas } from '../../client/index.ts';
import { eventPath } from '../state/address.ts';
import { textOf } from '../state/alarms.ts';
import type { ChosenTime } from '../state/chosen-time.ts';
import { type Limit, madeAfter } from '../state/limits.ts';
import { dayAndTime, localInput, nameOf, percent, type Weightings } from '../state/numbers.ts';
import { Chart, colour, type Line, zoomByHand } from '../ui/chart.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { coveredOf, qualityWord, stretchesOf } from './coverage.ts';

interface Props {
  readonly history: History;
  readonly onZoom: (from: number, to: number) => void;
  readonly chosen: ChosenTime | undefined;
  /** With the span that was drawn with the mouse, ms. */
  readonly onChoose: (from: number, to: number) => void;
  readonly limits: readonly Limit[];
  /** Alerts of the span: each is a mark above the chart, with a link. */
  readonly events?: readonly AlertEvent[];
  /** Time that they exclude is hatched. */
  readonly notes: readonly schemas.Note[];
}

const LOOKS: Readonly<Record<string, Omit<Line, 'label'>>> = {
  leq: { colour: 'accent', width: 2, stepped: true },
  lp: { colour: 'accent', width: 1.5, points: true },
  lmax: { colour: 'second', width: 1 },
  lmax_bound: { colour: 'second', width: 1, dash: [2, 3] },
  l10: { colour: 'ink-soft', width: 1, dash: [5, 3] },
  l50: { colour: 'ink-soft', width: 1 },
  l90: { colour: 'ink-soft', width: 1, dash: [1.5, 2] },
};

/** The chart of a span. `onZoom` is called with the span that wheel or fingers made, in seconds. */
export function HistoryChart({ history, onZoom, chosen, onChoose, limits, events = [], notes }: Props) {
  const chart = useRef<uPlot | undefined>(undefined);
  const { columns, rows, weighting, zone } = history;
  const weightings: Weightings = { frequency: weighting?.frequency ?? null, time: weighting?.time ?? null };
  const shown = columns.filter((name, index) => name in LOOKS && rows.some((row) => row[index] !== null));
  const lines = shown.map((name) => ({ label: nameOf(name, weightings), ...(LOOKS[name] ?? { colour: 'second' }) }));
  const data = useMemo(() => dataOf(history, shown), [history]);
  // Limits come later than the levels: the scale is extended for them.
  const excluded = useRef(notes);
  excluded.current = notes.filter(({ kind }) => kind === 'exclusion');
  useEffect(() => chart.current?.setData(data), [data, limits.length, notes]);
  const marked = useRef(chosen);
  marked.current = chosen;
  useEffect(() => chart.current?.redraw(false), [chosen]);
  return (
    <>
      <EventMarks history={history} events={events} notes={notes} />
      <Chart
        label={say('Recorded levels')}
        height={320}
        lines={lines}
        zone={zone}
        onChoose={(from, to) => onChoose(from * 1_000, to * 1_000)}
        limits={limits}
        shade={(drawn) => {
          drawn.ctx.save();
          shadeNights(drawn, zone);
          hatch(drawn, excluded.current);
          if (marked.current) mark(drawn, marked.current);
          drawn.ctx.restore();
        }}
        onReady={(ready) => {
          chart.current = ready;
          ready.setData(data);
          zoomByHand(ready, onZoom);
        }}
      />
      <NewLimits limits={madeAfter(limits, Date.parse(history.from))} zone={zone} />
      <CoverageStrip history={history} />
    </>
  );
}

/** Alerts, and notes of a moment such as markers, at their times; a click opens the alert or the notes. */
function EventMarks({ history: { from, to, zone }, events = [], notes }: Pick<Props, 'history' | 'events' | 'notes'>) {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const marks = [
    ...events.map((event) => ({
      at: event.opened_at,
      words: textOf(event, 'rule_name'),
      look: 'alarm',
      href: eventPath(event.id),
    })),
    ...notes
      .filter(({ kind }) => kind === 'note')
      .map((note) => ({
        at: note.from,
        words: note.text,
        look: '',
        href: `${location.pathname}${location.search}#notes`,
      })),
  ].filter(({ at }) => Date.parse(at) >= begin && Date.parse(at) <= end);
  if (marks.length === 0) return null;
  return (
    <ul class="lane event-marks" aria-label={say('Events of this time')}>
      {marks.map(({ at, words, look, href }) => (
        <li key={`${at} ${words}`} style={{ insetInlineStart: `${((Date.parse(at) - begin) / (end - begin)) * 100}%` }}>
          <Link to={href} class={look}>
            <span aria-hidden="true">▾</span>
            <span class="hidden-label">
              {dayAndTime(at, zone)}: <bdi>{words}</bdi>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Why a part of their lines is pale. */
function NewLimits({ limits, zone }: { readonly limits: readonly Limit[]; readonly zone: string }) {
  if (limits.length === 0) return null;
  return (
    <p class="soft small">
      {say('Pale: before the rule was made.')}{' '}
      {limits.map(({ label, rule }, index) => (
        <span key={rule?.id}>
          {index > 0 && ', '}
          <bdi>{label}</bdi>: {dayAndTime(rule?.created_at ?? '', zone)}
        </span>
      ))}
    </p>
  );
}

/** One point at the beginning of each row, and a last one at the end of all. */
function dataOf({ columns, rows, to }: History, shown: readonly string[]): uPlot.AlignedData {
  const x = [...rows.map(([start]) => Date.parse(String(start)) / 1_000), Date.parse(to) / 1_000];
  const values = shown.map((name) => {
    const index = columns.indexOf(name);
    const levels = rows.map((row) => row[index] as number | null);
    return [...levels, levels.at(-1) ?? null];
  });
  return [x, ...values];
}

const NIGHT_FROM = 23;
const NIGHT_TO = 7;
const HOUR_S = 3_600;
/** In longer spans the bands would look like a pattern. */
const MOST_SHADED_S = 32 * 86_400;

function shadeNights(chart: uPlot, zone: string): void {
  const { min, max } = chart.scales.x ?? {};
  if (min === undefined || max === undefined || max - min > MOST_SHADED_S) return;
  chart.ctx.fillStyle = colour('shade');
  const { left, top, width, height } = chart.bbox;
  const isNight = (at: number) => {
    const hour = Number(localInput(at * 1_000, zone).slice(11, 13));
    return hour >= NIGHT_FROM || hour < NIGHT_TO;
  };
  for (let from = Math.floor(min / HOUR_S) * HOUR_S; from < max; from += HOUR_S) {
    if (!isNight(from)) continue;
    const begin = from;
    while (from < max && isNight(from)) from += HOUR_S;
    const x = Math.max(left, chart.valToPos(begin, 'x', true));
    chart.ctx.fillRect(x, top, Math.min(left + width, chart.valToPos(from, 'x', true)) - x, height);
  }
}

const STROKES = 8;

/** Time that does not count. */
function hatch({ ctx, bbox, valToPos }: uPlot, excluded: readonly schemas.Note[]): void {
  const { left, top, width, height } = bbox;
  const x = (at: string | null) =>
    at === null ? left + width : Math.min(left + width, Math.max(left, valToPos(Date.parse(at) / 1_000, 'x', true)));
  for (const { from, to } of excluded) {
    const [begin, end] = [x(from), x(to)];
    if (end <= begin) continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(begin, top, Math.max(2, end - begin), height);
    ctx.clip();
    ctx.strokeStyle = colour('ink-soft');
    ctx.globalAlpha = 0.35;
    ctx.beginPath();
    for (let at = begin - height; at < end; at += STROKES * devicePixelRatio) {
      ctx.moveTo(at, top + height);
      ctx.lineTo(at + height, top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

function mark({ ctx, bbox, valToPos }: uPlot, chosen: ChosenTime): void {
  const { left, top, width, height } = bbox;
  const x = (at: number) => Math.min(left + width, Math.max(left, valToPos(at / 1_000, 'x', true)));
  const [begin, end] = [x(chosen.from), x(chosen.to)];
  if (end <= begin) return;
  ctx.fillStyle = colour('accent');
  ctx.globalAlpha = 0.15;
  ctx.fillRect(begin, top, end - begin, height);
  ctx.globalAlpha = 1;
  for (const edge of [begin, end]) ctx.fillRect(edge - devicePixelRatio / 2, top, devicePixelRatio, height);
}

function CoverageStrip({ history }: { readonly history: History }) {
  const share = percent(coveredOf(history));
  return (
    <div>
      <div class="strip" role="img" aria-label={say('Measured {share} of the time shown', { share })}>
        {stretchesOf(history).map(({ quality, seconds }, index) => (
          <span
            key={index}
            class={quality}
            style={{ flexGrow: seconds }}
            title={quality === 'none' ? say('no data') : qualityWord(quality)}
          />
        ))}
      </div>
      <p class="soft small row">
        <span>{say('Measured {share} of this time.', { share })}</span>
        <Key look="measured" word={say('measured')} />
        <Key look="sampled" word={say('single readings')} />
        <Key look="flagged" word={say('doubtful')} />
        <Key look="" word={say('no data')} />
      </p>
    </div>
  );
}

function Key({ look, word }: { readonly look: string; readonly word: string }) {
  return (
    <span>
      <span class="strip key">
        <span class={`fill ${look}`} />
      </span>
      {word}
    </span>
  );
}

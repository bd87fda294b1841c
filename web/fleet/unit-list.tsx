/**
 * Meters, one below the other: each with its state, its level, the limit that is nearest, and a line of the last ten minutes.
 */
import { computed, type ReadonlySignal, useComputed } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Budget, Unit } from '../../client/index.ts';
import { meterPath } from '../state/address.ts';
import { budgets, budgetsOf, shareOf, tightest } from '../state/alerts.ts';
import { areLevelsShownOld, isLpShownOld, type Known, LINE_MS, type Point, tick, worstOf } from '../state/fleet.ts';
import { decibels } from '../state/numbers.ts';
import { newestLp, stateWord } from '../state/trouble.ts';
import { Age, Level } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';

interface Props {
  readonly shown: readonly Known[];
  readonly label: string;
  /** The small lines of all of these can be compared. */
  readonly sameScale?: boolean;
}

export function UnitList({ shown, label, sameScale = false }: Props) {
  const hasLimits = budgets.value.size > 0;
  const scale = useScale(shown, sameScale);
  const rows = useRows(shown.length);
  return (
    <div class={hasLimits ? 'with-limits' : ''}>
      <Heads hasLimits={hasLimits} />
      <ul class="fleet" aria-label={label}>
        {shown.slice(0, rows).map((each) => (
          <li key={each.unit.peek().unit_id}>
            <UnitRow known={each} scale={scale} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How many rows are drawn: in the first view more than a screen has, and when the browser has shown them the others. */
function useRows(count: number): number {
  const [rows, setRows] = useState(wasWhole ? Number.POSITIVE_INFINITY : FIRST_ROWS);
  useEffect(() => {
    if (rows >= count) {
      wasWhole = true;
      return;
    }
    const timer = setTimeout(() => setRows(rows + MORE_ROWS));
    return () => clearTimeout(timer);
  }, [rows, count]);
  return rows;
}
const FIRST_ROWS = 30;
const MORE_ROWS = 90;
/** Later the list comes whole: who goes back comes to the place in it that was left. */
let wasWhole = false;

/** Of all lines together, in whole steps, so that it seldom moves; undefined: each line has its own. */
function useScale(shown: readonly Known[], isWanted: boolean): Scale | undefined {
  const scaleOf = () => {
    const levels = isWanted ? shown.flatMap(({ line }) => line.value.map(([, level]) => level)) : [];
    const low = levels.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
    const high = levels.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
    return `${Math.floor(low / SCALE_STEP_DB) * SCALE_STEP_DB} ${Math.ceil(high / SCALE_STEP_DB) * SCALE_STEP_DB}`;
  };
  const text = useMemo(() => computed(scaleOf), [shown, isWanted]).value;
  return useMemo(() => {
    const [low = 0, high = 0] = text.split(' ').map(Number);
    return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : undefined;
  }, [text]);
}
const SCALE_STEP_DB = 5;

/** Only for the eye: for screen readers each value has its own name. */
function Heads({ hasLimits }: { readonly hasLimits: boolean }) {
  const heads = [
    ...[say('Meter'), say('Now'), say('Measurement'), say('Last 10 minutes')],
    ...(hasLimits ? [say('Limit')] : []),
    ...[say('State'), say('Age')],
  ];
  return (
    <div class="fleet-head small soft" aria-hidden="true">
      {heads.map((head) => (
        <span key={head}>{head}</span>
      ))}
    </div>
  );
}

interface UnitRowProps {
  readonly known: Known;
  /** Of the small line; undefined: its own. */
  readonly scale?: Scale | undefined;
}

function UnitRow({ known, scale }: UnitRowProps) {
  const unit = known.unit.value;
  const lpOld = useComputed(() => isLpShownOld(known.unit.value)).value;
  const levelsOld = useComputed(() => areLevelsShownOld(known.unit.value)).value;
  const worst = useComputed(() => worstOf(known.unit.value)).value;
  const weightings = { frequency: unit.frequency_weighting, time: unit.time_weighting };
  const { word, look } = stateWord(unit);
  return (
    <Link to={meterPath(unit.unit_id)} class="unit-row">
      <div class="name-cell">
        <div class="name" dir="auto">
          {unit.name ?? unit.unit_id}
        </div>
        <div class="soft small" dir="auto">
          {unit.place ?? (unit.name ? unit.unit_id : '')}
        </div>
      </div>
      <Level level={unit.lp} quantity="lp" weightings={weightings} old={lpOld} />
      <Level level={unit.leq} quantity="leq" weightings={weightings} old={levelsOld} />
      <div class="spark-cell">
        <SparkLine line={known.line} scale={scale} />
      </div>
      <div class="limit-cell small">
        <LimitBar unitId={unit.unit_id} />
      </div>
      <div class="facts-cell small">
        <div class={`state ${look}`}>{word}</div>
        <div class="soft">{suppliesOf(unit)}</div>
      </div>
      <div class="small age-cell">
        <Age at={newestLp(unit)} zone={unit.timezone} />
      </div>
      {worst && (
        <div class="trouble act wrong small">
          <strong>{worst}</strong>
        </div>
      )}
    </Link>
  );
}

function suppliesOf({ battery_level, power_source, sd_free_ratio }: Unit): string {
  const power =
    power_source === 'External' || power_source === 'USB'
      ? say('mains')
      : battery_level === null
        ? ''
        : say('battery {level} %', { level: battery_level });
  const card = sd_free_ratio === null ? '' : say('card {share} % free', { share: sd_free_ratio });
  return [power, card].filter((each) => each !== '').join(', ');
}

/** The limit that is nearest to being broken; nothing where there are no limits. */
export function LimitBar({ unitId }: { readonly unitId: string }) {
  const budget = useComputed(() => tightest(budgetsOf(unitId))).value;
  if (!budget) return null;
  const { state, name, leq_so_far, limit_db } = budget;
  return (
    <span class="limit" title={name}>
      <span class={`bar ${state}`}>
        <span style={{ width: `${Math.round(shareOf(budget) * 100)}%` }} />
      </span>
      <span class={state === 'ok' ? 'soft' : 'said bad'}>
        {leq_so_far === null
          ? say('limit {limit} dB, no data yet', { limit: decibels(limit_db) })
          : wordsOf(budget, decibels(leq_so_far), decibels(limit_db))}
      </span>
    </span>
  );
}

/** A window that was too loud so far may still keep its limit in the end: then the bar is full and there is no alarm. */
function wordsOf({ state, leq_so_far, limit_db }: Budget, level: string, limit: string): string {
  if (state === 'exceeded') return say('{level} of {limit} dB so far, exceeded', { level, limit });
  if (state === 'warning') return say('{level} of {limit} dB, soon exceeded', { level, limit });
  if (state === 'no_data') return say('{level} of {limit} dB, no data', { level, limit });
  return (leq_so_far ?? 0) > limit_db
    ? say('{level} of {limit} dB so far, not exceeded yet', { level, limit })
    : say('{level} of {limit} dB', { level, limit });
}

const WIDTH = 200;
const HEIGHT = 40;
const PAUSE_MS = 60_000;
/** Smallest range of the scale, so that small changes look small. */
const LEAST_RANGE_DB = 10;

/** dB, at the lower and the upper edge. */
interface Scale {
  readonly low: number;
  readonly high: number;
}

interface SparkLineProps {
  readonly line: ReadonlySignal<readonly Point[]>;
  /** Undefined: that of this line alone. */
  readonly scale: Scale | undefined;
}

function SparkLine({ line, scale }: SparkLineProps) {
  // All lines end at the same time, so that they can be compared.
  const until = tick.value;
  const points = line.value.filter(([at]) => at > until - LINE_MS);
  if (points.length === 0) return <span class="soft small">{say('No readings in the last 10 min')}</span>;
  const levels = points.map(([, level]) => level);
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>
        {scale
          ? say('Last 10 minutes: {low} to {high} dB, on a scale of {bottom} to {top} dB', {
              low: decibels(low),
              high: decibels(high),
              bottom: decibels(scale.low),
              top: decibels(scale.high),
            })
          : say('Last 10 minutes: {low} to {high} dB', { low: decibels(low), high: decibels(high) })}
      </title>
      <path class="time" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      <path d={pathOf(points, scale ?? { low, high }, until)} />
    </svg>
  );
}

function pathOf(points: readonly Point[], { low, high }: Scale, until: number): string {
  const range = Math.max(high - low, LEAST_RANGE_DB);
  const bottom = (low + high - range) / 2;
  return points
    .map(([at, level], index) => {
      const x = WIDTH * Math.min(1, 1 - (until - at) / LINE_MS);
      const y = (HEIGHT - 8) * (1 - (level - bottom) / range) + 3;
      const before = points[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY;
      // A line to itself is a dot.
      const place = `${x.toFixed(1)} ${y.toFixed(1)}`;
      return at - before > PAUSE_MS ? `M${place}L${place}` : `L${place}`;
    })
    .join('');
}

/** A day as a whole: its figures, the index made of them, and the verdict. */
import { indices } from '../../../lib/index.ts';
import type { FigureBody, PresetBody } from './contract.ts';
import { type FigureResult, type Verdict, verdictOf } from './figure.ts';
import { ratingLevel } from './rating.ts';

/** `10 lg( 1/H sum h_i 10^((L_i + w_i)/10) )`, h_i the real time of each period. `wholes`: each period as one window. */
export function rateIndex(
  figure: FigureBody,
  preset: PresetBody,
  wholes: ReadonlyMap<string, FigureResult>,
  limit: number | null,
): FigureResult {
  const periods = preset.periods.flatMap(({ name }) => wholes.get(name) ?? []);
  const wrong = periods.filter(({ leq, reasons }) => leq === null || reasons.length > 0);
  const levels = periods.flatMap(({ leq, seconds, period }) =>
    leq === null ? [] : [{ level: leq + (figure.weights?.[period ?? ''] ?? 0), seconds }],
  );
  const assessable = periods.length > 0 && wrong.length === 0;
  const value = assessable ? ratingLevel(levels) : null;
  const known = periods.flatMap(({ leq, measured }) => (leq === null ? [] : [{ level: leq, seconds: measured }]));
  const loudest = periods.reduce<FigureResult | undefined>(
    (best, each) => ((each.lmax ?? -Infinity) > (best?.lmax ?? -Infinity) ? each : best),
    undefined,
  );
  return {
    figure: figure.name,
    period: null,
    worst: null,
    lr: value,
    value,
    limit,
    peakLimit: null,
    assessable,
    from: Math.min(...periods.map(({ from }) => from)),
    to: Math.max(...periods.map(({ to }) => to)),
    seconds: periods.reduce((sum, { seconds }) => sum + seconds, 0),
    measured: periods.reduce((sum, { measured }) => sum + measured, 0),
    leq: ratingLevel(known),
    lmax: loudest?.lmax ?? null,
    lmaxAt: loudest?.lmaxAt ?? null,
    reasons: wrong.flatMap(({ period, reasons }) => reasons.map((reason) => `${period}: ${reason}`)),
    verdict: verdictOf({ value, limit, decimals: preset.decimals }),
    running: null,
  };
}

/** One exceeded figure is enough; an unknown figure leaves the day open. Figures without a limit do not count. */
export function verdictOfDay(figures: readonly FigureResult[]): Verdict {
  const verdicts = figures.map(({ verdict }) => verdict);
  if (verdicts.includes('exceeded')) return 'exceeded';
  const limited = figures.filter(({ limit }) => limit !== null);
  if (limited.length === 0) return verdicts.every((each) => each === 'not_assessable') ? 'not_assessable' : 'no_limit';
  return limited.some(({ verdict }) => verdict === 'not_assessable') ? 'not_assessable' : 'met';
}

/** No data. */
export const NO_LEVELS = { levels: indices.mergeLevels([]), takt: null } as const;

/** The look of a day. With a valid permit its verdict decides; without one a measured day has a level and no verdict. Pure. */
import type { Day, schemas } from '../../client/index.ts';
import { say } from '../words/say.ts';

export type DayStatus =
  | 'exceeded'
  | 'partly'
  | 'within'
  | 'amber'
  | 'open'
  | 'measured'
  | 'readings'
  | 'excluded'
  | 'none';

export interface Facts {
  /** Undefined: there is nothing of this day. */
  readonly day:
    | {
        readonly coverage: Partial<Day['coverage']>;
        readonly valid: boolean;
        /** `sampled`: there are readings, and no measured time. */
        readonly quality?: Day['quality'];
        /** The same as a count. */
        readonly readings?: number;
        /** dB: the Leq with the time that notes exclude; null: they exclude nothing that was measured. */
        readonly leq_all?: number | null;
      }
    | undefined;
  /** Of the index that is shown, dB. */
  readonly level: number | null | undefined;
  /** How often a rule found its limit exceeded. */
  readonly exceeded: number;
  /** Of the index, dB; undefined: it has none. */
  readonly limit: number | undefined;
  /** By the permits of the meter; undefined: none is valid on this day. */
  readonly verdict: Pick<schemas.UnitVerdict, 'verdict' | 'is_amber'> | undefined;
}

/** A loud day is one, however much of it was measured. A quiet one is only known to be quiet where it was measured. */
export function statusOf({ day, level, exceeded, limit, verdict: judged }: Facts): DayStatus {
  const { verdict, is_amber: isAmber = false } = judged ?? {};
  if (verdict === 'exceeded' || verdict === 'excluded') return verdict;
  if (verdict === 'met') return isAmber ? 'amber' : 'within';
  if (verdict === 'not_over') return isAmber ? 'amber' : 'open';
  if (!judged && (exceeded > 0 || isAbove(level, limit))) return 'exceeded';
  if (!day) return 'none';
  if (day.coverage.all === 0) {
    if (typeof day.leq_all === 'number') return 'excluded';
    return day.quality === 'sampled' || (day.readings ?? 0) > 0 ? 'readings' : 'none';
  }
  if (verdict === 'not_assessable' || !day.valid) return 'partly';
  return limit !== undefined ? 'within' : 'measured';
}

/** The same without the measured time of the day: its limits and `figures` have the share that was measured. */
export function statusByPermit(
  verdict: schemas.UnitVerdict,
  figures: readonly Pick<schemas.PermitPart, 'coverage' | 'leq_all'>[] = [],
): DayStatus {
  const known = [...verdict.parts, ...figures];
  const leqAll = known.find(({ leq_all }) => leq_all !== null)?.leq_all ?? null;
  const coverage = { all: Math.max(0, ...known.map(({ coverage: share }) => share)) };
  const day = { coverage, valid: false, leq_all: leqAll };
  return statusOf({ day, level: undefined, exceeded: 0, limit: undefined, verdict });
}

/** The limit with the least margin, which decides about a judged day. */
export const decisiveOf = ({ parts }: schemas.UnitVerdict): schemas.PermitPart | undefined =>
  parts.toSorted(
    (one, other) => (one.margin_db ?? Number.POSITIVE_INFINITY) - (other.margin_db ?? Number.POSITIVE_INFINITY),
  )[0];

/** How many exceeded limits of a day count: of the others notes exclude the whole time. */
export const countedOf = (exceeded: Pick<schemas.AlertDay, 'count' | 'excluded'> | undefined): number =>
  exceeded === undefined ? 0 : exceeded.count - exceeded.excluded;

/** Levels are compared as they are shown, to 0.1 dB. */
export const isAbove = (level: number | null | undefined, limit: number | undefined): boolean =>
  typeof level === 'number' && limit !== undefined && Math.round(level * 10) / 10 > limit;

const WORDS: Readonly<Record<DayStatus, () => string>> = {
  exceeded: () => say('a limit was exceeded'),
  within: () => say('within the limits'),
  partly: () => say('measured in part, nothing exceeded in it'),
  amber: () => say('within the limits, and close to one'),
  open: () => say('not over, nothing exceeded so far'),
  measured: () => say('measured, no permit to compare with'),
  excluded: () => say('excluded by notes'),
  readings: () => say('single readings only'),
  none: () => say('no data'),
};

export const statusWord = (status: DayStatus): string => WORDS[status]();

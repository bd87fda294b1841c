/** Rules about a level: above a limit, over a window. */
import { type InputError, MAIN_CHANNEL } from '../../../../lib/built-in.ts';
import type { RuleKind } from '../kind.ts';
import { sentence } from '../sentences.ts';
import { windowProblems } from './clock-watch.ts';
import { lateLevels } from './late-levels.ts';
import { channelOf, LEVEL_FORM, type LevelFields, leavesOut, levelWords, percentOf } from './level-rule.ts';
import { LevelRuleWatch, windowWords } from './level-rule-watch.ts';
import { replay } from './replay.ts';

/** Below the limit, dB: a level that goes up and down around its limit gives one event of a sliding window. */
const CLEAR_BELOW = 2;

export const levelKind: RuleKind<LevelFields> = {
  name: 'level',
  title: 'a level',
  fields: LEVEL_FORM,
  problems: (given) => [...levelProblems(given), ...windowProblems(given)],
  derived: ({ limit_db: limit = 0, amber_db: first = limit }) => ({
    clear_db: Math.max(0, Math.round((first - CLEAR_BELOW) * 100) / 100),
  }),
  // Readings have only the mean between them, and only early in a measurement.
  needs: (rule) => ({
    history: 'stream',
    channel: channelOf(rule),
    quantity: percentOf(rule.quantity) === undefined ? rule.quantity : 'lp',
  }),
  channelOf,
  leavesOut,
  lack: (rule, { unitId }, known) =>
    leavesOut(rule) && known.isExcluded(channelOf(rule))
      ? `The levels of ${unitId} are excluded now, so this rule gets no levels there until the exclusion ends.`
      : undefined,
  formerly: { channel: MAIN_CHANNEL, continue: false, exclusions: 'ignore' },
  words: (rule) => {
    const about = { level: levelWords(rule), window: windowWords(rule), limit: rule.limit_db };
    return rule.amber_db === undefined
      ? sentence('level_rule', about)
      : sentence('level_rule_with_warning', { ...about, warning: rule.amber_db });
  },
  unitOf: () => 'dB',
  watch: (rule, parts) => new LevelRuleWatch(rule, parts),
  replay,
  late: lateLevels,
};

function levelProblems({ clear_db: clear, limit_db: limit, amber_db: amber }: Partial<LevelFields>): InputError[] {
  if (limit === undefined) return [];
  if (amber !== undefined && amber >= limit) return [{ path: '/amber_db', message: 'must be below limit_db' }];
  if (clear === undefined || clear <= (amber ?? limit)) return [];
  const message =
    amber === undefined
      ? 'must not be above limit_db: an event would end while the limit is broken'
      : 'must not be above amber_db: a warning would end while its level is reached';
  return [{ path: '/clear_db', message }];
}

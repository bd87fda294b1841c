/** Rules about a level: above a limit, over a window. */
import type { InputError } from '../../../../lib/index.ts';
import type { RuleKind } from '../kind.ts';
import { windowProblems } from './clock-windows.ts';
import { lateLevels } from './late-levels.ts';
import { windowWords } from './level-event.ts';
import { LEVEL_FORM, type LevelFields, percentOf, ruleSymbolOf } from './level-rule.ts';
import { levelRuleWatch } from './level-rule-watch.ts';
import { replay } from './replay.ts';

/** Below the limit, dB: an event of a sliding window that goes up and down around its limit is one event. */
const CLEAR_BELOW = 2;

/** The kind `level`. */
export const levelKind: RuleKind<LevelFields> = {
  name: 'level',
  title: 'a level',
  fields: LEVEL_FORM,
  problems: (given) => [...clearProblems(given), ...windowProblems(given)],
  derived: ({ limit_db: limit = 0 }) => ({ clear_db: Math.max(0, Math.round((limit - CLEAR_BELOW) * 100) / 100) }),
  // Readings know only the mean between them, and that only while a measurement is young.
  needs: ({ quantity }) => ({ history: 'stream', quantity: percentOf(quantity) === undefined ? quantity : 'lp' }),
  formerly: { continue: false },
  words: (rule) => `${ruleSymbolOf(rule.quantity)} of ${windowWords(rule)} above ${rule.limit_db} dB`,
  unitOf: () => 'dB',
  watch: levelRuleWatch,
  replay,
  late: lateLevels,
};

const clearProblems = ({ clear_db: clear, limit_db: limit }: Partial<LevelFields>): InputError[] =>
  clear !== undefined && limit !== undefined && clear > limit
    ? [{ path: '/clear_db', message: 'must not be above limit_db: an event would end while the limit is broken' }]
    : [];

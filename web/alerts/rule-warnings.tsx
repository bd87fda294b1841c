/** Where a rule hears nothing or too little: an alarm that cannot ring is not shown as one that can. */
import type { AlertRule, schemas } from '../../client/index.ts';
import { say } from '../words/say.ts';

/** Of one rule; the others are counted. */
const MOST_SHOWN = 3;

interface Props {
  readonly warnings: readonly schemas.AlertRuleWarning[];
  /** The warnings change while a person writes the rule: a screen reader reads them at once. */
  readonly isLive?: boolean;
}

/** The first warnings of a rule, in words; nothing without any. */
export function RuleWarnings({ warnings, isLive = false }: Props) {
  if (warnings.length === 0) return null;
  const more = warnings.length - MOST_SHOWN;
  return (
    <div class="trouble act stack" {...(isLive && { role: 'status' })}>
      {warnings.slice(0, MOST_SHOWN).map(({ unit_id, message }) => (
        <span key={unit_id}>{message}</span>
      ))}
      {more > 0 && <span>{say('And {count} more meter.|And {count} more meters.', { count: more })}</span>}
    </div>
  );
}

/** Reasons why a rule of the list cannot ring. Empty for a rule that can ring, or is switched off. */
export function RuleSilence({ rule: { state, tag, warnings } }: { readonly rule: AlertRule }) {
  if (state !== 'no_units') return <RuleWarnings warnings={warnings} />;
  return <div class="trouble act">{say('No meter has the tag {tag}: nothing is watched.', { tag: tag ?? '' })}</div>;
}

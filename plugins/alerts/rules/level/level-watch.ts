/** The watch of a level rule, by the kind of its windows. */
import { ClockWatch } from './clock-watch.ts';
import type { LevelRule } from './level-rule.ts';
import { SlidingWatch } from './sliding-watch.ts';
import type { LevelWatch } from './step.ts';

/** `zone`: IANA name of the zone of the unit. */
export const levelWatch = (rule: LevelRule, zone: string): LevelWatch =>
  rule.align === 'sliding' ? new SlidingWatch(rule, zone) : new ClockWatch(rule, zone);

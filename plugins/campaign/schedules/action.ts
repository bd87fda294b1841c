/** What an action of a schedule is: its words, what an entry may say of it, and the job that it begins. Types only. */
import type { Host, Job, OperationName } from '../../../lib/index.ts';
import type { Cycles } from '../cycles/cycle-jobs.ts';
import type { ApplyInput } from '../profiles/apply-profile.ts';
import type { ActionWord, ScheduleEntry } from './schedule.ts';

/** One thing that a schedule can begin. */
export interface ScheduleAction extends ActionWord {
  /** For people, as an order: `start a measurement`. */
  readonly words: string;
  /** The kind of the job that it begins. */
  readonly job: string;
  /** A start or a stop of a measurement: of missed ones the last says what the meter should do now. */
  readonly measuring?: 'start' | 'stop';
  /** What the meter must be able to do. Absent: the meter itself is not needed. */
  readonly needs?: readonly OperationName[];
  /** Errors: those of the start of a job. */
  begin(unitId: string, said: Pick<ScheduleEntry, 'profile' | 'store'>, parts: ActionParts): Promise<Job>;
}

/** What actions need to begin their jobs. */
export interface ActionParts {
  readonly host: Host;
  readonly apply: (unitId: string, input: ApplyInput) => Promise<Job>;
  readonly cycles: Cycles;
  readonly syncClock: (unitId: string) => Promise<Job>;
}

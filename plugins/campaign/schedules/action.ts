/** An action of a schedule: its words, the options of an entry, and its job. Types only. */
import type { Host, Job, OperationName } from '../../../lib/index.ts';
import type { Cycles } from '../cycles/cycle-jobs.ts';
import type { ApplyInput } from '../profiles/apply-profile.ts';
import type { ActionWord, ScheduleEntry } from './schedule.ts';

/** One action that a schedule can begin. */
export interface ScheduleAction extends ActionWord {
  /** For people, as an order: `start a measurement`. */
  readonly words: string;
  /** The kind of its job. */
  readonly job: string;
  /** A start or a stop of a measurement: the last missed action decides what the meter should do now. */
  readonly measuring?: 'start' | 'stop';
  /** The abilities that the meter needs. Absent: the meter itself is not needed. */
  readonly needs?: readonly OperationName[];
  /** Errors: those of the start of a job. */
  begin(unitId: string, said: Pick<ScheduleEntry, 'profile' | 'store'>, parts: ActionParts): Promise<Job>;
}

/** The parts that actions need to begin their jobs. */
export interface ActionParts {
  readonly host: Host;
  readonly apply: (unitId: string, input: ApplyInput) => Promise<Job>;
  readonly cycles: Cycles;
  readonly syncClock: (unitId: string) => Promise<Job>;
}

/** Faults of several instances on one database, for `/health` of each of them. */
import type { MemberState } from '../cluster/contract.ts';
import type { Trouble } from '../http/health.ts';

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** An instance knows this of itself and the others. */
export interface InstanceFacts {
  readonly members: readonly MemberState[];
  /** Name of the instance that is active, or was last. */
  readonly owner: string | undefined;
  /** This instance is the active one. */
  readonly isActive: boolean;
  /** This instance gets no answer from the database. */
  readonly isCut: boolean;
  /** This instance continues without the database: it has no standby. */
  readonly isAlone: boolean;
  /** How far the clock of this computer is ahead of that of the database, ms; 0: they agree. */
  readonly clockAhead: number;
  readonly isDiskShort: boolean;
  readonly isOlder: boolean;
}

/** Nothing of it keeps the active instance from answering. */
export function instanceTroubles(facts: InstanceFacts): readonly Trouble[] {
  const { members, owner, isActive, isCut, isAlone, clockAhead, isDiskShort, isOlder } = facts;
  const found: Trouble[] = [];
  if (isCut && !isActive) found.push(trouble('database', CUT));
  if (isCut && isActive) found.push(trouble('instances', isAlone ? ALONE : UNHEARD));
  for (const { id, name, state } of members)
    if (state === 'silent')
      found.push(
        trouble(
          'instances',
          `The instance ${name} is silent: ${id === owner ? 'it was active.' : 'it could not take over.'}`,
        ),
      );
  if (isDiskShort && !isActive)
    found.push(trouble('disk', 'The disk of this instance has no room: if it took over, it would record no levels.'));
  if (isOlder && !isActive)
    found.push(trouble('instances', 'The tables are of a newer release: this instance cannot take over. Update it.'));
  if (clockAhead !== 0) {
    const side = clockAhead > 0 ? 'ahead of' : 'behind';
    const words = `The clock of this computer is ${spanWords(Math.abs(clockAhead))} ${side} that of the database`;
    found.push(
      trouble(
        'clock',
        `${words}: one of them is wrong. Levels, events and schedules have the time of the active instance.`,
      ),
    );
  }
  return found;
}

/** The reason may name an address: only the log has it. */
const CUT =
  'This instance gets no answer from the database: it cannot take over, and does not know which instance is active. Its log has the reason.';
const UNHEARD =
  'This instance gets no answer from the database: it ends its sessions 40 s after the last answer, so that a standby can take over. Its log has the reason.';
const ALONE =
  'This instance gets no answer from the database. It has no standby, so that it goes on. Its log has the reason.';

const trouble = (part: string, detail: string): Trouble => ({ part, detail, harmless: true });

/** In the largest unit that is in the span at least twice. */
function spanWords(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= 2 * each) ?? [1_000, 's'];
  return `${Math.round(ms / size)} ${unit}`;
}

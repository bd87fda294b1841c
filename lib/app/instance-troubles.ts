/** Faults of several instances on one database, for `/health`, and what keeps a standby from taking over. */
import { statfs } from 'node:fs/promises';
import { type Clock, within } from '../clock.ts';
import type { MemberState } from '../cluster/contract.ts';
import { messageOf } from '../errors.ts';
import type { Trouble } from '../http/health.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/index.ts';
import { StoreError } from '../store/problem.ts';

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

interface InstanceFacts {
  readonly members: readonly MemberState[];
  /** Name of the instance that is active, or was last. */
  readonly owner: string | undefined;
  readonly isActive: boolean;
  readonly isCut: boolean;
  /** It continues without the database, because it has no standby. */
  readonly isAlone: boolean;
  /** As in `Lease`. */
  readonly clockAhead: number;
  readonly isDiskShort: boolean;
  readonly isOlder: boolean;
}

/** They never keep the active instance from answering. */
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

const MB = 1_000_000;
/** A disk with less takes nothing, whatever the settings leave free. */
const LEAST_MB = 10;
/** Between two looks at the tables, ms. */
const TABLES_MS = 60_000;
const ANSWER_MS = 15_000;

interface FitnessParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** As in `InstanceParts`. */
  readonly fits?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Looked at with each beat. */
export class InstanceFitness {
  readonly #parts: FitnessParts;
  readonly #leastMb: number;
  #isDiskShort = false;
  #isOlder = false;
  #next: number;

  constructor(parts: FitnessParts) {
    this.#parts = parts;
    this.#leastMb = Math.max(parts.settings.history_min_free_mb, LEAST_MB);
    // The tables were looked at before the start.
    this.#next = parts.clock.elapsed() + TABLES_MS;
  }

  /** Less room than a gateway needs to record. */
  get isDiskShort(): boolean {
    return this.#isDiskShort;
  }

  get isOlder(): boolean {
    return this.#isOlder;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.#lookAtDisk(), this.#lookAtTables()]);
  }

  /** If the free space is unknown, the disk does not count as full. */
  async #lookAtDisk(): Promise<void> {
    const { settings, log } = this.#parts;
    const free = await statfs(settings.data_dir).then(
      ({ bavail, bsize }) => (bavail * bsize) / MB,
      (error: unknown) => {
        log.debug({ reason: messageOf(error) }, 'the free space of the disk is unknown');
        return Number.POSITIVE_INFINITY;
      },
    );
    const isShort = free < this.#leastMb;
    if (isShort && !this.#isDiskShort)
      log.error({ free_mb: Math.floor(free) }, 'the disk of the data folder has no room');
    else if (!isShort && this.#isDiskShort) log.info({}, 'the disk of the data folder has room again');
    this.#isDiskShort = isShort;
  }

  async #lookAtTables(): Promise<void> {
    const { clock, fits, log } = this.#parts;
    if (!fits || clock.elapsed() < this.#next) return;
    this.#next = clock.elapsed() + TABLES_MS;
    const late = () => new Error('the database does not answer');
    const isOlder = await within(clock, ANSWER_MS, late, fits).then(
      () => false,
      (error: unknown) => (error instanceof StoreError && error.problem === 'newer') || this.#isOlder,
    );
    if (isOlder && !this.#isOlder)
      log.warn({}, 'the tables are of a newer release: this instance cannot take over until it is updated');
    this.#isOlder = isOlder;
  }
}

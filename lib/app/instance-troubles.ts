/** What does not work where several instances share a database, for `/health` of each of them. */
import type { MemberState } from '../cluster/contract.ts';
import type { Trouble } from '../http/health.ts';
import type { Lacks } from './instance-fitness.ts';

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** An instance; without a `gateway` it waits. */
interface Looking {
  members(): readonly MemberState[];
  gateway(): unknown;
}

/** What else is known. */
interface Known extends Lacks {
  /** The instance that has the meters, silent or not. */
  readonly owner: string | undefined;
  /** How far the clock of this computer is ahead of that of the database, ms; 0: they agree. */
  readonly clockAhead: number;
  /** This instance gets no answer from the database. */
  readonly isCut: boolean;
  /** Instances that this one cannot reach: those that share meters with this gateway, or the gateway. */
  readonly unreached: readonly Pick<MemberState, 'id'>[];
  /** Instances that speak another version of the link than the gateway. */
  readonly unlike: readonly Pick<MemberState, 'id'>[];
}

/** Nothing of it keeps a request from being answered by the instance that has the meters. */
export function instanceTroubles(
  instance: Looking,
  { owner, clockAhead, isCut, isDiskShort, isOlder, unreached, unlike }: Known,
): readonly Trouble[] {
  const lacking = (one: MemberState) => (one.id === owner ? WITHOUT_GATEWAY : withoutSessions(one.units ?? 0));
  const members = instance.members();
  const gateway = members.find(({ id }) => id === owner);
  const isUnreached = ({ id, state }: MemberState) => state !== 'silent' && unreached.some((other) => other.id === id);
  const found = [
    ...members
      .filter(({ state }) => state === 'silent')
      .map((one) => trouble('instances', `The instance ${one.name} is silent: ${lacking(one)}`)),
    ...members
      .filter(isUnreached)
      .map(({ id, name, units = 0 }) =>
        trouble(
          'instances',
          `The instance ${name} ${id === owner ? UNREACHED_GATEWAY : unreachedSessions(units)} ${CURE}`,
        ),
      ),
    ...members
      .filter(({ id, state }) => state !== 'silent' && unlike.some((other) => other.id === id))
      .map((one) => trouble('instances', unlikeWords(one, gateway))),
  ];
  if (isCut) found.unshift(instance.gateway() ? trouble('instances', UNHEARD) : trouble('database', CUT));
  if (isDiskShort && !instance.gateway())
    found.push(trouble('disk', 'The disk of this instance has no room: if it took over, it would record no levels.'));
  if (isOlder && !instance.gateway()) found.push(trouble('instances', OLDER));
  if (clockAhead !== 0) {
    const side = clockAhead > 0 ? 'ahead of' : 'behind';
    const words = `The clock of this computer is ${spanWords(Math.abs(clockAhead))} ${side} that of the database`;
    const effect = 'Levels, events and schedules have the time of the instance that has the meters.';
    found.push(trouble('clock', `${words}: one of them is wrong. ${effect}`));
  }
  return found;
}

/** What a silent instance costs, after a colon. */
const WITHOUT_GATEWAY = 'it has the meters, and nobody is answered until another one takes them over.';
const withoutSessions = (units: number): string =>
  units === 0
    ? 'it could not take over.'
    : `nobody can ask the ${metersWords(units)} that it serves, until others have taken them over.`;

const UNREACHED_GATEWAY =
  'has the meters and is not reached from this one at its instance_address: what is asked here is not answered.';
const unreachedSessions = (units: number): string =>
  `shares meters and is not reached, or never for long, at its instance_address, ${units === 0 ? 'so it is given none' : `and nobody can ask the ${metersWords(units)} that it serves`}.`;
const CURE = 'Check this setting of it, the network between the two, and with https its certificate.';

/** Why it gets none may name an address: the log has it. */
const CUT =
  'This instance gets no answer from the database: it could not take over, and does not know who has the meters now. Its log says why.';

/** Its changes may be stored all the same: they go over another connection. */
const UNHEARD =
  'The signs of life of this instance get no answer from the database: it gives up the meters after ten minutes at most, and sooner where another instance may take over. Its log says why.';

/** Why an instance that waits is not ready. `owner`: who has the meters, as the database said last. */
export const waitingWords = (owner = 'no instance', isCut = false): string =>
  isCut
    ? `This instance waits, and gets no answer from the database. The last that it heard: ${owner} has the meters.`
    : `This instance waits: ${owner} has the meters.`;

/** It serves meters all the same. */
const OLDER = 'The tables are of a newer release: this instance cannot take over. Update it.';

/** Two builds may have one number. */
function unlikeWords({ name, version }: MemberState, gateway: MemberState | undefined): string {
  const other = gateway ? `${gateway.name} (${gateway.version}), which has the meters,` : 'the one that has the meters';
  return `The instance ${name} (${version}) serves no meters, because its link has another version than that of ${other} and carries nothing: update whichever is older. Meanwhile the others serve all meters.`;
}

const metersWords = (units: number): string => (units === 1 ? 'meter' : `${units} meters`);

const trouble = (part: string, detail: string): Trouble => ({ part, detail, harmless: true });

/** In the largest unit of which there are two. */
function spanWords(ms: number): string {
  const [size, unit] = UNITS.find(([each]) => ms >= 2 * each) ?? [1_000, 's'];
  return `${Math.round(ms / size)} ${unit}`;
}

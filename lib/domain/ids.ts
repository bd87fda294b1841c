/**
 * Ids of units, and the roles in their order. The rights of roles and the form of unit ids are defined only here.
 * The client exports them, so this file imports no other.
 */

/** Without anchors: for patterns with several ids. Safe in a path, a file name and a topic. */
export const UNIT_ID_WORD = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
export const UNIT_ID = `^${UNIT_ID_WORD}$`;
/** One to `most` units with commas between, as the `pattern` of a schema. */
export const unitIds = (most: number): string => `^${UNIT_ID_WORD}(,${UNIT_ID_WORD}){0,${most - 1}}$`;

/** In place of a unit in events of alerts about the whole gateway. No unit can have this name. */
export const GATEWAY_ID = '_gateway';

const WELL_FORMED = new RegExp(UNIT_ID);

export const isUnitId = (text: string): boolean => WELL_FORMED.test(text);

/** Whether this can be a tag of a unit: letters and digits of any script, and between them `.`, `_`, `:` and `-`. The format `tag` of schemas. */
export const isTag = (text: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u.test(text);

export const titleOf = ({ name, unitId }: { readonly name: string | null; readonly unitId: string }): string =>
  name ?? unitId;

/** Each role includes the earlier ones. A viewer reads, an operator controls meters, an admin changes configs. */
export const ROLES = Object.freeze(['viewer', 'operator', 'admin'] as const);
export type Role = (typeof ROLES)[number];

/** Callers of a route: everybody, or at least this role. */
export const ACCESS = Object.freeze(['public', ...ROLES] as const);
export type Access = (typeof ACCESS)[number];

export const isRole = (word: unknown): word is Role => (ROLES as readonly unknown[]).includes(word);
export const isAccess = (word: unknown): word is Access => (ACCESS as readonly unknown[]).includes(word);

/** A role, and the units that it is for; null: all. */
export interface Rights {
  readonly role: Role;
  readonly units: readonly string[] | null;
}

export const reaches = ({ units }: Pick<Rights, 'units'>, unitId: string): boolean =>
  units === null || units.includes(unitId);

/** Whether the role may use a route with this `access`. An unknown word lets nobody in. */
export function suffices(role: Role, access: Access): boolean {
  if (access === 'public') return true;
  return isRole(role) && isRole(access) && ROLES.indexOf(role) >= ROLES.indexOf(access);
}

// Names of the channels of a meter in configs, in the history and in notes.

/** The first channel of every meter: live values belong to it, and requests without a channel use it. */
export const MAIN_CHANNEL = 'main';

export const CHANNEL_PATTERN = '^[a-z][a-z0-9]{0,15}$';

/** The names of the channels of a family (`Family.channels`), in small letters, the main channel first. */
export const channelNames = (channels: readonly string[]): readonly string[] =>
  channels.map((name, place) => (place === 0 ? MAIN_CHANNEL : name.toLowerCase()));

/** States of an instance among several on one database: the words of the API. */
export const INSTANCE_STATES = Object.freeze(['active', 'standby', 'silent', 'left'] as const);
/** `silent`: no sign of life for some beats. `left`: it was stopped regularly. */
export type InstanceState = (typeof INSTANCE_STATES)[number];

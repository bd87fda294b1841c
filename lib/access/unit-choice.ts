/** The units that a key, a person or an invitation is for: all, a list, or all units with a tag. */

import { ROLES, reaches, UNIT_ID } from '../domain/ids.ts';
import { invalid } from '../http/checks.ts';
import type { Identity, Schema } from '../http/contract.ts';
import type { ConfigStore } from '../store/contract.ts';

export interface UnitChoice {
  /** Null: all units. Empty where `tags` choose them. */
  readonly units: readonly string[] | null;
  /** Units with one of these tags, also those that get the tag later. Null: the choice is not by tag. */
  readonly tags: readonly string[] | null;
}

/** The units of a choice at this moment; null: all. */
export type UnitsNow = (choice: UnitChoice) => readonly string[] | null;

export function unitsByTag(configs: Pick<ConfigStore, 'list' | 'onChange'>): UnitsNow {
  const known = new Map<string, readonly string[]>();
  configs.onChange(() => known.clear(), ['tags']);
  return ({ units, tags }) => {
    if (tags === null) return units;
    // No tag has a space in it.
    const key = tags.join(' ');
    const found =
      known.get(key) ??
      configs.list().flatMap((config) => (config.tags.some((tag) => tags.includes(tag)) ? config.unitId : []));
    known.set(key, found);
    return found;
  };
}

/** An admin of some units manages only keys and people for these; an admin by tag only those of the same tags. */
export const mayManage = ({ units, tags }: Pick<Identity, 'units' | 'tags'>, other: UnitChoice): boolean =>
  units === null ||
  (other.tags
    ? other.tags.every((tag) => tags?.includes(tag))
    : (other.units?.every((unitId) => reaches({ units }, unitId)) ?? false));

export const CHOSEN: Readonly<Record<string, Schema>> = {
  role: { type: 'string', enum: ROLES },
  units: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: 1_000,
    uniqueItems: true,
    items: { type: 'string', pattern: UNIT_ID },
    description: 'These units only; null, the default: all.',
  },
  tags: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: 16,
    uniqueItems: true,
    items: { type: 'string', maxLength: 40, format: 'tag' },
    description: 'In place of units: those with one of these tags, also units that get the tag later.',
  },
};

export const SHOWN_CHOICE: Readonly<Record<string, Schema>> = {
  role: { type: 'string', enum: ROLES },
  units: { type: ['array', 'null'], items: { type: 'string' }, description: 'At this moment; null: all units.' },
  tags: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'The units are those with one of these tags; null: they are not chosen by tag.',
  },
};

/** Errors: INVALID if a body has both. */
export function choiceIn({ units = null, tags = null }: Partial<UnitChoice>): UnitChoice {
  if (units && tags) throw invalid([{ path: '/tags', message: 'must not be given together with units' }]);
  return tags ? { units: [], tags } : { units, tags };
}

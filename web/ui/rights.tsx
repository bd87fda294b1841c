/** Rights at meters, in words and as parts of forms: for people, invitations, API keys, and what is about some meters. */
import { useState } from 'preact/hooks';
import { ROLES, type Role } from '../../client/index.ts';
import { about } from '../state/access.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { say } from '../words/say.ts';
import { Checks, Choice } from './field.tsx';
import type { FormPart } from './form-parts.ts';

/** As the API has it: `units` null and no tags are all meters. */
export interface Rights {
  readonly role: Role;
  readonly units: readonly string[] | null;
  readonly tags: readonly string[] | null;
}

const MAY: Readonly<Record<Role, () => string>> = {
  viewer: () => say('may look'),
  operator: () => say('may control meters'),
  admin: () => say('may change everything'),
};
const roleText = (role: Role): string => `${role}: ${MAY[role]()}`;

/** `viewer: may look, all with the tag harbour`. */
export const rightsText = ({ role, units, tags }: Rights): string => `${roleText(role)}, ${metersText(units, tags)}`;

export function metersText(units: Rights['units'], tags: Rights['tags']): string {
  if (tags) return tags.map((tag) => say('all with the tag {tag}', { tag })).join(', ');
  return units ? say('for {meters}', { meters: units.map(titleOf).join(', ') }) : say('all meters');
}

/** To begin with: no more than the caller has. */
export const leastRights = (): Rights => ({ role: 'viewer', units: about.value?.caller.units ?? null, tags: null });

/** A body of the API names only one of both. */
export const chosenUnits = ({ units, tags }: Rights) => (tags ? { tags } : { units });

/** The same where the API takes one tag. */
export const unitsOrTag = ({ units, tags }: Chosen) => (tags ? { tag: tags[0] ?? '' } : { units: units ?? [] });

/** Units of the API, or a tag in their place. */
export type Chosen = Pick<Rights, 'units' | 'tags'>;
const TAG = 'tag:';

interface MetersOptions {
  readonly label?: string;
  /** Whether all meters, also later ones, can be chosen. */
  readonly canBeAll?: true;
  /** Whether it is mostly about one meter: each is a choice of its own. */
  readonly isOfOne?: true;
}

interface MetersProps extends MetersOptions {
  readonly value: Chosen;
  change(value: Chosen): void;
}

/** All meters, some, or those with a tag: a choice and, for some, a box each. */
function MetersField({ value: { units, tags }, change, label = say('Meters'), canBeAll, isOfOne }: MetersProps) {
  const own = about.value?.caller.units;
  const known = [...(meters.value ?? [])].filter(([unitId]) => !own || own.includes(unitId));
  const ids = known.map(([unitId]) => unitId);
  const [isSome, setSome] = useState(units !== null && tags === null && (!isOfOne || units.length > 1));
  const tagsOf = (unit: (typeof known)[number][1]) => unit.unit.peek().tags ?? [];
  const allTags = [...new Set([...known.flatMap(([, unit]) => tagsOf(unit)), ...(tags ?? [])])].sort();
  // A meter may be gone, or hidden from this key. It stays chosen until somebody takes it out.
  const gone = (units ?? []).filter((unitId) => !ids.includes(unitId));
  const named = [...ids, ...gone].map((unitId) => [unitId, titleOf(unitId)] as const);
  const ofTag = () => known.filter(([, unit]) => tagsOf(unit).some((tag) => tags?.includes(tag))).map(([id]) => id);
  const choose = (word: string) => {
    setSome(word === 'several' || word === 'now');
    if (word.startsWith(TAG)) change({ units: null, tags: [word.slice(TAG.length)] });
    else if (word === 'all') change({ units: null, tags: null });
    else if (word === 'now') change({ units: ids, tags: null });
    else if (word !== 'several') change({ units: [word], tags: null });
    else change({ units: units ?? (tags ? ofTag() : (own ?? [])), tags: null });
  };
  const several = ['several', say('several meters')] as const;
  const tagged = allTags.map((tag) => [`${TAG}${tag}`, say('all with the tag {tag}', { tag })] as const);
  const ofOne = [
    ...named,
    ...(ids.length > 1 || isSome ? [several, ['now', say('all meters that there are now')] as const] : []),
    ...tagged,
  ];
  const ofSome = [...(canBeAll && !own ? [['all', say('all meters')] as const] : []), ...tagged, several];
  return (
    <>
      <Choice
        label={label}
        value={tags ? `${TAG}${tags[0]}` : isSome ? 'several' : isOfOne ? (units?.[0] ?? '') : 'all'}
        choices={isOfOne ? ofOne : ofSome}
        change={choose}
      />
      {isSome && !tags && (
        <Checks
          label={say('These meters')}
          chosen={units ?? []}
          choices={named}
          change={(next) => change({ units: next, tags: null })}
        />
      )}
    </>
  );
}

/** Units or a tag as a part of a form. */
export const metersPart = (
  value: Chosen,
  set: (next: Chosen) => void,
  options: MetersOptions = {},
): FormPart<'units'> => ({ name: 'units', draw: <MetersField value={value} change={set} {...options} /> });

export const rightsParts = (value: Rights, set: (next: Chosen) => void): readonly FormPart<'role' | 'units'>[] => [
  { name: 'role', label: say('Role'), choices: ROLES.map((each) => [each, roleText(each)] as const) },
  metersPart(value, set, { canBeAll: true }),
];

export const isComplete = ({ units, tags }: Chosen): boolean => tags !== null || units === null || units.length > 0;

interface FreshProps {
  /** A sentence about the secret that ends with a colon. */
  readonly what: string;
  readonly text: string;
  /** Whether the text is a link to look at. */
  readonly isLink?: true;
  forget(): void;
}

/** A secret that the gateway shows only once. */
export function FreshSecret({ what, text, isLink, forget }: FreshProps) {
  return (
    <p role="status">
      {what}{' '}
      {isLink ? (
        <a class="key-text" href={text} target="_blank" rel="noreferrer">
          {text}
        </a>
      ) : (
        <code class="key-text">{text}</code>
      )}{' '}
      <button type="button" onClick={() => void navigator.clipboard?.writeText(text)}>
        {say('Copy')}
      </button>{' '}
      <button type="button" onClick={forget}>
        {say('I have it')}
      </button>
    </p>
  );
}

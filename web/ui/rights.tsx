/** Rights at meters, in words and as fields: for people, invitations and API keys. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ROLES, type Role } from '../../client/index.ts';
import { about } from '../state/access.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { say } from '../words/say.ts';
import { Checks, Choice } from './field.tsx';

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

/** The meters, or their tag. */
export function metersText(units: Rights['units'], tags: Rights['tags']): string {
  if (tags) return tags.map((tag) => say('all with the tag {tag}', { tag })).join(', ');
  return units ? say('for {meters}', { meters: units.map(titleOf).join(', ') }) : say('all meters');
}

/** To begin with: no more than the caller has. */
export const leastRights = (): Rights => ({ role: 'viewer', units: about.value?.caller.units ?? null, tags: null });

/** A body of the API names only one of both. */
export const chosenUnits = ({ units, tags }: Rights) => (tags ? { tags } : { units });

/** Units of the API, or a tag in their place. */
type Chosen = Pick<Rights, 'units' | 'tags'>;
const TAG = 'tag ';
interface MetersProps {
  readonly value: Chosen;
  change(value: Chosen): void;
  /** Whether all meters, also later ones, can be chosen. */
  readonly canBeAll: boolean;
}

/** All meters, some, or those with a tag: a choice and, for some, a box each. */
export function MetersField({ value: { units, tags }, change, canBeAll }: MetersProps) {
  const own = about.value?.caller.units;
  const known = [...(meters.value ?? [])].filter(([unitId]) => !own || own.includes(unitId));
  const [isSome, setSome] = useState(tags === null && units !== null);
  const allTags = [...new Set([...known.flatMap(([, { unit }]) => unit.peek().tags ?? []), ...(tags ?? [])])].sort();
  const gone = (units ?? []).filter((unitId) => !known.some(([id]) => id === unitId));
  const choose = (word: string) => {
    setSome(word === 'some');
    if (word.startsWith(TAG)) change({ units: null, tags: [word.slice(TAG.length)] });
    else change({ units: word === 'some' ? (own ?? []) : null, tags: null });
  };
  return (
    <>
      <Choice
        label={say('Meters')}
        value={tags ? `${TAG}${tags[0]}` : isSome ? 'some' : 'all'}
        choices={[
          ...(canBeAll && !own ? [['all', say('all meters')] as const] : []),
          ...allTags.map((tag) => [`${TAG}${tag}`, say('all with the tag {tag}', { tag })] as const),
          ['some', say('several meters')] as const,
        ]}
        change={choose}
      />
      {isSome && !tags && (
        <Checks
          label={say('These meters')}
          chosen={units ?? []}
          choices={[...known.map(([unitId]) => unitId), ...gone].map((unitId) => [unitId, titleOf(unitId)] as const)}
          change={(next) => change({ units: next, tags: null })}
        />
      )}
    </>
  );
}

interface Props {
  readonly value: Rights;
  change(value: Rights): void;
  /** Further fields in the same line. */
  readonly children?: ComponentChildren;
}

/** The role and the meters. */
export function RightsFields({ value, change, children }: Props) {
  return (
    <div class="fields">
      <Choice
        label={say('Role')}
        value={value.role}
        choices={ROLES.map((each) => [each, roleText(each)] as const)}
        change={(role) => change({ ...value, role })}
      />
      <MetersField value={value} change={(next) => change({ ...value, ...next })} canBeAll />
      {children}
    </div>
  );
}

/** Whether some meters are chosen. */
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

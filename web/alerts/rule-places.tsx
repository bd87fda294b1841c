/** Where a rule counts: one meter, several, all of them, or all with a tag. */
import { useState } from 'preact/hooks';
import type { AlertRule, Unit } from '../../client/index.ts';
import { meters } from '../state/fleet.ts';
import { Checks, Choice } from '../ui/field.tsx';
import { say } from '../words/say.ts';

const TAG = 'tag:';
const SEVERAL = 'several';
const ALL = 'all';

/** As the API takes it. */
export type Place = { readonly tag: string } | { readonly units: readonly string[] };

const allUnits = (): readonly Unit[] => [...(meters.value?.values() ?? [])].map(({ unit }) => unit.value);
const titleOf = ({ unit_id, name }: Unit): string => name ?? unit_id;

/** The place of a rule; for a new one it is the first meter. */
export function placeOf({ tag, units = [] }: Partial<AlertRule>): Place {
  if (tag !== undefined) return { tag };
  const first = allUnits()[0]?.unit_id;
  return { units: units.length > 0 || first === undefined ? units : [first] };
}

interface Props {
  readonly value: Place;
  change(value: Place): void;
}

/** The choice of meters or of a tag. */
export function PlaceField({ value, change }: Props) {
  const units = allUnits();
  const [isSeveral, setSeveral] = useState('units' in value && value.units.length > 1);
  const own = 'tag' in value ? [value.tag] : [];
  const tags = [...new Set([...units.flatMap((unit) => unit.tags), ...own])].sort();
  const chosen = 'units' in value ? value.units : [];
  // A unit may be gone, or hidden from this key. It stays in the rule until somebody takes it out.
  const choices = [
    ...units.map((unit) => [unit.unit_id, titleOf(unit)] as const),
    ...chosen.filter((id) => !units.some(({ unit_id }) => unit_id === id)).map((id) => [id, id] as const),
  ];
  const choose = (word: string) => {
    setSeveral(word === SEVERAL || word === ALL);
    if (word.startsWith(TAG)) change({ tag: word.slice(TAG.length) });
    else if (word === ALL) change({ units: units.map(({ unit_id }) => unit_id) });
    else if (word !== SEVERAL) change({ units: [word] });
    else if ('tag' in value) change({ units: units.filter((unit) => isAt(unit, value)).map(({ unit_id }) => unit_id) });
  };
  return (
    <>
      <Choice
        label={say('At ## which meters')}
        value={'tag' in value ? `${TAG}${value.tag}` : isSeveral ? SEVERAL : (chosen[0] ?? '')}
        choices={[
          ...choices,
          ...(units.length > 1 || isSeveral
            ? [[SEVERAL, say('several meters')] as const, [ALL, say('all meters that there are now')] as const]
            : []),
          ...tags.map((tag) => [`${TAG}${tag}`, say('all with the tag {tag}', { tag })] as const),
        ]}
        change={choose}
      />
      {isSeveral && (
        <Checks
          label={say('These meters')}
          chosen={chosen}
          choices={choices}
          change={(ids) => change({ units: ids })}
        />
      )}
    </>
  );
}

const isAt = ({ unit_id, tags }: Unit, place: Place): boolean =>
  'tag' in place ? tags.includes(place.tag) : place.units.includes(unit_id);

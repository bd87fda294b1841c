/** Which family of meters one is of. */
import { about } from '../state/access.ts';
import { Choice } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Props {
  /** Its name in the config: `nl43`. */
  readonly value: string;
  change(value: string): void;
}

/** The choice of a family; nothing where the gateway knows a single one. */
export function FamilyField({ value, change }: Props) {
  const families = about.value?.families ?? [];
  if (families.length < 2) return null;
  const choices = families.map(({ name, title }) => [name, title] as const);
  return <Choice label={say('Family of the meter')} value={value} choices={choices} change={change} />;
}

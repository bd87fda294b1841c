/** The position of a meter, both numbers in one field, as maps give them to copy. */
import { useState } from 'preact/hooks';
import { Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Position {
  readonly latitude: number | null;
  readonly longitude: number | null;
}
interface Props {
  /** When the field is first shown. */
  readonly position: Position;
  /** Only with two numbers, or with none. */
  change(position: Position): void;
}

// A comma separates two numbers only if they have points: 55,5 is one number with a decimal comma.
const NUMBER = String.raw`[+\-]?\d+(\.\d+)?`;
const FRACTION = String.raw`[+\-]?\d+\.\d+`;
/** The gateway checks the range. */
const PAIR = String.raw`\s*(${NUMBER}[,;]?\s+${NUMBER}|${FRACTION}[,;]${FRACTION})\s*`;

/** The field. `change` is called with two numbers or with none. */
export function PositionField({ position: { latitude, longitude }, change }: Props) {
  const [text, setText] = useState(latitude === null || longitude === null ? '' : `${latitude}, ${longitude}`);
  const enter = (words: string) => {
    setText(words);
    const [first = null, second = null] = words.match(/[+-]?\d+(\.\d+)?/g)?.map(Number) ?? [];
    change({ latitude: first, longitude: second });
  };
  return (
    <Field
      label={say('Position: latitude, longitude in degrees')}
      hint="55.5012, 3.4987"
      pattern={PAIR}
      value={text}
      change={enter}
    />
  );
}

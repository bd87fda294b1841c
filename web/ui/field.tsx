/** Fields of forms, each with its label. */
import { useEffect, useRef, useState } from 'preact/hooks';

interface ChoiceProps<Word extends string> {
  readonly label: string;
  readonly value: Word;
  /** Words of the API, or pairs of such a word and its text. */
  readonly choices: readonly (Word | readonly [word: Word, text: string])[];
  change(value: Word): void;
}

/** A value that is none of the choices, as another program may have set it, is one more of them. */
export function Choice<Word extends string>({ label, value, choices, change }: ChoiceProps<Word>) {
  const pairs = choices.map((each) => (typeof each === 'string' ? ([each, each] as const) : each));
  const isKnown = value === '' || pairs.some(([word]) => word === value);
  return (
    <label class="field">
      {label}
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value as Word)}>
        {[...pairs, ...(isKnown ? [] : [[value, value] as const])].map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  change(value: string): void;
  readonly type?: 'text' | 'number' | 'date' | 'time' | 'datetime-local' | 'url' | 'password';
  readonly hint?: string | undefined;
  readonly pattern?: string | undefined;
  /** The text for a value that does not fit the pattern. */
  readonly wrong?: string | undefined;
  readonly step?: string | undefined;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly required?: boolean;
  readonly autoComplete?: 'username' | 'new-password';
}

/** One line of text, a number, a date or a time. `change` gets the text. */
export function Field(props: FieldProps) {
  const { label, value, change, type = 'text', hint, pattern, wrong, step, min, max, required, autoComplete } = props;
  const field = useRef<HTMLInputElement>(null);
  const [isLeft, setLeft] = useState(false);
  const isWrong = wrong !== undefined && value !== '' && !new RegExp(`^(?:${pattern})$`, 'u').test(value.trim());
  // The browser says it in its own words otherwise, and they do not say what is wrong.
  useEffect(() => field.current?.setCustomValidity(isWrong ? wrong : ''), [isWrong]);
  const isSaid = isWrong && isLeft;
  const more = {
    ...(hint && { placeholder: hint }),
    ...(pattern && !wrong && { pattern }),
    ...(step && { step }),
    ...(autoComplete && { autoComplete }),
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
    ...(isSaid && { 'aria-invalid': true as const }),
  };
  return (
    <label class="field">
      {label}
      <input
        {...more}
        // The types of Preact want one literal.
        type={type as 'text'}
        required={required ?? false}
        value={value}
        ref={field}
        onBlur={() => setLeft(true)}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {isSaid && <span class="said bad">{wrong}</span>}
    </label>
  );
}

interface ChecksProps<Word extends string> {
  readonly label: string;
  readonly chosen: readonly Word[];
  readonly choices: readonly (readonly [word: Word, text: string])[];
  change(chosen: readonly Word[]): void;
}

/** Any number of a few. */
export function Checks<Word extends string>({ label, chosen, choices, change }: ChecksProps<Word>) {
  const toggle = (word: Word) =>
    change(choices.map(([each]) => each).filter((each) => chosen.includes(each) !== (each === word)));
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {choices.map(([word, text]) => (
        <label key={word} class="row">
          <input type="checkbox" checked={chosen.includes(word)} onChange={() => toggle(word)} />
          <bdi>{text}</bdi>
        </label>
      ))}
    </fieldset>
  );
}

interface FlagProps {
  readonly label: string;
  readonly value: boolean;
  change(value: boolean): void;
}

/** A box to tick. */
export function Flag({ label, value, change }: FlagProps) {
  return (
    <label class="row flag">
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      {label}
    </label>
  );
}

/** Fields of forms, each with its label. */
import { useEffect, useRef, useState } from 'preact/hooks';

interface Shared {
  readonly label: string;
  readonly problem?: string | undefined;
}

const Refused = ({ problem }: Pick<Shared, 'problem'>) =>
  problem ? (
    <span class="said bad" role="alert">
      {problem}
    </span>
  ) : null;
const invalid = (problem: string | boolean | undefined) => (problem ? { 'aria-invalid': true as const } : {});

interface ChoiceProps<Word extends string> extends Shared {
  readonly value: Word;
  readonly choices: readonly (readonly [word: Word, text: string])[];
  change(value: Word): void;
}

/** A value that is none of the choices, as another program may have set it, is one more of them. */
export function Choice<Word extends string>({ label, value, choices, change, problem }: ChoiceProps<Word>) {
  const isKnown = value === '' || choices.some(([word]) => word === value);
  return (
    <label class="field">
      {label}
      <select {...invalid(problem)} value={value} onChange={({ currentTarget }) => change(currentTarget.value as Word)}>
        {[...choices, ...(isKnown ? [] : [[value, value] as const])].map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
      <Refused problem={problem} />
    </label>
  );
}

interface FieldProps extends Shared {
  readonly value: string;
  change(value: string): void;
  readonly type?: 'text' | 'number' | 'date' | 'time' | 'datetime-local' | 'password';
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
    ...invalid(isSaid || props.problem),
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
      {isSaid ? <span class="said bad">{wrong}</span> : <Refused problem={props.problem} />}
    </label>
  );
}

interface LinesProps extends Shared {
  readonly value: string;
  readonly hint?: string | undefined;
  readonly rows?: number;
  change(value: string): void;
}

export const Lines = ({ label, value, hint, rows = 4, change, problem }: LinesProps) => (
  <label class="field">
    {label}
    <textarea
      {...invalid(problem)}
      {...(hint && { placeholder: hint })}
      rows={rows}
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
    <Refused problem={problem} />
  </label>
);

interface ChecksProps<Word extends string> extends Shared {
  readonly chosen: readonly Word[];
  readonly choices: readonly (readonly [word: Word, text: string])[];
  change(chosen: readonly Word[]): void;
}

export function Checks<Word extends string>({ label, chosen, choices, change, problem }: ChecksProps<Word>) {
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
      <Refused problem={problem} />
    </fieldset>
  );
}

interface FlagProps extends Shared {
  readonly value: boolean;
  change(value: boolean): void;
}

export const Flag = ({ label, value, change, problem }: FlagProps) => (
  <label class="row flag">
    <input type="checkbox" checked={value} onChange={({ currentTarget }) => change(currentTarget.checked)} />
    {label}
    <Refused problem={problem} />
  </label>
);

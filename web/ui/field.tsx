/** Fields of forms, each with its label. */

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
  readonly type?: 'text' | 'number' | 'time' | 'url' | 'password';
  readonly hint?: string | undefined;
  readonly pattern?: string | undefined;
  readonly step?: string | undefined;
  readonly required?: boolean;
}

export function Field({ label, value, change, type = 'text', hint, pattern, step, required = false }: FieldProps) {
  const more = { ...(hint && { placeholder: hint }), ...(pattern && { pattern }), ...(step && { step }) };
  return (
    <label class="field">
      {label}
      <input
        {...more}
        // The types of Preact want one literal.
        type={type as 'text'}
        required={required}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
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

export function Flag({ label, value, change }: FlagProps) {
  return (
    <label class="row flag">
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => change(currentTarget.checked)} />
      {label}
    </label>
  );
}

/**
 * The fields of a form that the API describes: of a kind of rule, of a kind of target. Fields that are seldom changed are
 * apart.
 */

import { say, sayOfApi } from '../words/say.ts';
import { Choice, Field, Flag } from './field.tsx';
import { applicable, chosen, type FormField, type FormValues, followed, type Present } from './form-values.ts';

interface Props {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly present: Present;
  change(values: FormValues): void;
}

type Shown = ReturnType<typeof applicable>[number];

/** A number or a switch that has a good value of its own. */
const isSeldom = ({ type, needed, usual, default: preset }: Shown): boolean =>
  !needed && usual === preset && (type === 'number' || type === 'switch');

/** The fields that are always shown. */
export function FormFields({ fields, values, present, change }: Props) {
  const shown = applicable(fields, values);
  const isApart = (field: Shown) => isSeldom(field) && fields.some((own) => own === field);
  const part = (field: Shown) => (
    <OneField key={field.name} field={field} fields={fields} values={values} present={present} change={change} />
  );
  return <>{shown.filter((field) => !isApart(field)).map(part)}</>;
}

/** The seldom ones, folded. */
export function MoreFields({ fields, values, present, change }: Props) {
  const shown = applicable(fields, values).filter((field) => isSeldom(field) && fields.some((own) => own === field));
  if (shown.length === 0) return null;
  return (
    <details>
      <summary>{say('More ## settings of a form')}</summary>
      <div class="fields">
        {shown.map((field) => (
          <OneField key={field.name} field={field} fields={fields} values={values} present={present} change={change} />
        ))}
      </div>
    </details>
  );
}

function OneField({ field, fields, values, present, change }: Props & { readonly field: Shown }) {
  const { name, type, unit, needed, choices, pattern, description, minimum, maximum } = field;
  const label = sayOfApi(field.label);
  const value = followed(fields, values, present)[name] ?? '';
  const put = (next: string) => change({ ...values, [name]: next });
  if (type === 'choice') {
    // With one choice there is nothing to choose.
    if (choices?.length === 1) return null;
    const original = fields.find((own) => own.name === name);
    return (
      <Choice
        label={label}
        value={value}
        choices={choices?.map((choice) => [choice.value, sayOfApi(choice.words)] as const) ?? []}
        change={(next) => (original ? change(chosen(fields, values, original, next)) : put(next))}
      />
    );
  }
  if (type === 'switch')
    return <Flag label={label} value={value === 'true'} change={(next) => put(next ? 'true' : '')} />;
  const named = unit ? `${label}, ${sayOfApi(unit)}` : label;
  const isKept = type === 'secret' && present !== undefined;
  return (
    <Field
      label={type === 'list' ? say('{label}, with commas between', { label: named }) : named}
      type={type === 'number' ? 'number' : type === 'secret' ? 'password' : 'text'}
      required={needed && !isKept}
      hint={isKept ? say('as it is') : (field.example ?? (needed ? undefined : secretHint(field)))}
      value={value}
      change={put}
      {...(type === 'number' && { step: 'any', min: minimum, max: maximum })}
      {...(pattern &&
        type !== 'secret' && { pattern, wrong: (description && sayOfApi(description)) ?? say('has a wrong form') })}
    />
  );
}

const secretHint = ({ type, generated, usual, default: preset }: Shown): string => {
  if (type === 'secret') return generated === null ? say('none ## a secret') : say('is made');
  const usually = usual ?? preset;
  return usually === null ? '' : String(usually);
};

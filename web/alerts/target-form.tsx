/** A target of alerts, new or to be changed. The API describes the fields of each kind; what the form does not show stays as it is. */
import { useState } from 'preact/hooks';
import type { AlertTarget, NewAlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field, Flag } from '../ui/field.tsx';
import { FormFields, MoreFields } from '../ui/form-fields.tsx';
import { bodyOf, firstValues } from '../ui/form-values.ts';
import { say, sayWith } from '../words/say.ts';

interface Props {
  readonly kinds: readonly schemas.AlertTargetKind[];
  readonly present?: AlertTarget;
  readonly use: FormUse;
}

/** The form of one target. `kinds`: as the API describes them. */
export function TargetForm({ kinds, present, use }: Props) {
  const fieldsOf = (name: string) => kinds.find((each) => each.kind === name)?.fields ?? [];
  const [kind, setKind] = useState<string>(present?.kind ?? kinds[0]?.kind ?? '');
  const fields = fieldsOf(kind);
  const own = present && { ...present };
  const [name, setName] = useState(present?.name ?? '');
  const [values, setValues] = useState(() => firstValues(fields, own));
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const [resolved, setResolved] = useState(present?.resolved ?? true);
  const [made, setMade] = useState('');
  const choose = (next: string) => {
    setKind(next);
    setValues(firstValues(fieldsOf(next), undefined));
  };
  const save = async () => {
    const { quiet, zone } = present ?? {};
    const more = { ...(quiet && { quiet }), ...(zone !== undefined && { zone }) };
    const body = bodyOf(fields, values, own);
    const target = { name: name.trim(), kind, enabled, resolved, ...more, ...body } as NewAlertTarget;
    const { message, warning } = await (present
      ? client.value.changeAlertTarget(present.id, target)
      : client.value.addAlertTarget(target));
    const isMade = fields.some((field) => field.generated !== null && (values[field.name] ?? '') === '');
    setMade(isMade && !present ? (target.secret ?? '') : '');
    return [message, warning].filter(Boolean).join(' ');
  };
  const form = { fields, values, present: own, change: setValues };
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.name }) : say('A new target')}
      button={present ? say('Save this target') : say('Add this target')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Choice
            label={say('By ## how a message is sent')}
            value={kind}
            choices={kinds.map(({ kind: word, title }) => [word, title] as const)}
            change={choose}
          />
        )}
        <Field label={say('Name of the target')} required hint={say('Site office')} value={name} change={setName} />
        <FormFields {...form} />
      </div>
      <MoreFields {...form} />
      <div class="row">
        <Flag label={say('Also send the end of an alert')} value={resolved} change={setResolved} />
        {present && <Flag label={say('Switched on')} value={enabled} change={setEnabled} />}
      </div>
      {made !== '' && (
        <p>
          {sayWith('The receiver checks signatures with this secret, which is not shown again: {secret}', {
            secret: <code>{made}</code>,
          })}
        </p>
      )}
    </EntryForm>
  );
}

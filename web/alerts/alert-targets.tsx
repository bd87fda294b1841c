/** The targets of alerts. The API describes the fields of each kind; fields that the form does not show do not change. */
import { useState } from 'preact/hooks';
import type { AlertTarget, NewAlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { type AnyParts, describedBody, describedParts, type FormValues, firstValues } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { listOf, say, sayOfApi, sayWith } from '../words/say.ts';

interface Props {
  readonly kinds: readonly schemas.AlertTargetKind[];
  readonly targets: readonly AlertTarget[];
  onChange(): void;
}

export function AlertTargets({ kinds, targets, onChange }: Props) {
  return (
    <Card id="targets" title={say('Recipients')}>
      {targets.length === 0 && <p class="soft">{say('Nobody yet: alerts are shown only here.')}</p>}
      <ul class="configs">
        {targets.map((target) => (
          <li key={target.id}>
            <Target kinds={kinds} target={target} onChange={onChange} />
          </li>
        ))}
      </ul>
      <TargetForm kinds={kinds} use={{ saved: onChange, isOpen: targets.length === 0 }} />
    </Card>
  );
}

interface TargetProps extends Omit<Props, 'targets'> {
  readonly target: AlertTarget;
}

function Target({ kinds, target, onChange }: TargetProps) {
  const { id, name, kind } = target;
  const test = async () => {
    const { delivered, message } = await client.value.testAlertTarget(id);
    if (!delivered) throw new Error(message);
    return message;
  };
  return (
    <Entry
      name={name}
      mayChange
      form={(use) => <TargetForm kinds={kinds} present={target} use={use} />}
      remove={() => client.value.removeAlertTarget(id)}
      onChange={onChange}
      more={
        <ActionButton
          work={test}
          waiting={say('A test is being sent ...')}
          hidden={say('to {name} ## send a test', { name })}
        >
          {say('Send a test')}
        </ActionButton>
      }
    >
      <bdi>{name}</bdi>
      <div class="soft small">
        {say('{kind}: {address}', { kind: sayOfApi(kind), address: listOf(addressesOf(target)) })}
      </div>
    </Entry>
  );
}

/** Where a target is, and whether it is switched off. */
function addressesOf({ to, url, topic, enabled }: AlertTarget): readonly string[] {
  const about = topic && url ? say('topic {name}', { name: topic }) : topic;
  return [...(to ?? [url, about]), enabled ? undefined : say('switched off')].flatMap((part) => part || []);
}

interface TargetFormProps {
  readonly kinds: readonly schemas.AlertTargetKind[];
  readonly present?: AlertTarget;
  readonly use: FormUse;
}

interface TargetValues extends FormValues {
  readonly kind: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly resolved: boolean;
  readonly language: keyof typeof LANGUAGES;
}

function TargetForm({ kinds, present, use }: TargetFormProps) {
  const fieldsOf = (name: string) => kinds.find((each) => each.kind === name)?.fields ?? [];
  const own = present && { ...present };
  const [values, set] = useValues<TargetValues>(() => {
    const kind = present?.kind ?? kinds[0]?.kind ?? '';
    const shared = { kind, name: present?.name ?? '', language: present?.language ?? language };
    const { enabled = true, resolved = true } = present ?? {};
    return { ...firstValues(fieldsOf(kind), own), ...shared, enabled, resolved };
  });
  const [made, setMade] = useState('');
  const { kind, name, enabled, resolved } = values;
  const fields = fieldsOf(kind);
  const isForPeople = kind === 'mail' || kind === 'push';
  const save = async () => {
    const { quiet, zone } = present ?? {};
    const shared = { name, kind, enabled, resolved, quiet, zone, ...(isForPeople && { language: values.language }) };
    const target = { ...shared, ...describedBody(fields, values, own) } as NewAlertTarget;
    const answer = await (present
      ? client.value.changeAlertTarget(present.id, target)
      : client.value.addAlertTarget(target));
    const isMade = fields.some((field) => field.generated !== null && values[field.name] === undefined);
    setMade(isMade && !present ? (target.secret ?? '') : '');
    return answer;
  };
  const parts: AnyParts = [
    !present && {
      name: 'kind',
      label: say('By ## how a message is sent'),
      choices: kinds.map(({ kind: word, title }) => [word, sayOfApi(title)] as const),
      put: (next) => set({ ...firstValues(fieldsOf(String(next)), undefined), kind: String(next) }),
    },
    { name: 'name', label: say('Name of the target'), required: true, hint: say('Site office') },
    ...describedParts(fields, values, own, set),
    isForPeople && { name: 'language', label: say('Language'), choices: Object.entries(LANGUAGES) },
    { name: 'resolved', type: 'switch', label: say('Also send the end of an alert') },
    present !== undefined && { name: 'enabled', type: 'switch', label: say('Switched on') },
  ];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: present.name }) : say('A new target')}
      button={say('Save this target')}
      use={use}
      parts={parts}
      values={values}
      set={set}
      save={save}
    >
      {made !== '' && (
        <p>
          {sayWith('The receiver checks signatures with this secret, which is not shown again: {secret}', {
            secret: <code>{made}</code>,
          })}
        </p>
      )}
    </SchemaForm>
  );
}

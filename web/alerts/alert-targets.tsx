/**
 * The targets of alerts: listed, tried, made, changed and removed. The API describes the fields of each kind. Fields that the
 * form does not show do not change.
 */
import { useState } from 'preact/hooks';
import type { AlertTarget, NewAlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field, Flag } from '../ui/field.tsx';
import { FormFields, MoreFields } from '../ui/form-fields.tsx';
import { bodyOf, firstValues } from '../ui/form-values.ts';
import { language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { listOf, say, sayOfApi, sayWith } from '../words/say.ts';

type Tongue = keyof typeof LANGUAGES;

interface Props {
  readonly kinds: readonly schemas.AlertTargetKind[];
  readonly targets: readonly AlertTarget[];
  onChange(): void;
}

/** The list of targets, each with a test, and the form for a new one. */
export function AlertTargets({ kinds, targets, onChange }: Props) {
  return (
    <section class="card" aria-labelledby="targets">
      <h2 id="targets">{say('Recipients')}</h2>
      {targets.length === 0 && <p class="soft">{say('Nobody yet: alerts are shown only here.')}</p>}
      <ul class="configs">
        {targets.map((target) => (
          <li key={target.id}>
            <Target kinds={kinds} target={target} onChange={onChange} />
          </li>
        ))}
      </ul>
      <TargetForm kinds={kinds} use={{ saved: onChange, isOpen: targets.length === 0 }} />
    </section>
  );
}

interface TargetProps extends Omit<Props, 'targets'> {
  readonly target: AlertTarget;
}

function Target({ kinds, target, onChange }: TargetProps) {
  const { id, name, kind } = target;
  const { outcome, run, waits } = useAction();
  const test = () =>
    run(async () => {
      const { delivered, message } = await client.value.testAlertTarget(id);
      if (!delivered) throw new Error(message);
      return message;
    });
  return (
    <>
      <Entry
        name={name}
        mayChange
        form={(use) => <TargetForm kinds={kinds} present={target} use={use} />}
        remove={async () => (await client.value.removeAlertTarget(id)).message}
        onChange={onChange}
        more={
          <button type="button" disabled={waits} onClick={() => void test()}>
            {say('Send a test')} <span class="hidden-label">{say('to {name} ## send a test', { name })}</span>
          </button>
        }
      >
        <bdi>{name}</bdi>
        <div class="soft small">
          {say('{kind}: {address}', { kind: sayOfApi(kind), address: listOf(addressesOf(target)) })}
        </div>
      </Entry>
      <Said outcome={outcome} waiting={say('A test is being sent ...')} />
    </>
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

/** The form of one target. `kinds`: as the API describes them. */
function TargetForm({ kinds, present, use }: TargetFormProps) {
  const fieldsOf = (name: string) => kinds.find((each) => each.kind === name)?.fields ?? [];
  const [kind, setKind] = useState<string>(present?.kind ?? kinds[0]?.kind ?? '');
  const fields = fieldsOf(kind);
  const own = present && { ...present };
  const [name, setName] = useState(present?.name ?? '');
  const [values, setValues] = useState(() => firstValues(fields, own));
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const [resolved, setResolved] = useState(present?.resolved ?? true);
  const [tongue, setTongue] = useState<Tongue>(present?.language ?? language);
  const [made, setMade] = useState('');
  const isForPeople = kind === 'mail' || kind === 'push';
  const choose = (next: string) => {
    setKind(next);
    setValues(firstValues(fieldsOf(next), undefined));
  };
  const save = async () => {
    const { quiet, zone } = present ?? {};
    const more = {
      ...(quiet && { quiet }),
      ...(zone !== undefined && { zone }),
      ...(isForPeople && { language: tongue }),
    };
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
      button={say('Save this target')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Choice
            label={say('By ## how a message is sent')}
            value={kind}
            choices={kinds.map(({ kind: word, title }) => [word, sayOfApi(title)] as const)}
            change={choose}
          />
        )}
        <Field label={say('Name of the target')} required hint={say('Site office')} value={name} change={setName} />
        <FormFields {...form} />
        {isForPeople && (
          <Choice
            label={say('Language')}
            value={tongue}
            choices={Object.entries(LANGUAGES) as [Tongue, string][]}
            change={(next) => setTongue(next)}
          />
        )}
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

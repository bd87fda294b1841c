/** A target of alerts, new or to be changed. Fields that it does not show stay as they are. */
import { useState } from 'preact/hooks';
import type { AlertTarget, NewAlertTarget } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field, Flag } from '../ui/field.tsx';

const KINDS = [
  ['mail', 'mail'],
  ['webhook', 'webhook'],
  ['mqtt', 'MQTT, a topic of a broker'],
] as const;

/** As a person writes it; of each kind some count. */
interface Words {
  readonly to: string;
  readonly url: string;
  readonly topic: string;
  readonly username: string;
  readonly password: string;
}

interface Props {
  readonly present?: AlertTarget;
  readonly use: FormUse;
}

export function TargetForm({ present, use }: Props) {
  const [kind, setKind] = useState(present?.kind ?? 'mail');
  const [name, setName] = useState(present?.name ?? '');
  const [words, setWords] = useState(wordsOf(present));
  const [enabled, setEnabled] = useState(present?.enabled ?? true);
  const [resolved, setResolved] = useState(present?.resolved ?? true);
  const [made, setMade] = useState('');
  const save = async () => {
    const { quiet, zone } = present ?? {};
    const more = { ...(quiet && { quiet }), ...(zone !== undefined && { zone }) };
    const target = { ...{ name: name.trim(), kind, enabled, resolved }, ...more, ...placeOf(kind, words, present) };
    const { message, warning } = await (present
      ? client.value.changeAlertTarget(present.id, target)
      : client.value.addAlertTarget(target));
    setMade(kind === 'webhook' ? (target.secret ?? '') : '');
    return [message, warning].filter(Boolean).join(' ');
  };
  return (
    <EntryForm
      title={present ? `Change ${present.name}` : 'A new target'}
      button={present ? 'Save this target' : 'Add this target'}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && <Choice label="By" value={kind} choices={KINDS} change={(next) => setKind(next)} />}
        <Field label="Name of the target" required hint="Site office" value={name} change={setName} />
        <PlaceFields kind={kind} value={words} change={setWords} isKept={present?.secret_set ?? false} />
      </div>
      <div class="row">
        <Flag label="Also send the end of an alert" value={resolved} change={setResolved} />
        {present && <Flag label="Switched on" value={enabled} change={setEnabled} />}
      </div>
      {made !== '' && (
        <p>
          The receiver checks signatures with this secret, which is not shown again: <code>{made}</code>
        </p>
      )}
    </EntryForm>
  );
}

interface PlaceProps {
  readonly kind: AlertTarget['kind'];
  readonly value: Words;
  change(value: Words): void;
  /** Whether the gateway has a password of it. */
  readonly isKept: boolean;
}

function PlaceFields({ kind, value, change, isKept }: PlaceProps) {
  const field = (name: keyof Words) => ({
    value: value[name],
    change: (next: string) => change({ ...value, [name]: next }),
  });
  if (kind === 'mail')
    return <Field label="Mail addresses, with commas between" required hint="site@example.org" {...field('to')} />;
  if (kind === 'webhook')
    return (
      <Field label="Address of the webhook" type="url" required hint="https://example.org/hook" {...field('url')} />
    );
  return (
    <>
      <Field label="Address of the broker" required hint="mqtts://example.org:8883" {...field('url')} />
      <Field label="Topic" required hint="site/alerts" {...field('topic')} />
      <Field label="User at the broker" hint="none" {...field('username')} />
      <Field
        label="Password at the broker"
        type="password"
        hint={isKept ? 'as it is' : 'none'}
        {...field('password')}
      />
    </>
  );
}

const wordsOf = ({ to = [], url = '', topic = '', username = '' }: Partial<AlertTarget> = {}): Words => ({
  ...{ to: to.join(', '), url, topic, username, password: '' },
});

function placeOf(
  kind: AlertTarget['kind'],
  { to, url, topic, username, password }: Words,
  present: AlertTarget | undefined,
): Pick<NewAlertTarget, 'to' | 'url' | 'topic' | 'username' | 'secret'> {
  if (kind === 'mail') {
    const addresses = to.split(',').map((each) => each.trim());
    return { to: addresses.filter((each) => each !== '') };
  }
  if (kind === 'webhook') return { url: url.trim(), ...(!present && { secret: newSecret() }) };
  return {
    ...{ url: url.trim(), topic: topic.trim() },
    ...(username !== '' && { username }),
    ...(password !== '' && { secret: password }),
  };
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

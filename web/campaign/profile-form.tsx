/** A profile, new or to be changed: a name, and the settings that it has. Others are left as they are on a meter. */
import { useState } from 'preact/hooks';
import type { Profile } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

const LEFT = '';
const asIs = (...words: readonly string[]): readonly (readonly [string, string])[] => [
  [LEFT, say('as it is')],
  ...words.map((word) => [word, word] as const),
];
const choicesOf = (): readonly (readonly [
  name: string,
  label: string,
  choices: readonly (readonly [string, string])[],
])[] => [
  ['frequency_weighting', say('Frequency weighting'), asIs('A', 'C', 'Z')],
  ['time_weighting', say('Time weighting'), asIs('F', 'S', 'I')],
  ['store_mode', say('Store mode'), asIs('Manual', 'Auto')],
  ['lp_interval', say('Lp store interval'), asIs('Off', '10ms', '25ms', '100ms', '200ms', '1s')],
];
const textsOf = (): readonly (readonly [name: string, label: string, hint: string])[] => [
  ['leq_interval', say('Leq interval'), '15m'],
  ['measurement_time', say('Measurement time'), '24h'],
];

interface Props {
  readonly present?: Profile;
  readonly use: FormUse;
}

/** `present`: the profile that is changed; undefined: a new profile. */
export function ProfileForm({ present, use }: Props) {
  const [name, setName] = useState(present?.name ?? '');
  const [description, setDescription] = useState(present?.description ?? '');
  const [wish, setWish] = useState<Readonly<Record<string, string>>>(present?.settings ?? {});
  const change = (setting: string, value: string) => setWish({ ...wish, [setting]: value });
  const save = async () => {
    const settings = Object.fromEntries(Object.entries(wish).filter(([, value]) => value.trim() !== LEFT));
    return (await client.value.saveProfile(name.trim(), { description, settings })).message;
  };
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.name }) : say('A new profile')}
      button={present ? say('Save this profile') : say('Create this profile')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Field
            label={say('Name of the profile')}
            required
            hint="day-and-night"
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            value={name}
            change={setName}
          />
        )}
        <Field label={say('What it is for')} value={description} change={setDescription} />
        {choicesOf().map(([setting, label, choices]) => (
          <Choice
            key={setting}
            label={label}
            value={wish[setting] ?? LEFT}
            choices={choices}
            change={(value) => change(setting, value)}
          />
        ))}
        {textsOf().map(([setting, label, hint]) => (
          <Field
            key={setting}
            label={label}
            hint={hint}
            value={wish[setting] ?? ''}
            change={(value) => change(setting, value)}
          />
        ))}
      </div>
    </EntryForm>
  );
}

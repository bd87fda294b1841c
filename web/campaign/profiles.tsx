/**
 * Profiles: named sets of meter settings. They are made, changed and applied here; it is shown which meters differ from theirs.
 */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Drift, Profile } from '../../client/index.ts';
import { client, mayAdminister, mayOperate } from '../state/access.ts';
import { changes, meters } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

/** All profiles, with what admins can do with them. */
export function ProfileList() {
  const { profiles, again } = useProfiles();
  if (!profiles) return null;
  return (
    <section class="card" aria-labelledby="profiles">
      <h2 id="profiles">{say('Profiles')}</h2>
      {profiles.length === 0 && (
        <p class="soft">{say('No profiles yet. A profile is a set of settings that you can apply to many meters.')}</p>
      )}
      <ul class="configs">
        {profiles.map((profile) => (
          <li key={profile.name}>
            <OneProfile profile={profile} onChange={again} />
          </li>
        ))}
      </ul>
      {mayAdminister.value && <ProfileForm use={{ saved: again, isOpen: profiles.length === 0 }} />}
    </section>
  );
}

function OneProfile({ profile, onChange }: { readonly profile: Profile; onChange(): void }) {
  const { name, description, settings, units } = profile;
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{name}</bdi> <span class="soft">{description}</span>
      </summary>
      {open && (
        <div class="card plain">
          <Entry
            name={name}
            mayChange={mayAdminister.value}
            form={(use) => <ProfileForm present={profile} use={use} />}
            remove={async () => (await client.value.removeProfile(name)).message}
            onChange={onChange}
          >
            <dl class="facts">
              {Object.entries(settings).map(([setting, value]) => (
                <Fragment key={setting}>
                  <dt>{setting.replaceAll('_', ' ')}</dt>
                  <dd>{value}</dd>
                </Fragment>
              ))}
            </dl>
          </Entry>
          {units.length > 0 && <Drifts name={name} changed={profile.changed_at} />}
          {mayOperate.value && <Apply profile={profile} />}
        </div>
      )}
    </details>
  );
}

function Drifts({ name, changed }: { readonly name: string; readonly changed: string }) {
  const { found: drifts = [] } = useFound(() => client.value.drift(name), [name, changed]);
  return (
    <ul class="stack">
      {drifts.map((drift) => (
        <li key={drift.unit_id}>
          <strong>{drift.unit_id}</strong>
          <DriftWords drift={drift} />
        </li>
      ))}
    </ul>
  );
}

function Apply({ profile: { name, units } }: { readonly profile: Profile }) {
  const [chosen, setChosen] = useState<readonly string[]>(units);
  const { outcome, run, waits } = useAction();
  const all = [...(meters.value?.values() ?? [])].map(({ unit }) => unit.peek());
  const apply = () => run(async () => (await client.value.applyProfile(name, chosen)).message);
  return (
    <>
      <Checks
        label={say('Meters')}
        chosen={chosen}
        choices={all.map((unit) => [unit.unit_id, unit.name ?? unit.unit_id] as const)}
        change={setChosen}
      />
      <div class="row">
        <button type="button" class="main" disabled={waits || chosen.length === 0} onClick={() => void apply()}>
          {say('Apply it to these meters')}
        </button>
      </div>
      <Said outcome={outcome} waiting="" />
    </>
  );
}

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
function ProfileForm({ present, use }: Props) {
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
      button={say('Save this profile')}
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

/** Undefined until the answer comes, and if the gateway runs without campaigns. */
export function useProfiles(): { readonly profiles: readonly Profile[] | undefined; again(): void } {
  const { found: profiles, again } = useFound(() => client.value.profiles(), [changes.value.job]);
  return { profiles, again };
}

const words = (name: string): string => name.replaceAll('_', ' ');

/** The differences in a list, or a text that there are no differences. `zone`: of the time at which they were read. */
export function DriftWords({ drift, zone }: { readonly drift: Drift; readonly zone?: string }) {
  const { state, differences, not_read, read_at } = drift;
  if (state === 'differs') {
    return (
      <div class="trouble act">
        <strong>{say('The meter differs from it:')}</strong>
        <ul>
          {differences.map(({ setting, wanted, found }) => (
            <li key={setting}>
              {say('{setting} is {found}, should be {wanted}', { setting: words(setting), found, wanted })}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (state === 'unknown')
    return <p class="soft">{say('Not read yet: {settings}.', { settings: not_read.map(words).join(', ') })}</p>;
  const time = read_at && dayAndTime(read_at, zone);
  return (
    <p class="soft">
      {time ? say('The meter has these settings, read {time}.', { time }) : say('The meter has these settings.')}
    </p>
  );
}

/** Profiles: named sets of meter settings. The list shows which meters differ from theirs. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Drift, Profile } from '../../client/index.ts';
import { client, mayAdminister, mayOperate } from '../state/access.ts';
import { changes, meters } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { Checks } from '../ui/field.tsx';
import { namePart, type PartsOf } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

export function ProfileList() {
  const { profiles, again } = useProfiles();
  if (!profiles) return null;
  return (
    <Card id="profiles" title={say('Profiles')}>
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
    </Card>
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
            remove={() => client.value.removeProfile(name)}
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
  const all = [...(meters.value?.values() ?? [])].map(({ unit }) => unit.peek());
  return (
    <>
      <Checks
        label={say('Meters')}
        chosen={chosen}
        choices={all.map((unit) => [unit.unit_id, unit.name ?? unit.unit_id] as const)}
        change={setChosen}
      />
      <div class="row">
        <ActionButton work={() => client.value.applyProfile(name, chosen)} isMain disabled={chosen.length === 0}>
          {say('Apply it to these meters')}
        </ActionButton>
      </div>
    </>
  );
}

const asIs = (...words: readonly string[]): readonly (readonly [string, string])[] => [
  ['', say('as it is')],
  ...words.map((word) => [word, word] as const),
];

/** A setting that is left empty is not part of the profile. */
const settingParts = (): PartsOf<Profile['settings']> =>
  [
    { name: 'frequency_weighting', label: say('Frequency weighting'), choices: asIs('A', 'C', 'Z') },
    { name: 'time_weighting', label: say('Time weighting'), choices: asIs('F', 'S', 'I') },
    { name: 'store_mode', label: say('Store mode'), choices: asIs('Manual', 'Auto') },
    {
      name: 'lp_interval',
      label: say('Lp store interval'),
      choices: asIs('Off', '10ms', '25ms', '100ms', '200ms', '1s'),
    },
    { name: 'leq_interval', label: say('Leq interval'), hint: '15m' },
    { name: 'measurement_time', label: say('Measurement time'), hint: '24h' },
  ].map((part) => ({ ...part, empty: undefined }));

function ProfileForm({ present, use }: { readonly present?: Profile; readonly use: FormUse }) {
  const [values, set] = useValues({ name: '', description: '', settings: {} as Profile['settings'], ...present });
  const { name, description, settings } = values;
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name }) : say('A new profile')}
      button={say('Save this profile')}
      use={use}
      parts={[
        !present && namePart(say('Name of the profile'), 'day-and-night'),
        { name: 'description', label: say('What it is for') },
        { name: 'settings', parts: settingParts() },
      ]}
      values={values}
      set={set}
      save={() => client.value.saveProfile(name, { description, settings })}
    />
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

/** Profiles: named sets of meter settings; applying them, and which meters differ from theirs. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Profile } from '../../client/index.ts';
import { client, mayAdminister, mayOperate } from '../state/access.ts';
import { meters } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Entry } from '../ui/entry.tsx';
import { Checks } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { DriftWords } from './drift-words.tsx';
import { ProfileForm } from './profile-form.tsx';
import { useProfiles } from './profiles.ts';

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

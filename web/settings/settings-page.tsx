/** Adding and changing meters, keys, long work, and which gateway this is. */
import { about, mayAdminister } from '../app/access.ts';
import { meters, titleOf } from '../app/fleet.ts';
import { useTitle } from '../app/title.ts';
import { ProfileList } from '../campaign/profile-list.tsx';
import { JobList } from '../ui/job-list.tsx';
import { Paged } from '../ui/paged.tsx';
import { Activity } from './activity.tsx';
import { AddMeter } from './add-meter.tsx';
import { Backup } from './backup.tsx';
import { Keys } from './keys.tsx';
import { MeterConfig } from './meter-config.tsx';
import { Phones } from './phones.tsx';
import { PlanPicture } from './plan-picture.tsx';
import { Sessions } from './sessions.tsx';
import { Shares } from './shares.tsx';

/** The page of the gateway: meters, keys, activity, backup. */
export function SettingsPage() {
  useTitle('Settings');
  const { version, caller, evidence_key: evidenceKey } = about.value ?? {};
  return (
    <>
      <h1>Settings</h1>
      {mayAdminister.value ? (
        <AddMeter />
      ) : (
        <p class="soft">Your key may look. To add or change meters, sign in with a key of the role admin.</p>
      )}
      {mayAdminister.value && (meters.value?.size ?? 0) > 0 && (
        <section class="card" aria-labelledby="configs">
          <h2 id="configs">Meters</h2>
          <Paged
            items={[...(meters.value?.keys() ?? [])]}
            label="meters"
            wordsOf={(unitId) => `${unitId} ${titleOf(unitId)}`}
          >
            {(some) => (
              <ul class="configs">
                {some.map((unitId) => (
                  <li key={unitId}>
                    <MeterConfig unitId={unitId} />
                  </li>
                ))}
              </ul>
            )}
          </Paged>
        </section>
      )}
      <ProfileList />
      <JobList />
      {mayAdminister.value && <Activity />}
      <div class="columns">
        {mayAdminister.value && <Keys />}
        {mayAdminister.value && <Shares />}
        <Phones />
        <Sessions />
        {mayAdminister.value && <Backup />}
        {mayAdminister.value && <PlanPicture />}
        <section class="card" aria-labelledby="about">
          <h2 id="about">About</h2>
          <dl class="facts">
            <dt>Gateway</dt>
            <dd>slm-gateway {version}</dd>
            <dt>Key of evidence</dt>
            <dd>{evidenceKey ?? 'none is made yet'}</dd>
            <dt>You are</dt>
            <dd>
              {caller?.name}, {caller?.role}
              {caller?.units && `, for ${caller.units.join(', ')}`}
            </dd>
            <dt>For programs</dt>
            <dd>
              <a href="docs">The API, to be read and tried</a>
            </dd>
            <dt>Licence</dt>
            <dd>MIT. This page uses Preact, Preact Signals and uPlot, all MIT.</dd>
          </dl>
        </section>
      </div>
    </>
  );
}

/** Adding and changing meters, keys, long work, a backup, and which gateway this is. */
import { ProfileList } from '../campaign/profiles.tsx';
import { about, client, mayAdminister } from '../state/access.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { Said, useAction } from '../ui/action.tsx';
import { save } from '../ui/download-link.tsx';
import { JobList } from '../ui/job-list.tsx';
import { Paged } from '../ui/paged.tsx';
import { say, sayWith } from '../words/say.ts';
import { Activity } from './activity.tsx';
import { AddMeter } from './add-meter.tsx';
import { Instances } from './instances.tsx';
import { Keys } from './keys.tsx';
import { MeterConfig } from './meter-config.tsx';
import { Phones } from './phones.tsx';
import { PlanPicture } from './plan-picture.tsx';
import { Sessions } from './sessions.tsx';
import { Shares } from './shares.tsx';
import { Stations } from './stations.tsx';

/** The page of the gateway: meters, keys, activity, backup. */
export function SettingsPage() {
  return (
    <>
      <h1>{say('Settings')}</h1>
      {mayAdminister.value ? (
        <AddMeter />
      ) : (
        <p class="soft">
          {say('Your key may only read. To add or change meters, sign in with a key of the role admin.')}
        </p>
      )}
      {mayAdminister.value && (meters.value?.size ?? 0) > 0 && (
        <section class="card" aria-labelledby="configs">
          <h2 id="configs">{say('Meters')}</h2>
          <Paged
            items={[...(meters.value?.keys() ?? [])]}
            label={say('meters')}
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
      <Stations />
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
        <Instances />
        <AboutGateway />
      </div>
    </>
  );
}

function AboutGateway() {
  const { version, caller, evidence_key: evidenceKey } = about.value ?? {};
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">{say('About')}</h2>
      <dl class="facts">
        <dt>{say('Gateway')}</dt>
        <dd>slm-gateway {version}</dd>
        <dt>{say('Key of evidence')}</dt>
        <dd>{evidenceKey ?? say('none is made yet')}</dd>
        <dt>{say('You are')}</dt>
        <dd>
          {caller?.name}, {caller?.role}
          {caller?.units && `, ${say('for {meters}', { meters: caller.units.join(', ') })}`}
        </dd>
        <dt>{say('For programs')}</dt>
        <dd>
          <a href="docs">{say('The API, to be read and tried')}</a>
        </dd>
        <dt>{say('Licence')}</dt>
        <dd>{say('MIT. This page uses Preact, Preact Signals and uPlot, all MIT.')}</dd>
      </dl>
    </section>
  );
}

/** For admins. */
function Backup() {
  const { outcome, run, waits } = useAction();
  const make = () =>
    run(async () => {
      const name = `slm-backup-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.tar.gz`;
      save(await client.value.blob('/_backup', { method: 'POST' }), name);
      return say('{file} is saved.', { file: name });
    });
  return (
    <section class="card" aria-labelledby="backup">
      <h2 id="backup">{say('Backup')}</h2>
      <p class="soft">
        {sayWith(
          'One file with all data, while everything goes on. The key of the stored passwords is not in it: keep it apart. Large histories are better fetched with {command}.',
          { command: <code>slm backup</code> },
        )}
      </p>
      <div class="row">
        <button type="button" disabled={waits} onClick={() => void make()}>
          {say('Save a backup')}
        </button>
        <Said outcome={outcome} waiting={say('It is being made ...')} />
      </div>
    </section>
  );
}

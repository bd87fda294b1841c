/** A measurement without anybody at the meter: started with a profile, stopped with its files fetched. Its steps are a job. */
import { useState } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { ClockPanel } from '../live/clock-panel.tsx';
import { canStore } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { Choice } from '../ui/field.tsx';
import { JobList } from '../ui/job-list.tsx';
import { say, sayWith } from '../words/say.ts';
import { DriftWords, useProfiles } from './profiles.tsx';
import { SchedulePanel, storeChoices } from './schedule-panel.tsx';

export function CampaignPage({ unit }: { readonly unit: Unit }) {
  return (
    <>
      <div class="columns">
        {mayOperate.value && <CycleControl unit={unit} />}
        <div class="stack">
          <ProfileOfUnit unit={unit} />
          <ClockPanel unit={unit} />
        </div>
      </div>
      <SchedulePanel unit={unit} />
      <JobList unitId={unit.unit_id} />
    </>
  );
}

const NONE = '';
type Store = ReturnType<typeof storeChoices>[number][0];

function CycleControl({ unit: { unit_id, measurement_state } }: { readonly unit: Unit }) {
  const { profiles = [] } = useProfiles();
  const [profile, setProfile] = useState(NONE);
  const [store, setStore] = useState<Store>('');
  const { outcome, run, waits } = useAction();
  const start = () =>
    run(async () => {
      const asks = canStore(unit_id);
      if (asks && store === '') throw new Error(say('Nothing was started: choose what to store on the card.'));
      const more = asks && store !== '' ? { store } : {};
      return (await client.value.startCycle(unit_id, profile === NONE ? undefined : profile, more)).message;
    });
  const stop = () => run(() => client.value.stopCycle(unit_id));
  const isMeasuring = measurement_state === 'Measure';
  return (
    <Card id="cycle" title={say('A measurement from start to files')}>
      <ul class="controls">
        <li>
          <button type="button" class={isMeasuring ? '' : 'main'} disabled={waits} onClick={() => void start()}>
            {say('Start it')}
          </button>
          <span class="soft small">
            {say(
              'Sleep mode off, clock set, profile applied, a free store name, start, and a check that the meter measures. Nothing on the card is overwritten.',
            )}
          </span>
        </li>
        <li>
          <button type="button" class={isMeasuring ? 'main' : ''} disabled={waits} onClick={() => void stop()}>
            {say('Stop it')}
          </button>
          <span class="soft small">
            {say(
              'Stop, a check that the meter has stopped, the files that it stored copied here and compared with the card, FTP as before.',
            )}
          </span>
        </li>
      </ul>
      {canStore(unit_id) && (
        <Choice
          label={say('Store on the card')}
          value={store}
          choices={storeChoices(say('choose'))}
          change={(next) => setStore(next)}
        />
      )}
      {store === 'nothing' && (
        <p class="said">{say('There will be no files: only what the gateway itself records is kept.')}</p>
      )}
      {profiles.length > 0 && (
        <Choice
          label={say('Profile to apply first')}
          value={profile}
          choices={[
            [NONE, say('none: as the meter is set')] as const,
            ...profiles.map(({ name }) => [name, name] as const),
          ]}
          change={setProfile}
        />
      )}
      <Said outcome={outcome} waiting="" />
      <p class="soft small">{say('The progress is shown below under "Tasks". You may close this page meanwhile.')}</p>
    </Card>
  );
}

function ProfileOfUnit({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const { profiles } = useProfiles();
  const name = profiles?.find(({ units }) => units.includes(unit_id))?.name;
  const { found: drifts = [] } = useFound(
    async () => (name === undefined ? [] : client.value.drift(name)),
    [unit_id, name, profiles],
  );
  const drift = drifts.find((each) => each.unit_id === unit_id);
  if (!profiles) return null;
  return (
    <Card id="profile" title={say('Profile')}>
      {name === undefined ? (
        <p class="soft">{say('This meter was given no profile. Profiles are made under Settings.')}</p>
      ) : (
        <p>
          {drift ? (
            sayWith('{name}, applied to it {time}', {
              name: <bdi>{name}</bdi>,
              time: dayAndTime(drift.applied_at, timezone),
            })
          ) : (
            <bdi>{name}</bdi>
          )}
        </p>
      )}
      {drift && <DriftWords drift={drift} zone={timezone} />}
    </Card>
  );
}

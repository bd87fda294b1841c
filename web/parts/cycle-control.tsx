/** Starts and stops a measurement with all that belongs to it, as a job. */
import { useState } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { useProfiles } from '../app/profiles.ts';
import { Said, useAction } from './action.tsx';
import { Choice } from './field.tsx';

const NONE = '';

export function CycleControl({ unit: { unit_id, measurement_state } }: { readonly unit: Unit }) {
  const { profiles = [] } = useProfiles();
  const [profile, setProfile] = useState(NONE);
  const { outcome, run, waits } = useAction();
  const start = () =>
    run(async () => (await client.value.startCycle(unit_id, profile === NONE ? undefined : profile)).message);
  const stop = () => run(async () => (await client.value.stopCycle(unit_id)).message);
  const isMeasuring = measurement_state === 'Measure';
  return (
    <section class="card" aria-labelledby="cycle">
      <h2 id="cycle">A measurement from start to files</h2>
      <ul class="controls">
        <li>
          <button type="button" class={isMeasuring ? '' : 'main'} disabled={waits} onClick={() => void start()}>
            Start it
          </button>
          <span class="soft small">
            Sleep mode off, clock set, the profile brought to the meter, a free store name, start, and seen measuring.
            Nothing on the card is written over.
          </span>
        </li>
        <li>
          <button type="button" class={isMeasuring ? 'main' : ''} disabled={waits} onClick={() => void stop()}>
            Stop it
          </button>
          <span class="soft small">
            Stop, seen stopped, the new files copied here and compared with the card, FTP as before.
          </span>
        </li>
      </ul>
      {profiles.length > 0 && (
        <Choice
          label="Profile to bring to the meter first"
          value={profile}
          choices={[[NONE, 'none: as the meter is set'] as const, ...profiles.map(({ name }) => [name, name] as const)]}
          change={setProfile}
        />
      )}
      <Said outcome={outcome} waiting="" />
      <p class="soft small">How far it is stands below under "Long work". You may close this page meanwhile.</p>
    </section>
  );
}

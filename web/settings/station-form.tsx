/** A station, new or to be changed. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Field, Flag } from '../ui/field.tsx';
import { say } from '../words/say.ts';

interface Props {
  readonly present?: schemas.Station;
  readonly use: FormUse;
}

/** For admins of all meters. The gateway names the wrong field in its answer. */
export function StationForm({ present, use }: Props) {
  const [id, setId] = useState('');
  const [title, setTitle] = useState(present?.title ?? '');
  const [place, setPlace] = useState(present?.place ?? '');
  const [zone, setZone] = useState(present?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [isForAll, setForAll] = useState(present ? present.units === null : true);
  const [units, setUnits] = useState<readonly string[]>(present?.units ?? []);
  const [interval, setInterval] = useState(String(present?.interval_s ?? 600));
  const [silence, setSilence] = useState(present?.silent_after_s == null ? '' : String(present.silent_after_s));
  const save = async () => {
    const body = {
      title: title.trim(),
      place: place.trim(),
      zone: zone.trim(),
      units: isForAll ? null : [...units],
      interval_s: Number(interval),
      silent_after_s: silence === '' ? null : Number(silence),
    };
    const { message } = await client.value.changeStation(present?.id ?? id.trim(), body);
    return message;
  };
  const choices = [...(meters.value?.keys() ?? [])].map((unitId) => [unitId, titleOf(unitId)] as const);
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.title || present.id }) : say('A new station')}
      button={present ? say('Save this station') : say('Add this station')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Field
            label={say('Id, as it sends')}
            value={id}
            change={setId}
            required
            hint="mast"
            pattern="[a-z0-9][a-z0-9_\-]{0,31}"
            wrong={say('Small letters, digits, - and _, up to 32')}
          />
        )}
        <Field label={say('Name')} value={title} change={setTitle} hint={say('Mast at the gate')} />
        <Field label={say('Place')} value={place} change={setPlace} hint={say('10 m above the roof')} />
        <Field label={say('Time zone')} value={zone} change={setZone} required hint="Europe/Berlin" />
        <Field
          label={say('Longest observation, s')}
          type="number"
          min={1}
          max={86_400}
          value={interval}
          change={setInterval}
          required
        />
        <Field
          label={say('Silent after, s (empty: by itself)')}
          type="number"
          min={60}
          max={2_678_400}
          value={silence}
          change={setSilence}
        />
      </div>
      <Flag label={say('For all meters')} value={isForAll} change={setForAll} />
      {!isForAll && <Checks label={say('Meters')} chosen={units} choices={choices} change={setUnits} />}
    </EntryForm>
  );
}

/** Stations that observe weather and traffic: which there are, their form, whether they still send, and how one sends. */
import type { schemas } from '../../client/index.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { apiAddress } from '../state/address.ts';
import { meters, titleOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { span } from '../state/numbers.ts';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { Checks, Flag } from '../ui/field.tsx';
import { bodyOf, type FormPart, type PartsOf } from '../ui/form-parts.ts';
import { Age } from '../ui/level.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say, sayWith } from '../words/say.ts';

/** Seen by everybody who may see one of its meters; changed by admins of all meters. */
export function Stations() {
  const { found: stations, again } = useFound(() => client.value.stations(), []);
  if (!stations || (stations.length === 0 && !mayAdministerAll.value)) return null;
  return (
    <Card
      id="stations"
      title={say('Weather stations')}
      about={say(
        'A station sends wind, rain, temperature or traffic. Rules of a meter exclude levels because of such observations; the page History shows them below the levels.',
      )}
    >
      {stations.length === 0 && <p class="soft">{say('None yet: nothing is known of the weather.')}</p>}
      <ul class="configs">
        {stations.map((station) => (
          <li key={station.id}>
            <Entry
              name={nameOf(station)}
              mayChange={mayAdministerAll.value}
              form={(use) => <StationForm present={station} use={use} />}
              remove={() => client.value.removeStation(station.id)}
              onChange={again}
            >
              <StationWords station={station} />
            </Entry>
          </li>
        ))}
      </ul>
      {mayAdministerAll.value && <StationForm use={{ saved: again }} />}
      {stations.length > 0 && <HowToSend id={stations[0]?.id ?? ''} />}
    </Card>
  );
}

const nameOf = ({ id, title }: schemas.Station): string => title || id;

function StationWords({ station }: { readonly station: schemas.Station }) {
  const { id, title, place, units, zone, last_at, silent, silent_limit_s: limit } = station;
  return (
    <>
      <Name>{title || id}</Name> {title && <code>{id}</code>} {place && <bdi>{place}</bdi>}
      <div class="soft small">
        <bdi>{metersWords(units)}</bdi>. {say('Times of {zone}.', { zone })}
      </div>
      <div class="small">{sayWith('Last observation: {age}', { age: <Age at={last_at} zone={zone} /> })}</div>
      {silent === true && (
        <p class="said bad">
          {say('It has sent nothing for more than {length}: the weather now is not known.', {
            length: span(limit),
          })}
        </p>
      )}
    </>
  );
}

const metersWords = (units: readonly string[] | null): string =>
  units === null
    ? say('For all meters')
    : units.length === 0
      ? say('For no meter')
      : say('For {meters}', { meters: units.map(titleOf).join(', ') });

// Commands are the same in every language.
const CURL = 'curl -X POST';
const MORE = "-H 'Authorization: Bearer KEY' -H 'Content-Type: application/x-ndjson' -d";
const MOSQUITTO = 'mosquitto_pub -h BROKER -t slm/station/';

/** For the person who writes the program of a station. */
function HowToSend({ id }: { readonly id: string }) {
  const address = apiAddress(`/_stations/${id}/observations`);
  const line = '{"time": "2026-11-21T06:10:00Z", "wind_speed": 3.2, "gust": 6.1, "rain": 0}';
  return (
    <details>
      <summary>{say('How a station sends')}</summary>
      <div class="stack">
        <p>{say('By HTTP, with a key of the role operator. The time is the end of the observation:')}</p>
        <pre>{[CURL, `'${address}'`, MORE, `'${line}'`].join(' ')}</pre>
        <p>
          {say(
            'By MQTT, where the setting “observations” of the plugin mqtt is on and “command_key” names such a key:',
          )}
        </p>
        <pre>{`${MOSQUITTO}${id} -m '${line}'`}</pre>
        <p class="soft">
          {say('A value that is left out was not observed. It is not 0: a station without a rain gauge sends no rain.')}
        </p>
      </div>
    </details>
  );
}

function StationForm({ present, use }: { readonly present?: schemas.Station; readonly use: FormUse }) {
  const [values, set] = useValues({
    id: '',
    title: '',
    place: '',
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    interval_s: 600,
    silent_after_s: null,
    units: null as schemas.Station['units'],
    ...present,
  });
  const { id, units } = values;
  const setUnits = (next: typeof units) => set({ units: next });
  const choices = [...(meters.value?.keys() ?? [])].map((unitId) => [unitId, titleOf(unitId)] as const);
  const parts: PartsOf<schemas.ChangeStationBody> = [
    { name: 'title', label: say('Name'), hint: say('Mast at the gate') },
    { name: 'place', label: say('Place'), hint: say('10 m above the roof') },
    { name: 'zone', label: say('Time zone'), required: true, hint: 'Europe/Berlin' },
    { name: 'interval_s', type: 'number', label: say('Longest observation, s'), required: true },
    { name: 'silent_after_s', type: 'number', label: say('Silent after, s (empty: by itself)'), empty: null },
    {
      name: 'units',
      isWide: true,
      draw: (
        <>
          <Flag
            label={say('For all meters')}
            value={units === null}
            change={(isForAll) => setUnits(isForAll ? null : (present?.units ?? []))}
          />
          {units && <Checks label={say('Meters')} chosen={units} choices={choices} change={setUnits} />}
        </>
      ),
    },
  ];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: present.title || present.id }) : say('A new station')}
      button={say('Save this station')}
      use={use}
      parts={[!present && idPart(), ...parts]}
      values={values}
      set={set}
      save={() => client.value.changeStation(id, bodyOf(parts, values))}
    />
  );
}

const idPart = (): FormPart<'id'> => ({
  name: 'id',
  label: say('Id, as it sends'),
  required: true,
  hint: 'mast',
  pattern: String.raw`[a-z0-9][a-z0-9_\-]{0,31}`,
  wrong: say('Small letters, digits, - and _, up to 32'),
});

/** The settings of a meter, as the meter has them. Each change is read back from it. */
import { useEffect, useState } from 'preact/hooks';
import { hasSettings } from '../app/abilities.ts';
import { client, mayOperate } from '../app/access.ts';
import { heardSettings } from '../app/fleet.ts';
import { Said, useAction } from '../ui/action.tsx';
import { say } from '../words/say.ts';

interface Setting {
  readonly name: string;
  readonly path: string;
  readonly label: string;
  /** Property of the body of PUT. */
  readonly body: string;
  readonly choices?: readonly string[];
  /** Allowed values. */
  readonly range?: string;
}

const settingsOf = (): readonly Setting[] => [
  {
    name: 'frequency_weighting',
    path: 'frequency-weighting',
    label: say('Frequency weighting'),
    body: 'weighting',
    choices: ['A', 'C', 'Z'],
  },
  {
    name: 'time_weighting',
    path: 'time-weighting',
    label: say('Time weighting'),
    body: 'weighting',
    choices: ['F', 'S', 'I'],
  },
  {
    name: 'measurement_time',
    path: 'measurement-time',
    label: say('Measurement time'),
    body: 'preset',
    range: say('10s, 15m, 8h or 24:00:00, up to 1000 h'),
  },
  {
    name: 'leq_interval',
    path: 'leq-interval',
    label: say('Leq interval'),
    body: 'preset',
    range: 'Off, 1s, 15m, 1h ...',
  },
  {
    name: 'lp_interval',
    path: 'lp-interval',
    label: say('Lp store interval'),
    body: 'preset',
    choices: ['Off', '10ms', '25ms', '100ms', '200ms', '1s'],
  },
  {
    name: 'index_number',
    path: 'index-number',
    label: say('Number of the series'),
    body: 'index',
    range: say('0 to 9999'),
  },
];

/** The settings in a table; operators change them there. */
export function MeterSettings({ unitId }: { readonly unitId: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>> | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  const read = () =>
    run(async () => {
      const { settings } = await client.value.call<{ settings: Record<string, string> }>(
        `/${encodeURIComponent(unitId)}/settings/all`,
        { query: { timeout_s: 60 } },
      );
      setValues(settings);
      return say('As the meter has them.');
    });
  // Whenever anybody reads or sets a value, an event comes.
  const shown = values && { ...values, ...heardSettings.value.get(unitId) };
  if (!hasSettings(unitId)) return null;
  return (
    <section class="card" aria-labelledby="settings">
      <div class="row end">
        <h2 id="settings">{say('Settings of the meter')}</h2>
        <button type="button" disabled={waits} onClick={() => void read()}>
          {values ? say('Read again') : say('Read from the meter')}
        </button>
      </div>
      <Said outcome={outcome} waiting={say('Reading the settings, about a second each ...')} />
      {shown && (
        <div class="fields">
          {settingsOf().map((setting) => (
            <SettingField key={setting.name} unitId={unitId} setting={setting} value={shown[setting.name] ?? ''} />
          ))}
        </div>
      )}
    </section>
  );
}

function SettingField({
  unitId,
  setting,
  value,
}: {
  readonly unitId: string;
  readonly setting: Setting;
  readonly value: string;
}) {
  const [present, setPresent] = useState(value);
  const [wish, setWish] = useState(value);
  useEffect(() => {
    setPresent(value);
    // A choice that a person has not saved yet stays.
    setWish((wished) => (wished === present ? value : wished));
  }, [value]);
  const { outcome, run, waits } = useAction();
  const { name, path, label, body, choices, range } = setting;
  const apply = () =>
    run(async () => {
      const { message } = await client.value.set(unitId, path, { [body]: wish });
      const shown = (await client.value.setting(unitId, path))[name] ?? wish;
      setPresent(shown);
      setWish(shown);
      return message;
    });
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    setWish(currentTarget.value);
  const locked = waits || !mayOperate.value;
  return (
    <div class="field">
      <label for={`setting-${name}`}>{label}</label>
      <span class="row">
        {choices ? (
          <select id={`setting-${name}`} value={wish} disabled={locked} onChange={change}>
            {[...new Set([...choices, present])].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          <input id={`setting-${name}`} value={wish} size={12} disabled={locked} onInput={change} />
        )}
        {wish !== present && (
          <button type="button" disabled={locked} onClick={() => void apply()}>
            {say('Set ## a setting')}
          </button>
        )}
      </span>
      {range && <span>{range}</span>}
      <Said outcome={outcome} />
    </div>
  );
}

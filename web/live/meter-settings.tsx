/**
 * The settings of a meter: those that are known at once, with their ages, and the others as they are read. Each change is read back
 * from the meter.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Unit } from '../../client/index.ts';
import { hasSettings, isRefusedWhileMeasuring } from '../state/abilities.ts';
import { client, mayOperate } from '../state/access.ts';
import { askLastSettings, type LastSetting, lastSettings } from '../state/fleet.ts';
import { clockTime } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Age } from '../ui/level.tsx';
import { say } from '../words/say.ts';

interface Setting {
  readonly name: string;
  readonly label: string;
  /** Property of the body of PUT. */
  readonly body: string;
  readonly choices?: readonly string[];
  readonly range?: string;
}

const LP_STEPS = ['Off', '10ms', '25ms', '100ms', '200ms', '1s'];
const settingsOf = (): readonly Setting[] => [
  { name: 'frequency_weighting', label: say('Frequency weighting'), body: 'weighting', choices: ['A', 'C', 'Z'] },
  { name: 'time_weighting', label: say('Time weighting'), body: 'weighting', choices: ['F', 'S', 'I'] },
  {
    name: 'measurement_time',
    label: say('Measurement time'),
    body: 'preset',
    range: say('10s, 15m, 8h or 24:00:00, up to 1000 h'),
  },
  { name: 'leq_interval', label: say('Leq interval'), body: 'preset', range: 'Off, 1s, 15m, 1h ...' },
  { name: 'lp_interval', label: say('Lp store interval'), body: 'preset', choices: LP_STEPS },
  { name: 'index_number', label: say('Number of the series'), body: 'index', range: say('0 to 9999') },
];

/** Answers of the last seconds are not asked for again: frames bring some of them. s */
const FRESH_S = 2;
/** About a second for each command, and as long again where others ask, too. s */
const LIMIT_S = 60;

/** The settings as they are known, each with its age; they are read on demand, and operators change them. */
export function MeterSettings({ unit }: { readonly unit: Unit }) {
  const { unit_id: unitId, timezone } = unit;
  const known = lastSettings.value.get(unitId) ?? {};
  /** As they were when the present reading began. */
  const [before, setBefore] = useState(known);
  const [failures, setFailures] = useState<Readonly<Record<string, string>>>({});
  const { outcome, run, waits } = useAction();
  useEffect(() => {
    setFailures({});
    void askLastSettings(unitId);
  }, [unitId]);
  const settings = settingsOf();
  const read = () =>
    run(async () => {
      setBefore(known);
      setFailures({});
      const { settings: answers } = await client.value.call<{ settings: Readonly<Record<string, string>> }>(
        `/${encodeURIComponent(unitId)}/settings/all`,
        { query: { max_age: FRESH_S, timeout_s: LIMIT_S } },
      );
      // A value that the gateway knew already came with no event.
      await askLastSettings(unitId);
      const failed = settings.flatMap(({ name }) => failureIn(name, answers[name]));
      const [first] = failed;
      if (first && failed.length === settings.length) throw new Error(first[1]);
      setFailures(Object.fromEntries(failed));
      return say('Read at {time}.', { time: clockTime(Date.now(), timezone) });
    });
  if (!hasSettings(unitId)) return null;
  const isMeasuring = unit.measurement_state === 'Measure';
  const isFixed = ({ name }: Setting) => isMeasuring && isRefusedWhileMeasuring(unitId, name);
  const count = settings.filter(({ name }) => known[name]?.at !== before[name]?.at).length;
  return (
    <section class="card" aria-labelledby="settings">
      <div class="row end">
        <div>
          <h2 id="settings">{say('Settings of the meter')}</h2>
          <p class="soft small">{say('As they were last read or set, each with its age.')}</p>
        </div>
        <button type="button" disabled={waits} onClick={() => void read()}>
          {say('Read from the meter')}
        </button>
      </div>
      <Said
        outcome={outcome}
        waiting={say('{count} of {all} were read, about a second each ...', { count, all: settings.length })}
      />
      {mayOperate.value && settings.some(isFixed) && (
        <p id="fixed" class="soft">
          {say('The meter measures. The grey settings can be changed when it has stopped.')}
        </p>
      )}
      <div class="fields from-top">
        {settings.map((setting) => (
          <SettingField
            key={`${unitId} ${setting.name}`}
            unit={unit}
            setting={setting}
            known={known[setting.name]}
            failure={failures[setting.name]}
            isFixed={isFixed(setting)}
          />
        ))}
      </div>
    </section>
  );
}

/** A setting that could not be read, with the reason; nothing otherwise. */
function failureIn(name: string, answer: string | undefined): (readonly [name: string, why: string])[] {
  const why = /^Error: (.+)$/s.exec(answer ?? '')?.[1];
  return why === undefined ? [] : [[name, why]];
}

interface SettingFieldProps {
  readonly unit: Unit;
  readonly setting: Setting;
  readonly known: LastSetting | undefined;
  readonly failure: string | undefined;
  readonly isFixed: boolean;
}

function SettingField({ unit, setting, known, failure, isFixed }: SettingFieldProps) {
  const { unit_id: unitId, timezone } = unit;
  const value = known?.value ?? '';
  const [present, setPresent] = useState(value);
  const [wish, setWish] = useState(value);
  useEffect(() => {
    setPresent(value);
    // A choice that a person has not saved yet stays.
    setWish((wished) => (wished === present ? value : wished));
  }, [value]);
  const { outcome, run, waits } = useAction();
  const { name, label, body, choices, range } = setting;
  const path = name.replace('_', '-');
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
  const locked = waits || !mayOperate.value || isFixed;
  const why = isFixed && mayOperate.value ? 'fixed' : undefined;
  return (
    <div class="field">
      <label for={`setting-${name}`}>{label}</label>
      <span class="row">
        {choices ? (
          <select id={`setting-${name}`} value={wish} disabled={locked} aria-describedby={why} onChange={change}>
            {[...new Set([...choices, present])].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          <input
            id={`setting-${name}`}
            value={wish}
            size={12}
            disabled={locked}
            aria-describedby={why}
            onInput={change}
          />
        )}
        {wish !== present && (
          <button type="button" disabled={locked} onClick={() => void apply()}>
            {say('Set ## a setting')}
          </button>
        )}
      </span>
      {range && <span>{range}</span>}
      {known ? <Age at={known.at} zone={timezone} /> : <span>{say('not read yet')}</span>}
      {failure !== undefined && <p class="said bad">{failure}</p>}
      <Said outcome={outcome} />
    </div>
  );
}

/** The config of one meter: read when it is opened, saved as a whole, and removed after a confirmation. */
import { useState } from 'preact/hooks';
import type { Config, MirrorConfig } from '../../client/index.ts';
import { about, client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { changes, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { ActionButton, Failed } from '../ui/action.tsx';
import { Checks, Choice } from '../ui/field.tsx';
import { bodyOf, type PartsOf } from '../ui/form-parts.ts';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';

export const historyChoices = () =>
  [
    ['poll', say('The readings')],
    ['stream', say('Everything (uses the fast stream day and night)')],
    ['off', say('Nothing ## is recorded')],
  ] as const;

export function MeterConfig({ unitId }: { readonly unitId: string }) {
  const [wasOpen, setOpen] = useState(false);
  const { found: config, failure } = useFound(
    async () => (wasOpen ? client.value.config(unitId) : undefined),
    [unitId, wasOpen],
  );
  const unit = unitOf(unitId);
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && setOpen(true)}>
      <summary>
        <bdi>{unit?.name ?? unitId}</bdi> <span class="soft">{unit?.name ? unitId : ''}</span>
      </summary>
      <Failed failure={failure} />
      {config && <ConfigForm config={config} />}
    </details>
  );
}

interface ConfigValues extends Config {
  /** Latitude and longitude in degrees. */
  readonly position: string;
  readonly ftp_username: string;
  readonly ftp_password: string;
}

const valuesOf = (config: Config): ConfigValues => ({
  ...config,
  position: config.latitude === null || config.longitude === null ? '' : `${config.latitude}, ${config.longitude}`,
  ftp_username: '',
  ftp_password: '',
});

function ConfigForm({ config }: { readonly config: Config }) {
  const [values, set] = useValues(() => valuesOf(config));
  const { unit_id, history_channels: channels, family } = values;
  const parts: PartsOf<ConfigValues> = [
    { name: 'family', draw: <FamilyField value={family} change={(next) => set({ family: next })} /> },
    ...placeParts(),
    ...connectionParts(),
    {
      name: 'history_channels',
      draw: <ChannelsField unitId={unit_id} value={channels} change={(next) => set({ history_channels: next })} />,
    },
    ...loginParts(config.ftp_credentials_set),
    { name: 'mirror', parts: mirrorParts() },
  ];
  const save = async () => {
    const { position, ftp_username, ftp_password, mirror, ...wish } = bodyOf(parts, values);
    const [latitude = '' as const, longitude = '' as const] = position.match(/[+-]?\d+(\.\d+)?/g)?.map(Number) ?? [];
    const { enabled, every, max_mb_per_day } = mirror;
    const changed = {
      ...wish,
      latitude,
      longitude,
      mirror: { enabled, every, max_mb_per_day },
      // An empty field keeps the stored value, which the gateway never shows.
      ...(ftp_username !== '' && { ftp_username }),
      ...(ftp_password !== '' && { ftp_password }),
    };
    const answer = await client.value.configure(unit_id, changed);
    set(valuesOf(answer.data));
    return answer;
  };
  return (
    <div class="card plain">
      <SchemaForm
        title={say('Change {name}', { name: unit_id })}
        button={say('Save')}
        waiting={say('Saving; the meter is asked, too ...')}
        use={{ saved: () => {}, isPlain: true }}
        parts={parts}
        values={values}
        set={set}
        save={save}
      />
      <div class="row">
        <RemoveMeter unitId={unit_id} />
      </div>
    </div>
  );
}

function RemoveMeter({ unitId }: { readonly unitId: string }) {
  const [sure, setSure] = useState(false);
  return sure ? (
    <span class="row">
      <span>{say('Its last values are removed, too. Its recorded levels stay.')}</span>
      <ActionButton work={() => client.value.remove(unitId)}>{say('Remove {name}', { name: unitId })}</ActionButton>
      <button type="button" onClick={() => setSure(false)}>
        {say('Keep')}
      </button>
    </span>
  ) : (
    <button type="button" onClick={() => setSure(true)}>
      {say('Remove ...')}
    </button>
  );
}

// A comma separates two numbers only if they have points: 55,5 is one number with a decimal comma.
const NUMBER = String.raw`[+\-]?\d+(\.\d+)?`;
const FRACTION = String.raw`[+\-]?\d+\.\d+`;
/** The gateway checks the range. */
const PAIR = String.raw`\s*(${NUMBER}[,;]?\s+${NUMBER}|${FRACTION}[,;]${FRACTION})\s*`;

const placeParts = (): PartsOf<ConfigValues> => [
  { name: 'name', label: say('Name for people') },
  { name: 'place', label: say('Place') },
  {
    name: 'position',
    label: say('Position: latitude, longitude in degrees'),
    hint: '55.5012, 3.4987',
    pattern: PAIR,
  },
  { name: 'tags', type: 'list', label: say('Tags, with commas between') },
  { name: 'timezone', label: say('Time zone') },
  { name: 'verified_until', type: 'date', label: say('Legally verified until') },
  { name: 'sim_valid_until', type: 'date', label: say('SIM card valid until') },
];

const connectionParts = (): PartsOf<ConfigValues> => [
  { name: 'host', label: say('Address in the network') },
  { name: 'tcp_port', type: 'number', label: say('Port'), required: true },
  { name: 'ftp_port', type: 'number', label: say('FTP port'), required: true },
  { name: 'poll_interval_seconds', type: 'number', label: say('Seconds between readings'), required: true },
  { name: 'history', label: say('What is recorded'), choices: historyChoices() },
  { name: 'tcp_enabled', type: 'switch', isWide: false, label: say('Use this meter') },
  { name: 'poll_enabled', type: 'switch', isWide: false, label: say('Read it in the background') },
  { name: 'ftp_enabled', type: 'switch', isWide: false, label: say('Fetch files') },
];

function loginParts(isSet: boolean): PartsOf<ConfigValues> {
  const hint = isSet ? say('as it is') : say('none ## a secret');
  return [
    { name: 'ftp_username', label: say('FTP user'), hint },
    { name: 'ftp_password', type: 'secret', label: say('FTP password'), hint },
  ];
}

const mirrorParts = (): PartsOf<MirrorConfig> => [
  { name: 'enabled', type: 'switch', isWide: false, label: say('Copy the card here') },
  { name: 'every', label: say('Copy it every'), hint: '6h', pattern: '[0-9]+[smhd]' },
  { name: 'max_mb_per_day', type: 'number', label: say('At most, MB a day (0: no limit)'), required: true },
];

interface Props {
  readonly unitId: string;
  /** As the config has them: the main one is always among them. */
  readonly value: readonly string[];
  change(value: readonly string[]): void;
}

/** Nothing where the meter has a single channel and no other is kept. */
function ChannelsField({ unitId, value, change }: Props) {
  const { found } = useFound(() => client.value.capabilities(unitId), [unitId, changes.value.config]);
  // A channel of another family must be visible: with it the gateway refuses the config.
  const all = [...new Set([...(found?.history_channels ?? []), ...value])];
  const others = all.filter((name) => name !== MAIN);
  if (others.length === 0) return null;
  return (
    <Checks
      label={say(
        'Recorded beside the main channel (each has to be switched on: at the meter, through the API or by a profile)',
      )}
      chosen={value}
      choices={others.map((name) => [name, name] as const)}
      change={(chosen) => change([MAIN, ...chosen])}
    />
  );
}

interface FamilyFieldProps {
  /** Its name in the config: `nl43`. */
  readonly value: string;
  change(value: string): void;
}

/** The choice of a family; nothing where the gateway knows a single one. */
export function FamilyField({ value, change }: FamilyFieldProps) {
  const families = about.value?.families ?? [];
  if (families.length < 2) return null;
  const choices = families.map(({ name, title }) => [name, title] as const);
  return <Choice label={say('Family of the meter')} value={value} choices={choices} change={change} />;
}

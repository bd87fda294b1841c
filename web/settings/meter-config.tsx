/** The config of one meter: read when it is opened, saved as a whole, and removed after a confirmation. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Config, MirrorConfig } from '../../client/index.ts';
import { about, client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { changes, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { messageOf, Said, useAction } from '../ui/action.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';

type FieldRow = readonly [
  name: keyof Config,
  label: () => string,
  kind: 'text' | 'number' | 'flag' | 'date' | 'history' | 'words',
];
const FIELDS: readonly FieldRow[] = [
  ['name', () => say('Name for people'), 'text'],
  ['place', () => say('Place'), 'text'],
  ['tags', () => say('Tags, with commas between'), 'words'],
  ['timezone', () => say('Time zone'), 'text'],
  ['verified_until', () => say('Legally verified until'), 'date'],
  ['sim_valid_until', () => say('SIM card valid until'), 'date'],
  ['host', () => say('Address in the network'), 'text'],
  ['tcp_port', () => say('Port'), 'number'],
  ['ftp_port', () => say('FTP port'), 'number'],
  ['poll_interval_seconds', () => say('Seconds between readings'), 'number'],
  ['history', () => say('What is recorded'), 'history'],
  ['tcp_enabled', () => say('Use this meter'), 'flag'],
  ['poll_enabled', () => say('Read it in the background'), 'flag'],
  ['ftp_enabled', () => say('Fetch files'), 'flag'],
];
/** Kinds of recording, in words. */
export const HISTORY = {
  off: () => say('Nothing ## is recorded'),
  poll: () => say('The readings'),
  stream: () => say('Everything (uses the fast stream day and night)'),
};

/** A meter in the list; opened it shows the form of its config. */
export function MeterConfig({ unitId }: { readonly unitId: string }) {
  const [config, setConfig] = useState<Config | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const unit = unitOf(unitId);
  const read = () =>
    client.value.config(unitId).then(setConfig, (error: unknown) => {
      setFailure(messageOf(error));
    });
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && !config && void read()}>
      <summary>
        <bdi>{unit?.name ?? unitId}</bdi> <span class="soft">{unit?.name ? unitId : ''}</span>
      </summary>
      {failure !== '' && <p class="said bad">{failure}</p>}
      {config && <ConfigForm config={config} />}
    </details>
  );
}

function ConfigForm({ config }: { readonly config: Config }) {
  const [wish, setWish] = useState(config);
  const [login, setLogin] = useState({ user: '', password: '' });
  const [sure, setSure] = useState(false);
  const { outcome, run, waits } = useAction();
  const { unit_id } = config;
  const change = (name: keyof Config, value: unknown) => setWish((present) => ({ ...present, [name]: value }));
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const { enabled, every, max_mb_per_day } = wish.mirror;
      const { latitude, longitude } = wish;
      const changed = {
        family: wish.family,
        history_channels: wish.history_channels,
        ...Object.fromEntries(FIELDS.map(([name]) => [name, wish[name]])),
        latitude: latitude ?? ('' as const),
        longitude: longitude ?? ('' as const),
        mirror: { enabled, every, max_mb_per_day },
        ...loginOf(login),
      };
      const { message, data, warning } = await client.value.configure(unit_id, changed);
      setWish(data);
      setLogin({ user: '', password: '' });
      return [message, warning].filter(Boolean).join(' ');
    });
  };
  const remove = () => run(async () => (await client.value.remove(unit_id)).message);
  return (
    <form class="card plain" onSubmit={submit}>
      <div class="fields">
        <FamilyField value={wish.family} change={(family) => change('family', family)} />
        {FIELDS.map(([name, label, kind]) => (
          <Fragment key={name}>
            <label class="field" for={`${unit_id}-${name}`}>
              {label()}
              <Input id={`${unit_id}-${name}`} kind={kind} value={wish[name]} change={(value) => change(name, value)} />
            </label>
            {name === 'place' && (
              <PositionField
                position={config}
                change={(position) => setWish((present) => ({ ...present, ...position }))}
              />
            )}
          </Fragment>
        ))}
        <ChannelsField
          unitId={unit_id}
          value={wish.history_channels}
          change={(channels) => change('history_channels', channels)}
        />
        <Field
          label={say('FTP user')}
          hint={config.ftp_credentials_set ? say('as it is') : say('none ## a secret')}
          value={login.user}
          change={(user) => setLogin({ ...login, user })}
        />
        <Field
          label={say('FTP password')}
          type="password"
          hint={config.ftp_credentials_set ? say('as it is') : say('none ## a secret')}
          value={login.password}
          change={(password) => setLogin({ ...login, password })}
        />
        <MirrorFields value={wish.mirror} change={(mirror) => change('mirror', mirror)} />
      </div>
      <Said outcome={outcome} waiting={say('Saving; the meter is asked, too ...')} />
      <div class="row end">
        <button type="submit" class="main" disabled={waits}>
          {say('Save')}
        </button>
        {sure ? (
          <span class="row">
            <span>{say('Its last values are removed, too. Its recorded levels stay.')}</span>
            <button type="button" disabled={waits} onClick={() => void remove()}>
              {say('Remove {name}', { name: unit_id })}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              {say('Keep')}
            </button>
          </span>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            {say('Remove ...')}
          </button>
        )}
      </div>
    </form>
  );
}

/** An empty field keeps the stored value, which the gateway never shows. */
const loginOf = ({ user, password }: { readonly user: string; readonly password: string }) => ({
  ...(user !== '' && { ftp_username: user }),
  ...(password !== '' && { ftp_password: password }),
});

const words = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

interface MirrorProps {
  readonly value: MirrorConfig;
  change(value: MirrorConfig): void;
}

function MirrorFields({ value, change }: MirrorProps) {
  return (
    <>
      <label class="field">
        {say('Copy the card here')}
        <input
          type="checkbox"
          checked={value.enabled}
          onChange={({ currentTarget }) => change({ ...value, enabled: currentTarget.checked })}
        />
      </label>
      <Field
        label={say('Copy it every')}
        hint="6h"
        pattern="[0-9]+[smhd]"
        value={value.every}
        change={(every) => change({ ...value, every })}
      />
      <Field
        label={say('At most, MB a day (0: no limit)')}
        type="number"
        required
        value={String(value.max_mb_per_day)}
        change={(most) => change({ ...value, max_mb_per_day: Number(most) })}
      />
    </>
  );
}

function Input({
  id,
  kind,
  value,
  change,
}: {
  readonly id: string;
  readonly kind: FieldRow[2];
  readonly value: unknown;
  change(value: unknown): void;
}) {
  if (kind === 'flag') {
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
    );
  }
  if (kind === 'history') {
    return (
      <select id={id} value={String(value)} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {Object.entries(HISTORY).map(([word, text]) => (
          <option key={word} value={word}>
            {text()}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'number') {
    return (
      <input
        id={id}
        type="number"
        value={Number(value)}
        onInput={({ currentTarget }) => change(currentTarget.valueAsNumber)}
      />
    );
  }
  if (kind === 'words') {
    return (
      <input
        id={id}
        value={(value as readonly string[]).join(', ')}
        onChange={({ currentTarget }) => change(words(currentTarget.value))}
      />
    );
  }
  const text = { id, value: String(value ?? '') };
  const enter = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => change(currentTarget.value);
  return kind === 'date' ? <input type="date" {...text} onInput={enter} /> : <input {...text} onInput={enter} />;
}

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

interface Position {
  readonly latitude: number | null;
  readonly longitude: number | null;
}
interface PositionFieldProps {
  /** When the field is first shown. */
  readonly position: Position;
  /** Only with two numbers, or with none. */
  change(position: Position): void;
}

// A comma separates two numbers only if they have points: 55,5 is one number with a decimal comma.
const NUMBER = String.raw`[+\-]?\d+(\.\d+)?`;
const FRACTION = String.raw`[+\-]?\d+\.\d+`;
/** The gateway checks the range. */
const PAIR = String.raw`\s*(${NUMBER}[,;]?\s+${NUMBER}|${FRACTION}[,;]${FRACTION})\s*`;

/** The field. `change` is called with two numbers or with none. */
function PositionField({ position: { latitude, longitude }, change }: PositionFieldProps) {
  const [text, setText] = useState(latitude === null || longitude === null ? '' : `${latitude}, ${longitude}`);
  const enter = (words: string) => {
    setText(words);
    const [first = null, second = null] = words.match(/[+-]?\d+(\.\d+)?/g)?.map(Number) ?? [];
    change({ latitude: first, longitude: second });
  };
  return (
    <Field
      label={say('Position: latitude, longitude in degrees')}
      hint="55.5012, 3.4987"
      pattern={PAIR}
      value={text}
      change={enter}
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

/** The config of one meter: read when it is opened, saved as a whole, and removed after a second look. */
import { useState } from 'preact/hooks';
import type { Config } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { meters } from '../app/fleet.ts';
import { messageOf, Said, useAction } from './action.tsx';

type Field = readonly [name: keyof Config, label: string, kind: 'text' | 'number' | 'flag' | 'history'];
const FIELDS: readonly Field[] = [
  ['name', 'Name for people', 'text'],
  ['place', 'Place', 'text'],
  ['timezone', 'Time zone', 'text'],
  ['host', 'Address in the network', 'text'],
  ['tcp_port', 'Port', 'number'],
  ['ftp_port', 'FTP port', 'number'],
  ['poll_interval_seconds', 'Seconds between readings', 'number'],
  ['history', 'What is recorded', 'history'],
  ['tcp_enabled', 'Use this meter', 'flag'],
  ['poll_enabled', 'Read it in the background', 'flag'],
  ['ftp_enabled', 'Fetch files', 'flag'],
];
const HISTORY = { off: 'Nothing', poll: 'The readings', stream: 'Everything (uses the fast stream day and night)' };

export function MeterConfig({ unitId }: { readonly unitId: string }) {
  const [config, setConfig] = useState<Config | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const unit = meters.value?.get(unitId)?.unit.value;
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
  const [sure, setSure] = useState(false);
  const { outcome, run, waits } = useAction();
  const { unit_id } = config;
  const change = (name: keyof Config, value: unknown) => setWish({ ...wish, [name]: value });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const changed = Object.fromEntries(FIELDS.map(([name]) => [name, wish[name]]));
      const { message, data, warning } = await client.value.configure(unit_id, changed);
      setWish(data);
      return [message, warning].filter(Boolean).join(' ');
    });
  };
  const remove = () => run(async () => (await client.value.remove(unit_id)).message);
  return (
    <form class="card plain" onSubmit={submit}>
      <div class="fields">
        {FIELDS.map(([name, label, kind]) => (
          <label key={name} class="field" for={`${unit_id}-${name}`}>
            {label}
            <Input id={`${unit_id}-${name}`} kind={kind} value={wish[name]} change={(value) => change(name, value)} />
          </label>
        ))}
      </div>
      <Said outcome={outcome} waiting="Saved in a moment; the meter is asked, too ..." />
      <div class="row end">
        <button type="submit" class="main" disabled={waits}>
          Save
        </button>
        {sure ? (
          <span class="row">
            <span>Its last values go with it. What was recorded stays.</span>
            <button type="button" disabled={waits} onClick={() => void remove()}>
              Remove {unit_id}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep
            </button>
          </span>
        ) : (
          <button type="button" onClick={() => setSure(true)}>
            Remove ...
          </button>
        )}
      </div>
    </form>
  );
}

function Input({
  id,
  kind,
  value,
  change,
}: {
  readonly id: string;
  readonly kind: Field[2];
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
            {text}
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
  return <input id={id} value={String(value ?? '')} onInput={({ currentTarget }) => change(currentTarget.value)} />;
}

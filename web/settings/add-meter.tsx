/** Adds a meter, and tests the connection to it. A short name that is taken is asked about before anything changes. */
import { useState } from 'preact/hooks';
import type { Config } from '../../client/index.ts';
import { about } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { Choice, Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { useConnectionTry } from './connection-try.ts';
import { FamilyField } from './family-field.tsx';
import { HISTORY } from './meter-config.tsx';

const choices = () => (['poll', 'stream', 'off'] as const).map((word) => [word, HISTORY[word]()] as const);
const SHORT_NAME = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}';

/** The form for a new meter, and the steps of its first test. */
export function AddMeter() {
  const [unitId, setUnitId] = useState('');
  const [name, setName] = useState('');
  const [place, setPlace] = useState('');
  const [host, setHost] = useState('');
  const [port, setPort] = useState('2255');
  // Days, nights and limits go by it. That of the gateway is often UTC.
  const [zone, setZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [history, setHistory] = useState<keyof typeof HISTORY>('poll');
  const [family, setFamily] = useState(about.value?.families[0]?.name ?? '');
  const { steps, ending, add, change, isBusy } = useConnectionTry();
  const config = {
    host: host.trim(),
    tcp_port: Number(port),
    timezone: zone.trim(),
    history,
    ftp_enabled: true,
    ...(family && { family }),
    ...(name.trim() && { name: name.trim() }),
    ...(place.trim() && { place: place.trim() }),
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void add(unitId.trim(), config, true);
  };
  return (
    <section class="card" aria-labelledby="add">
      <h2 id="add">{say('Add a meter')}</h2>
      <form onSubmit={submit} class="fields">
        <Field
          label={say('Short name, for addresses')}
          value={unitId}
          change={setUnitId}
          pattern={SHORT_NAME}
          wrong={say(
            'Letters from A to Z, digits, dots, hyphens and underscores, beginning with a letter or a digit: no blanks, no umlauts, at most 64.',
          )}
          hint="roof"
          required
        />
        <Field label={say('Address in the network')} value={host} change={setHost} hint="192.0.2.40" required />
        <Field label={say('Port')} value={port} change={setPort} pattern="[0-9]{1,5}" hint="2255" required />
        <FamilyField value={family} change={setFamily} />
        <Field label={say('Name for people')} value={name} change={setName} hint={say('Roof, north side')} />
        <Field label={say('Place')} value={place} change={setPlace} hint={say('Main Street 1')} />
        <Field label={say('Time zone of the place')} value={zone} change={setZone} hint="Europe/Berlin" required />
        <Choice
          label={say('What is recorded')}
          value={history}
          choices={choices()}
          change={(next) => setHistory(next)}
        />
        <button type="submit" class="main" disabled={isBusy}>
          {say('Add and test the connection')}
        </button>
      </form>
      <ol class="steps" aria-live="polite">
        {steps.map(({ what, outcome, said }) => (
          <li key={what} class={outcome}>
            <strong>{what}</strong> {outcome === 'waiting' ? '...' : said}
          </li>
        ))}
      </ol>
      {ending.state === 'taken' && (
        <Taken present={ending.present} change={() => void change(ending.present, config, true)} />
      )}
      {ending.state === 'failed' && (
        <p class="row">
          <span>{say('Is the meter not there yet, or switched off?')}</span>
          <button type="button" onClick={() => void add(ending.unitId, config, false)}>
            {say('Add it without a test')}
          </button>
        </p>
      )}
      {ending.state === 'added' && (
        <p>
          <Link to={meterPath(ending.unitId)}>{say('Open {name} ## go to the meter', { name: ending.unitId })}</Link>
        </p>
      )}
    </section>
  );
}

function Taken({ present, change }: { readonly present: Config; change(): void }) {
  const { unit_id, name, host, tcp_port } = present;
  return (
    <div class="trouble act" role="alert">
      <p>
        <strong>{say('There is a meter with the short name {id} already', { id: unit_id })}</strong>
        {name !== null && (
          <>
            : <bdi>{name}</bdi>
          </>
        )}
        {say(
          ', at {host}, port {port}. Nothing was changed. Give the new meter another short name, or change the existing meter: then it has the address and the names above.',
          { host, port: String(tcp_port) },
        )}
      </p>
      <button type="button" onClick={change}>
        {say('Change {name}', { name: unit_id })}
      </button>
    </div>
  );
}

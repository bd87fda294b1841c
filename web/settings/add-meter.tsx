/**
 * Adds a meter, and tests the connection to it, step by step. A meter that does not answer is forgotten again. A short name that
 * is taken is asked about before anything changes.
 */
import { useState } from 'preact/hooks';
import { type Config, type ConfigChange, GatewayProblem } from '../../client/index.ts';
import { askAbilities, can } from '../state/abilities.ts';
import { about, client } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { meters } from '../state/fleet.ts';
import { decibels } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { FamilyField, HISTORY } from './meter-config.tsx';

const choices = () => (['poll', 'stream', 'off'] as const).map((word) => [word, HISTORY[word]()] as const);
const SHORT_NAME = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}';

/** `meter-1`, or the next one that no meter has. */
function freeName(): string {
  const known = meters.value;
  let number = 1;
  while (known?.has(`meter-${number}`)) number += 1;
  return `meter-${number}`;
}

/** The form for a new meter, and the steps of its first test. */
export function AddMeter() {
  const [typedId, setUnitId] = useState<string | undefined>(undefined);
  const unitId = typedId ?? freeName();
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

interface Step {
  readonly what: string;
  readonly outcome: 'waiting' | 'well' | 'failed';
  readonly said: string;
}

/** How it ended. `taken`: there is a meter of this short name already, and nothing was changed. */
type Ending =
  | { readonly state: 'none' }
  | { readonly state: 'taken'; readonly present: Config }
  | { readonly state: 'added' | 'failed'; readonly unitId: string };

/** Of a meter that is there already: what it is to become, and what it was. */
type Save = (unitId: string) => Promise<{ readonly message: string; undo(): Promise<string> }>;

function adviceOn(code: string): string {
  if (code === 'DEVICE_UNREACHABLE') return say('Is the meter on, is the address right, and is TCP on in its menu?');
  if (code === 'DEVICE_TIMEOUT')
    return say('Is the meter on, is the address right, and does no other program use it? It serves only one program.');
  if (code === 'DEVICE_WEDGED')
    return say('Is TCP on in its menu? If it is, switch the power of the meter off and on.');
  if (code === 'ADDRESS_REFUSED') return say('The settings of the gateway decide which addresses are allowed.');
  return code === 'QUEUE_TIMEOUT' ? say('The meter is busy. Test it again in a minute.') : '';
}

/** Steps and ending of the try that is shown, and the calls that begin one. */
function useConnectionTry() {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [ending, setEnding] = useState<Ending>({ state: 'none' });

  /** Without `isTested` the meter is kept, whether it answers or not. */
  const attempt = async (unitId: string, save: Save, isTested: boolean) => {
    const done: Step[] = [];
    const step = async (what: string, work: () => Promise<string>): Promise<boolean> => {
      setSteps([...done, { what, outcome: 'waiting', said: '' }]);
      const outcome = await work().then(
        (said): Step => ({ what, outcome: 'well', said }),
        (error: unknown): Step => ({ what, outcome: 'failed', said: `${messageOf(error)} ${adviceFor(error)}` }),
      );
      done.push(outcome);
      setSteps([...done]);
      return outcome.outcome === 'well';
    };
    setEnding({ state: 'none' });
    let undo = async () => '';
    const saved = await step(say('The gateway saves the config'), async () => {
      const { message, undo: back } = await save(unitId);
      undo = back;
      return message;
    });
    if (!saved) return;
    if (!isTested) return setEnding({ state: 'added', unitId });
    const answers = async () => {
      await askAbilities(unitId);
      if (!can(unitId, 'clock')) {
        await client.value.live(unitId);
        return say('It does.');
      }
      const { clock } = await client.value.setting(unitId, 'clock');
      return say('It does. Its clock shows {time}.', { time: clock?.replace(',', ' ') ?? '' });
    };
    const levels = async () => {
      const { data } = await client.value.live(unitId);
      return data.lp === null
        ? say('Lp has no value.')
        : say('Lp is {level} dB.', { level: decibels(Number(data.lp)) });
    };
    if ((await step(say('The meter answers'), answers)) && (await step(say('It shows levels'), levels)))
      return setEnding({ state: 'added', unitId });
    const isUndone = await step(say('The gateway forgets what it saved'), undo);
    setEnding({ state: isUndone ? 'failed' : 'added', unitId });
  };

  /** Refuses to touch a meter of this short name that is there already: `ending` says so. */
  const add = async (unitId: string, config: ConfigChange, isTested: boolean) => {
    const present = await existing(unitId);
    if (present) {
      setSteps([]);
      return setEnding({ state: 'taken', present });
    }
    const undo = async () => {
      await client.value.remove(unitId);
      return say('Nothing of this try is left.');
    };
    await attempt(unitId, async () => ({ ...(await client.value.create(unitId, config)), undo }), isTested);
  };
  const change = async (present: Config, config: ConfigChange, isTested: boolean) => {
    const undo = async () => {
      await client.value.configure(present.unit_id, before(present, config));
      return say('{name} is as it was.', { name: present.unit_id });
    };
    const save = async (unitId: string) => ({ ...(await client.value.configure(unitId, config)), undo });
    await attempt(present.unit_id, save, isTested);
  };
  return { steps, ending, add, change, isBusy: steps.some(({ outcome }) => outcome === 'waiting') };
}

/** The gateway refuses to create one that exists, too: this is asked to show what there is. */
async function existing(unitId: string): Promise<Config | undefined> {
  return client.value.config(unitId).catch(() => undefined);
}

/** The values before the change. The empty string removes a text that the change has added. */
const before = (present: Config, change: ConfigChange): ConfigChange =>
  Object.fromEntries(Object.keys(change).map((name) => [name, present[name as keyof Config] ?? '']));

const adviceFor = (error: unknown): string => (error instanceof GatewayProblem ? adviceOn(error.code) : '');

/** Adds a meter and tests the connection to it. A meter that does not answer is forgotten again; a short name that is taken is asked about. */
import { useState } from 'preact/hooks';
import { type Config, type ConfigChange, GatewayProblem } from '../../client/index.ts';
import { askAbilities, can } from '../state/abilities.ts';
import { about, client } from '../state/access.ts';
import { meterPath } from '../state/address.ts';
import { meters } from '../state/fleet.ts';
import { decibels } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { NAME_PATTERN, type PartsOf } from '../ui/form-parts.ts';
import { Link } from '../ui/link.tsx';
import { SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say } from '../words/say.ts';
import { FamilyField, historyChoices } from './meter-config.tsx';

/** `meter-1`, or the next one that no meter has. */
function freeName(): string {
  const known = meters.value;
  let number = 1;
  while (known?.has(`meter-${number}`)) number += 1;
  return `meter-${number}`;
}

interface NewMeter extends Pick<Config, 'host' | 'tcp_port' | 'timezone' | 'history' | 'family'> {
  /** Undefined: one that is free. */
  readonly unit_id: string | undefined;
  readonly name: string;
  readonly place: string;
}

export function AddMeter() {
  const [values, set] = useValues<NewMeter>({
    unit_id: undefined,
    name: '',
    place: '',
    host: '',
    tcp_port: 2255,
    // Days, nights and limits go by it. That of the gateway is often UTC.
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    history: 'poll',
    family: about.value?.families[0]?.name ?? '',
  });
  const { unit_id: unitId = freeName(), name, place, family, ...more } = values;
  const { steps, ending, add, change, isBusy } = useConnectionTry();
  const config = {
    ...more,
    ftp_enabled: true,
    ...(family && { family }),
    ...(name && { name }),
    ...(place && { place }),
  };
  const parts: PartsOf<NewMeter> = [
    {
      name: 'unit_id',
      label: say('Short name, for addresses'),
      required: true,
      hint: 'roof',
      pattern: NAME_PATTERN,
      wrong: say(
        'Letters from A to Z, digits, dots, hyphens and underscores, beginning with a letter or a digit: no blanks, no umlauts, at most 64.',
      ),
    },
    { name: 'host', label: say('Address in the network'), required: true, hint: '192.0.2.40' },
    { name: 'tcp_port', type: 'number', label: say('Port'), required: true, hint: '2255' },
    { name: 'family', draw: <FamilyField value={family} change={(next) => set({ family: next })} /> },
    { name: 'name', label: say('Name for people'), hint: say('Roof, north side') },
    { name: 'place', label: say('Place'), hint: say('Main Street 1') },
    { name: 'timezone', label: say('Time zone of the place'), required: true, hint: 'Europe/Berlin' },
    { name: 'history', label: say('What is recorded'), choices: historyChoices() },
  ];
  const save = async () => {
    await add(unitId, config, true);
    return '';
  };
  return (
    <Card id="add" title={say('Add a meter')}>
      <SchemaForm
        title={say('Add a meter')}
        button={say('Add and test the connection')}
        use={{ saved: () => {}, isPlain: true }}
        parts={parts}
        values={{ ...values, unit_id: unitId }}
        set={set}
        save={save}
        isReady={!isBusy}
      />
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
    </Card>
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

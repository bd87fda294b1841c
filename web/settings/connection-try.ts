/** A new meter is saved and asked, step by step, each with its outcome in words. If it does not answer, the gateway forgets it again. */
import { useState } from 'preact/hooks';
import { type Config, type ConfigChange, GatewayProblem } from '../../client/index.ts';
import { askAbilities, can } from '../state/abilities.ts';
import { client } from '../state/access.ts';
import { decibels } from '../state/numbers.ts';
import { messageOf } from '../ui/action.tsx';
import { say } from '../words/say.ts';

/** One step of the try. */
export interface Step {
  readonly what: string;
  readonly outcome: 'waiting' | 'well' | 'failed';
  readonly said: string;
}

/** How it ended. `taken`: there is a meter of this short name already, and nothing was changed. */
export type Ending =
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
export function useConnectionTry() {
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

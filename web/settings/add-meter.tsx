/** Adds a meter, and tests the connection to it step by step, each with its outcome in words. */
import { useState } from 'preact/hooks';
import { GatewayProblem } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { meterPath } from '../app/address.ts';
import { messageOf } from '../ui/action.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { HISTORY } from './meter-config.tsx';

const CHOICES = (['poll', 'stream', 'off'] as const).map((word) => [word, HISTORY[word]] as const);

interface Step {
  readonly what: string;
  readonly outcome: 'waiting' | 'well' | 'failed';
  readonly said: string;
}

const ADVICE: Readonly<Record<string, string>> = {
  DEVICE_UNREACHABLE: 'Is the meter on, is the address right, and is TCP on in its menu?',
  DEVICE_TIMEOUT:
    'Is the meter on, is the address right, and does no other program use it? It serves only one program.',
  DEVICE_WEDGED: 'Is TCP on in its menu? If it is, switch the power of the meter off and on.',
  ADDRESS_REFUSED: 'The settings of the gateway decide which addresses are allowed.',
  QUEUE_TIMEOUT: 'The meter is busy. Test it again in a minute.',
};

export function AddMeter() {
  const [unitId, setUnitId] = useState('');
  const [name, setName] = useState('');
  const [place, setPlace] = useState('');
  const [host, setHost] = useState('');
  const [port, setPort] = useState('2255');
  // Days, nights and limits go by it. That of the gateway is often UTC.
  const [zone, setZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [history, setHistory] = useState<keyof typeof HISTORY>('poll');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [added, setAdded] = useState('');
  const busy = steps.some(({ outcome }) => outcome === 'waiting');

  const test = async (id: string) => {
    const done: Step[] = [];
    const attempt = async (what: string, work: () => Promise<string>): Promise<boolean> => {
      setSteps([...done, { what, outcome: 'waiting', said: '' }]);
      const step = await work().then(
        (said): Step => ({ what, outcome: 'well', said }),
        (error: unknown): Step => ({ what, outcome: 'failed', said: `${messageOf(error)} ${adviceFor(error)}` }),
      );
      done.push(step);
      setSteps([...done]);
      return step.outcome === 'well';
    };
    const saved = await attempt('The gateway saves the config', async () => {
      const own = { host: host.trim(), tcp_port: Number(port), timezone: zone.trim() };
      const config = { ...own, history, ftp_enabled: true };
      const names = { ...(name.trim() && { name: name.trim() }), ...(place.trim() && { place: place.trim() }) };
      return (await client.value.configure(id, { ...config, ...names })).message;
    });
    if (!saved) return;
    setAdded(id);
    const answers = await attempt('The meter answers', async () => {
      const { clock } = await client.value.setting(id, 'clock');
      return `It does. Its clock shows ${clock?.replace(',', ' ')}.`;
    });
    if (!answers) return;
    await attempt('It shows levels', async () => {
      const { data } = await client.value.live(id);
      return `Lp is ${data.lp ?? 'without a value'} dB.`;
    });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void test(unitId.trim());
  };
  return (
    <section class="card" aria-labelledby="add">
      <h2 id="add">Add a meter</h2>
      <form onSubmit={submit} class="fields">
        <Field
          label="Short name, for addresses"
          value={unitId}
          change={setUnitId}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
          hint="roof"
          required
        />
        <Field label="Address in the network" value={host} change={setHost} hint="192.0.2.40" required />
        <Field label="Port" value={port} change={setPort} pattern="[0-9]{1,5}" hint="2255" required />
        <Field label="Name for people" value={name} change={setName} hint="Roof, north side" />
        <Field label="Place" value={place} change={setPlace} hint="Main Street 1" />
        <Field label="Time zone of the place" value={zone} change={setZone} hint="Europe/Berlin" required />
        <Choice label="What is recorded" value={history} choices={CHOICES} change={(next) => setHistory(next)} />
        <button type="submit" class="main" disabled={busy}>
          Add and test the connection
        </button>
      </form>
      <ol class="steps" aria-live="polite">
        {steps.map(({ what, outcome, said }) => (
          <li key={what} class={outcome}>
            <strong>{what}</strong> {outcome === 'waiting' ? '...' : said}
          </li>
        ))}
      </ol>
      {added !== '' && !busy && (
        <p>
          <Link to={meterPath(added)}>Open {added}</Link>
        </p>
      )}
    </section>
  );
}

const adviceFor = (error: unknown): string => (error instanceof GatewayProblem ? (ADVICE[error.code] ?? '') : '');

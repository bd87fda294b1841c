/** The rules of alerts, and a new level rule, tried on the last seven days before it is made. */
import { useEffect, useState } from 'preact/hooks';
import type { AlertPreview, AlertRule, NewAlertRule } from '../../client/index.ts';
import { client, mayAdminister } from '../app/access.ts';
import { changes, meters, now } from '../app/fleet.ts';
import { dayAndTime, decibels, whole } from '../app/numbers.ts';
import { nameOf } from '../app/quantity.ts';
import { Said, useAction } from './action.tsx';

export function AlertRules() {
  const [rules, setRules] = useState<readonly AlertRule[]>([]);
  const [asked, setAsked] = useState(0);
  const { outcome, run } = useAction();
  const seen = changes.value.alert;
  useEffect(() => {
    let left = false;
    client.value.alertRules().then(
      (found) => left || setRules(found),
      () => {},
    );
    return () => {
      left = true;
    };
  }, [seen, asked]);
  const again = () => setAsked(asked + 1);
  const remove = (id: string) => run(async () => (await client.value.removeAlertRule(id)).message).then(again);
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      {rules.length === 0 && <p class="soft">There are no rules yet.</p>}
      <ul class="stack">
        {rules.map((rule) => (
          <li key={rule.id} class="row end">
            <span>
              <bdi>{rule.name}</bdi> <span class="soft">{wordsFor(rule)}</span>
            </span>
            {mayAdminister.value && (
              <button type="button" onClick={() => void remove(rule.id)}>
                Remove <span class="hidden-label">{rule.name}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <Said outcome={outcome} waiting="" />
      {mayAdminister.value && (meters.value?.size ?? 0) > 0 && <NewRule onMade={again} />}
    </section>
  );
}

function wordsFor({ kind, units, tag, quantity, window, limit_db, condition, severity, enabled }: AlertRule): string {
  const where = units ? units.join(', ') : `all with the tag ${tag}`;
  const what =
    kind === 'level'
      ? `${nameOf(quantity ?? '', { frequency: null, time: null })} of ${window} above ${decibels(limit_db)} dB`
      : (condition ?? '').replaceAll('_', ' ');
  return `${what}, at ${where}, ${severity}${enabled ? '' : ', switched off'}`;
}

const WINDOWS = ['1m', '5m', '15m', '30m', '1h', '8h', '12h', 'day', 'evening', 'night'];
const QUANTITIES = ['leq', 'lmax', 'lpeak', 'l10', 'l90'];
const WEEK_MS = 7 * 86_400_000;

function NewRule({ onMade }: { onMade(): void }) {
  const [unit, setUnit] = useState([...(meters.value?.keys() ?? [])][0] ?? '');
  const [quantity, setQuantity] = useState('leq');
  const [window, setWindow] = useState('15m');
  const [limit, setLimit] = useState('55');
  const { outcome, run, waits } = useAction();
  const rule: NewAlertRule = {
    name: `${nameOf(quantity, { frequency: null, time: null })} ${window} above ${limit} dB`,
    ...{ kind: 'level', severity: 'warning', units: [unit], quantity, window, limit_db: Number(limit) },
  };
  const preview = () =>
    run(async () => {
      const [from, to] = [now.peek() - WEEK_MS, now.peek()].map((at) => new Date(at).toISOString());
      return previewed(await client.value.previewAlertRule(rule, from ?? '', to ?? ''));
    });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => (await client.value.addAlertRule(rule)).message).then((made) => made && onMade());
  };
  return (
    <form onSubmit={submit}>
      <div class="fields">
        <Choice label="Meter" value={unit} choices={[...(meters.value?.keys() ?? [])]} change={setUnit} />
        <Choice label="Level" value={quantity} choices={QUANTITIES} change={setQuantity} />
        <Choice label="Over" value={window} choices={WINDOWS} change={setWindow} />
        <label class="field">
          Limit, dB
          <input
            type="number"
            step="0.1"
            min="0"
            max="200"
            required
            value={limit}
            onInput={({ currentTarget }) => setLimit(currentTarget.value)}
          />
        </label>
        <button type="button" disabled={waits} onClick={() => void preview()}>
          Try on the last 7 days
        </button>
        <button type="submit" class="main" disabled={waits}>
          Make this rule
        </button>
      </div>
      <Said outcome={outcome} waiting="The recorded levels are being looked through ..." />
    </form>
  );
}

function previewed(events: readonly AlertPreview[]): string {
  if (events.length === 0) return 'This rule would not have fired.';
  const worst = events.reduce((one, other) => (other.worst > one.worst ? other : one));
  const times = events.length === 1 ? 'once' : `${whole(events.length)} times`;
  return `This rule would have fired ${times}; the worst was ${decibels(worst.worst)} dB, ${dayAndTime(worst.opened_at)}.`;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  change(value: string): void;
}

function Choice({ label, value, choices, change }: ChoiceProps) {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {choices.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  );
}

/** Makes rules of alerts of the limits of the chosen preset, after it has shown them. */
import { useState } from 'preact/hooks';
import type { schemas, Unit } from '../../client/index.ts';
import { client, mayAdminister } from '../state/access.ts';
import { decibels } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { listOf, say, sayWith } from '../words/say.ts';

interface Props {
  readonly unit: Unit;
  readonly preset: string;
  /** `area` and `limits`, as the page has them. */
  readonly query: Readonly<Record<string, string>>;
}

export function PresetRules({ unit, preset, query }: Props) {
  const [found, setFound] = useState<schemas.PresetRules | undefined>(undefined);
  const [margin, setMargin] = useState('0');
  const { outcome, run, waits } = useAction();
  if (!mayAdminister.value) return null;
  const show = (margin_db: string) => {
    setMargin(margin_db);
    void run(async () => {
      setFound(undefined);
      setFound(await client.value.presetRules(preset, { ...query, margin_db: margin_db || '0' }));
      return '';
    });
  };
  const make = (rules: schemas.PresetRules['rules']) =>
    run(async () => {
      const { message } = await client.value.addRules(rules, [unit.unit_id]);
      setFound(undefined);
      return message;
    });
  return (
    <section class="stack" aria-label={say('Limits as rules')}>
      <div class="row">
        <button type="button" disabled={waits} onClick={() => show(margin)}>
          {say('Make rules of this preset')}
        </button>
        <Link to="alerts">{say('Rules and alerts')}</Link>
      </div>
      {found && (
        <div class="card stack">
          <ul>
            {found.rules.map(({ name, quantity, window, limit_db, schedule }) => (
              <li key={name}>
                <bdi>{name}</bdi>{' '}
                <span class="soft small">
                  {ruleWords(
                    { quantity, window, limit: decibels(limit_db) },
                    listOf(schedule.map(({ from, to }) => say('{from} to {to}', { from, to }))),
                  )}
                </span>
              </li>
            ))}
          </ul>
          {found.left_out.map(({ figure, reason }) => (
            <p key={figure} class="soft small">
              {say('No rule for {figure}.', { figure })} {reason}
            </p>
          ))}
          {found.notes.map((note) => (
            <p key={note} class="soft small">
              {note}
            </p>
          ))}
          <Field
            label={say('So many dB below the limits')}
            type="number"
            min={0}
            max={30}
            step="0.1"
            value={margin}
            change={show}
          />
          {found.rules.length > 0 && (
            <div class="row">
              <button type="button" class="main" disabled={waits} onClick={() => void make(found.rules)}>
                {sayWith('Make this rule for {name}|Make these {count} rules for {name}', {
                  count: found.rules.length,
                  name: <bdi>{unit.name}</bdi>,
                })}
              </button>
              <button type="button" onClick={() => setFound(undefined)}>
                {say('Make none')}
              </button>
            </div>
          )}
        </div>
      )}
      <Said outcome={outcome} waiting="" />
    </section>
  );
}

interface RuleGaps {
  readonly quantity: string;
  /** `15m`, or `scheduled`: the whole times. */
  readonly window: string;
  readonly limit: string;
}

function ruleWords({ quantity, window, limit }: RuleGaps, times: string): string {
  return window === 'scheduled'
    ? say('{quantity} above {limit} dB, {times}', { quantity, limit, times })
    : say('{quantity} of {window} above {limit} dB, {times}', { quantity, window, limit, times });
}

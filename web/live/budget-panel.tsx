/** How much noise each limit of a meter still allows in its present window. */
import type { Budget, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { shareOf } from '../state/alerts.ts';
import { useFound } from '../state/found.ts';
import { decibels, percent, timeOfDay } from '../state/numbers.ts';
import { RecordingNote } from '../ui/recording-note.tsx';
import { say, sayWith } from '../words/say.ts';

const EVERY_MS = 10_000;

export function BudgetPanel({ unit }: { readonly unit: Unit }) {
  const { unit_id: unitId, timezone: zone } = unit;
  const { found: budgets = [] } = useFound(() => client.value.budget(unitId).catch(() => []), [unitId], EVERY_MS);
  if (budgets.length === 0) return null;
  return (
    <section class="card" aria-labelledby="budget">
      <h2 id="budget">{say('Limits')}</h2>
      <RecordingNote unit={unit} />
      <ul class="stack">
        {budgets.map((budget) => (
          <li key={budget.rule} class="budget">
            <span>
              {sayWith('{name}: {level} of {limit} dB so far, until {time}', {
                name: <bdi>{budget.channel === 'main' ? budget.name : `${budget.name} (${budget.channel})`}</bdi>,
                level: decibels(budget.leq_so_far),
                limit: decibels(budget.limit_db),
                time: timeOfDay(budget.window_to, zone),
              })}
            </span>
            <span class={`bar ${budget.state}`}>
              <span style={{ width: `${Math.round(shareOf(budget) * 100)}%` }} />
            </span>
            <div class={budget.state === 'exceeded' ? 'said bad' : 'soft'}>
              {wordsFor(budget, zone)}
              {shareMeasured(budget) < LEAST_MEASURED && (
                <div class="soft small">
                  {say('Only {share} of the time so far was measured; nothing is known of the rest.', {
                    share: percent(shareMeasured(budget)),
                  })}
                </div>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Below it, what the gap may have held is worth a word. */
const LEAST_MEASURED = 0.9;
const shareMeasured = ({ measured_s, elapsed_s, leq_so_far }: Budget): number =>
  leq_so_far === null || elapsed_s <= 0 ? 1 : Math.min(1, measured_s / elapsed_s);

function wordsFor(budget: Budget, zone: string): string {
  const { state, leq_so_far, remaining_may_average_db: rest, will_exceed_at, note } = budget;
  if (state === 'exceeded') return say('The limit is exceeded.');
  if (leq_so_far === null) return say('Nothing was measured in this window yet.');
  if (will_exceed_at)
    return say('If it goes on like this, the limit is exceeded at {time}.', { time: timeOfDay(will_exceed_at, zone) });
  return rest === null ? (note ?? '') : say('The rest may average {level} dB.', { level: decibels(rest) });
}

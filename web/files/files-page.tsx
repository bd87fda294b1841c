/**
 * The files of a meter: those on its card, the copies on the gateway, and a comparison of levels of the card with the stream.
 */
import type { Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { isoSpan } from '../state/chosen-time.ts';
import { changes, now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, decibels, span, whole } from '../state/numbers.ts';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';
import { CardFiles } from './card-files.tsx';
import { KeptFiles } from './kept-files.tsx';

export function FilesPage({ unit }: { readonly unit: Unit }) {
  return (
    <>
      <div class="columns">
        <CardFiles unit={unit} />
        <KeptFiles unit={unit} />
      </div>
      <Reconciliation unit={unit} />
    </>
  );
}

const WEEK_MS = 7 * 86_400_000;

function Reconciliation({ unit: { unit_id, timezone } }: { readonly unit: Unit }) {
  const lastWeek = () => isoSpan({ from: now.peek() - WEEK_MS, to: now.peek() });
  const { found: hours = [] } = useFound(
    () => client.value.reconciliation(unit_id, lastWeek()),
    [unit_id, changes.value.job],
  );
  if (hours.length === 0) return null;
  const filled = hours.reduce((sum, { filled_s }) => sum + filled_s, 0);
  return (
    <section class="card" aria-labelledby="reconciliation">
      <h2 id="reconciliation">{say('Card against stream, last 7 days')}</h2>
      <p class="soft">
        {filled > 0
          ? say('The card has filled {length} that the stream missed.', { length: span(filled) })
          : say('The stream missed nothing that the card has.')}
      </p>
      <WideTable
        heads={[
          say('Hour'),
          { number: say('Minutes compared') },
          { number: say('Mean difference, dB') },
          { number: say('Largest, dB') },
          { number: say('Filled') },
        ]}
      >
        {hours.map((hour) => (
          <tr key={hour.hour}>
            <td>
              {dayAndTime(hour.hour, timezone)}
              {hour.other_weighting && (
                <span class="soft small">
                  {' '}
                  {say('the stream had {weighting}', { weighting: hour.other_weighting })}
                </span>
              )}
            </td>
            <td class="number">{whole(hour.compared_minutes)}</td>
            <td class="number">{decibels(hour.mean_difference_db)}</td>
            <td class="number">{decibels(hour.largest_difference_db)}</td>
            <td class="number">{hour.filled_s > 0 ? span(hour.filled_s) : ''}</td>
          </tr>
        ))}
      </WideTable>
    </section>
  );
}

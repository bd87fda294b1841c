/** Power and card of a meter. */
import type { Unit } from '../../client/index.ts';
import { can } from '../state/abilities.ts';
import { bytes, whole } from '../state/numbers.ts';
import { Age } from '../ui/age.tsx';
import { say } from '../words/say.ts';

const SOURCES: Readonly<Record<string, () => string>> = {
  Battery: () => say('its batteries'),
  External: () => say('an external supply'),
  USB: () => 'USB',
};

/** Battery, source of power and free space of the card, each with its age. */
export function SupplyPanel({ unit }: { readonly unit: Unit }) {
  const { battery_level, battery_state, battery_at, power_source, sd_remaining_mb, sd_free_ratio, sd_at } = unit;
  if (!['battery', 'power_source', 'card_space'].some((name) => can(unit.unit_id, name))) return null;
  return (
    <section class="card" aria-labelledby="supplies">
      <h2 id="supplies">{say('Power and card')}</h2>
      <dl class="facts">
        <dt>{say('Runs on')}</dt>
        <dd>{power_source === null ? say('not known') : SOURCES[power_source]?.()}</dd>
        <dt>{say('Battery')}</dt>
        <dd>
          {battery_level === null ? (battery_state ?? say('not known')) : `${whole(battery_level)} %`}{' '}
          <Age at={battery_at} />
        </dd>
        <dt>{say('Card')}</dt>
        <dd>
          {sd_remaining_mb === null
            ? say('not known')
            : say('{bytes} free', { bytes: bytes(sd_remaining_mb * 1_000_000) })}
          {sd_free_ratio !== null && ` (${whole(sd_free_ratio)} %)`} <Age at={sd_at} />
        </dd>
      </dl>
    </section>
  );
}

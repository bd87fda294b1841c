/** Which observations are a reason to exclude levels of a meter, and whether the gateway excludes them without asking. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Flag } from '../ui/field.tsx';

const NAMES: Readonly<Record<string, string>> = {
  ...{ wind_speed: 'Wind', wind_direction: 'Wind direction', gust: 'Gusts', rain: 'Rain', temperature: 'Temperature' },
  ...{ humidity: 'Humidity', pressure: 'Air pressure', traffic: 'Vehicles', train: 'Trains' },
};
const UNITS: Readonly<Record<string, string>> = {
  ...{ wind_speed: 'm/s', wind_direction: 'degrees', gust: 'm/s', rain: 'mm', temperature: '°C', humidity: '%' },
  ...{ pressure: 'hPa', traffic: 'in the interval', train: 'in the interval' },
};

/** Below the proposals. */
export function ExclusionRules({ unitId, zone }: { readonly unitId: string; readonly zone: string }) {
  const { found, put } = useFound(() => client.value.exclusionRules(unitId), [unitId]);
  const { outcome, run } = useAction();
  if (!found) return null;
  const { rules, auto_exclude: isAuto, judged_until: until } = found;
  const change = (auto: boolean) =>
    run(async () => {
      const { data, message } = await client.value.replaceExclusionRules(unitId, { rules, auto_exclude: auto });
      put(data);
      return message;
    });
  return (
    <div class="stack">
      <h3>Rules of this meter</h3>
      <ul>
        {rules.map((rule) => (
          <li key={JSON.stringify(rule)}>{wordsOf(rule)}</li>
        ))}
        {rules.length === 0 && <li>None: no observation is a reason to exclude.</li>}
      </ul>
      {mayOperate.value ? (
        <Flag label="Exclude such times without asking" value={isAuto} change={(auto) => void change(auto)} />
      ) : (
        <p>{isAuto ? 'Such times are excluded without asking.' : 'Such times are only proposed.'}</p>
      )}
      <p class="soft small">
        With this box ticked, the gateway excludes each such time from now on: when it is over, or hour by hour while it
        lasts. Levels, indices and reports then leave it out. The author of these notes is auto_exclude; you may change
        or remove each of them. Where no station observes anything, nothing is excluded.
        {until !== null && ` The observations are judged until ${dayAndTime(until, zone)}.`}
      </p>
      <Said outcome={outcome} waiting="" />
    </div>
  );
}

/** `Wind above 5 m/s, from 1 min before to 2 min after` */
function wordsOf({ quantity, above, below, before_s, after_s, min_s }: schemas.ObservationRule): string {
  const limit = above === null ? `below ${below}` : `above ${above}`;
  const margins = [before_s > 0 ? `${before_s} s before` : '', after_s > 0 ? `${after_s} s after` : ''].filter(Boolean);
  return [
    `${NAMES[quantity] ?? quantity} ${limit} ${UNITS[quantity] ?? ''}`.trim(),
    ...(margins.length > 0 ? [`with ${margins.join(' and ')}`] : []),
    ...(min_s > 0 ? [`for at least ${min_s} s`] : []),
  ].join(', ');
}

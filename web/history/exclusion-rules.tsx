/** Which observations are a reason to exclude levels of a meter, and whether the gateway excludes them without asking. */
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../app/access.ts';
import { useFound } from '../app/found.ts';
import { dayAndTime, span as spanWords } from '../app/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Flag } from '../ui/field.tsx';
import { LOCALES } from '../words/language.ts';
import { listOf } from '../words/list.ts';
import { say } from '../words/say.ts';

const NAMES: Readonly<Record<string, () => string>> = {
  wind_speed: () => say('Wind'),
  wind_direction: () => say('Wind direction'),
  gust: () => say('Gusts'),
  rain: () => say('Rain'),
  temperature: () => say('Temperature'),
  humidity: () => say('Humidity'),
  pressure: () => say('Air pressure'),
  traffic: () => say('Vehicles'),
  train: () => say('Trains'),
};
/** What was observed, in words. */
export const quantityWord = (quantity: string): string => NAMES[quantity]?.() ?? quantity;

const UNITS: Readonly<Record<string, string>> = {
  ...{
    wind_speed: 'm/s',
    wind_direction: '°',
    gust: 'm/s',
    rain: 'mm',
    temperature: '°C',
    humidity: '%',
    pressure: 'hPa',
  },
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
      <h3>{say('Rules of this meter')}</h3>
      <ul>
        {rules.map((rule) => (
          <li key={JSON.stringify(rule)}>{wordsOf(rule)}</li>
        ))}
        {rules.length === 0 && <li>{say('None: no observation is a reason to exclude.')}</li>}
      </ul>
      {mayOperate.value ? (
        <Flag label={say('Exclude such times without asking')} value={isAuto} change={(auto) => void change(auto)} />
      ) : (
        <p>{isAuto ? say('Such times are excluded without asking.') : say('Such times are only proposed.')}</p>
      )}
      <p class="soft small">
        {say(
          'With this box ticked, the gateway excludes each such time from now on: when it is over, or hour by hour while it lasts. Levels, indices and reports then leave it out. The author of these notes is auto_exclude; you may change or remove each of them. Where no station observes anything, nothing is excluded.',
        )}
      </p>
      {until !== null && (
        <p class="soft small">{say('The observations are judged until {time}.', { time: dayAndTime(until, zone) })}</p>
      )}
      <Said outcome={outcome} waiting="" />
    </div>
  );
}

/** `Wind above 5 m/s, 60 s after it` */
function wordsOf({ quantity, above, below, before_s, after_s, min_s }: schemas.ObservationRule): string {
  const gaps = {
    quantity: quantityWord(quantity),
    limit: [quantityText(above ?? below ?? 0), UNITS[quantity]].filter(Boolean).join(' '),
  };
  return listOf([
    above === null ? say('{quantity} below {limit}', gaps) : say('{quantity} above {limit}', gaps),
    ...(before_s > 0 ? [say('with {length} before', { length: spanWords(before_s) })] : []),
    ...(after_s > 0 ? [say('with {length} after', { length: spanWords(after_s) })] : []),
    ...(min_s > 0 ? [say('for at least {length}', { length: spanWords(min_s) })] : []),
  ]);
}

const quantityText = (value: number): string => value.toLocaleString(LOCALES, { maximumFractionDigits: 2 });

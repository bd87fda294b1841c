/** Which observations are a reason to exclude levels of a meter, and whether the gateway excludes them without asking. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, span as spanWords } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Flag } from '../ui/field.tsx';
import { LOCALES } from '../words/language.ts';
import { listOf, say } from '../words/say.ts';
import { quantityWord, unitOf } from './quantity-words.ts';
import { RulesForm } from './rule-rows.tsx';

interface Props {
  readonly unitId: string;
  readonly zone: string;
  /** After the rules were changed. */
  again(): void;
}

/** Below the proposals. */
export function ExclusionRules({ unitId, zone, again }: Props) {
  const { found, put } = useFound(() => client.value.exclusionRules(unitId), [unitId]);
  const { outcome, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  if (!found) return null;
  const { rules, auto_exclude: isAuto, judged_until: until } = found;
  const change = (auto: boolean) =>
    run(async () => {
      const { data, message } = await client.value.replaceExclusionRules(unitId, { rules, auto_exclude: auto });
      put(data);
      return message;
    });
  if (isOpen) {
    const saved = (said: string) => {
      setOpen(false);
      void run(async () => said);
      again();
    };
    return (
      <RulesForm
        unitId={unitId}
        present={rules}
        isAuto={isAuto}
        put={put}
        use={{ saved, leave: () => setOpen(false) }}
      />
    );
  }
  return (
    <div class="stack">
      <h3>{say('Rules of this meter')}</h3>
      <ul>
        {rules.map((rule) => (
          <li key={JSON.stringify(rule)}>{wordsOf(rule)}</li>
        ))}
        {rules.length === 0 && <li>{say('None: no observation excludes levels.')}</li>}
      </ul>
      {mayOperate.value && (
        <div class="row">
          <button type="button" onClick={() => setOpen(true)}>
            {say('Change the rules')}
          </button>
        </div>
      )}
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
    limit: [quantityText(above ?? below ?? 0), unitOf(quantity)].filter(Boolean).join(' '),
  };
  return listOf([
    above === null ? say('{quantity} below {limit}', gaps) : say('{quantity} above {limit}', gaps),
    ...(before_s > 0 ? [say('with {length} before', { length: spanWords(before_s) })] : []),
    ...(after_s > 0 ? [say('with {length} after', { length: spanWords(after_s) })] : []),
    ...(min_s > 0 ? [say('for at least {length}', { length: spanWords(min_s) })] : []),
  ]);
}

const quantityText = (value: number): string => value.toLocaleString(LOCALES, { maximumFractionDigits: 2 });

/** Exclusions because of the weather: those proposed for the shown time, and the rules by which the gateway excludes levels itself. */
import { useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client, mayOperate } from '../state/access.ts';
import { type ChosenTime, isoSpan } from '../state/chosen-time.ts';
import { useFound } from '../state/found.ts';
import { dayAndTime, span as spanWords } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { Flag } from '../ui/field.tsx';
import type { PartsOf } from '../ui/form-parts.ts';
import { reasonChoices, reasonWord } from '../ui/notes.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { LOCALES } from '../words/language.ts';
import { listOf, say, sayWith } from '../words/say.ts';

interface ProposalsProps extends ChosenTime {
  readonly unitId: string;
  readonly zone: string;
  again(): void;
}

/** Longer spans are not asked for: the API takes a little more than a year. */
const MOST_MS = 370 * 86_400_000;
const SHOWN = 20;

/** The card below the notes; nothing where no station is for this meter. */
export function Proposals({ unitId, zone, from, to, again }: ProposalsProps) {
  const asked = isoSpan({ from, to });
  const { found, again: lookAgain } = useFound(
    async () => (to - from > MOST_MS ? undefined : client.value.noteProposals(unitId, asked)),
    [unitId, from, to],
  );
  const { outcome, run, waits } = useAction();
  if (!found || found.stations.length === 0) return null;
  const { data: proposals, unobserved } = found;
  const reasons = [...new Set(proposals.map(({ reason }) => reason))];
  const accept = async (reason: schemas.NoteProposal['reason']) => {
    const body = { ...asked, reasons: [reason] };
    if (!(await run(() => client.value.acceptNoteProposals(unitId, body)))) return;
    lookAgain();
    again();
  };
  return (
    <section class="card" aria-labelledby="proposals">
      <h2 id="proposals">{say('Weather')}</h2>
      {proposals.length === 0 && <p>{say('The rules of this meter propose to exclude nothing of this time.')}</p>}
      <ul>
        {proposals.slice(0, SHOWN).map((proposal) => (
          <li key={`${proposal.from} ${proposal.reason}`}>
            {sayWith('{from} to {to}: {text}', {
              from: dayAndTime(proposal.from, zone),
              to: dayAndTime(proposal.to, zone),
              text: <bdi class="lines">{proposal.text}</bdi>,
            })}
          </li>
        ))}
      </ul>
      {proposals.length > SHOWN && <p>{say('And {number} more.', { number: proposals.length - SHOWN })}</p>}
      {unobserved.map(({ quantity, seconds }) => (
        <p key={quantity} class="soft">
          {UNOBSERVED[quantity]?.(spanWords(seconds)) ??
            say('{quantity} was not observed for {length} of this time: nothing is known of it.', {
              quantity: quantityWord(quantity),
              length: spanWords(seconds),
            })}
        </p>
      ))}
      {mayOperate.value && (
        <div class="row">
          {reasons.map((reason) => (
            <button key={reason} type="button" disabled={waits} onClick={() => void accept(reason)}>
              {excludeWords(reason, proposals.filter((each) => each.reason === reason).length)}
            </button>
          ))}
          <Said outcome={outcome} waiting="" />
        </div>
      )}
      <ExclusionRules unitId={unitId} zone={zone} again={lookAgain} />
    </section>
  );
}

const UNOBSERVED: Readonly<Record<string, (length: string) => string>> = {
  wind_speed: (length) =>
    say('The wind was not observed for {length} of this time: nothing is known of it.', { length }),
  gust: (length) => say('Gusts were not observed for {length} of this time: nothing is known of them.', { length }),
  rain: (length) => say('Rain was not observed for {length} of this time: nothing is known of it.', { length }),
};

function excludeWords(reason: schemas.NoteProposal['reason'], count: number): string {
  if (reason === 'wind')
    return say('Exclude one time because of wind|Exclude {count} times because of wind', { count });
  if (reason === 'rain')
    return say('Exclude one time because of rain|Exclude {count} times because of rain', { count });
  return say('Exclude one time: {reason}|Exclude {count} times: {reason}', { count, reason: reasonWord(reason) });
}

type Rule = schemas.ObservationRule;

function ExclusionRules({ unitId, zone, again }: { readonly unitId: string; readonly zone: string; again(): void }) {
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
function wordsOf({ quantity, above, below, before_s, after_s, min_s }: Rule): string {
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

interface Draft extends Omit<Rule, 'above' | 'below'> {
  readonly side: 'above' | 'below';
  readonly above: number | null;
  readonly below: number | null;
}

const NEW: Draft = {
  quantity: 'wind_speed',
  side: 'above',
  above: null,
  below: null,
  before_s: 0,
  after_s: 0,
  min_s: 0,
  reason: 'wind',
};

interface RulesFormProps {
  readonly unitId: string;
  readonly present: readonly Rule[];
  readonly isAuto: boolean;
  readonly use: FormUse;
  put(answer: schemas.ReplaceExclusionRulesAnswer['data']): void;
}

/** For operators of the meter. */
function RulesForm({ unitId, present, isAuto, use, put }: RulesFormProps) {
  const [values, set] = useValues<{ readonly rules: readonly Draft[] }>(() => ({
    rules: present.map((rule) => ({ ...rule, side: rule.above === null ? 'below' : 'above' })),
  }));
  const save = async () => {
    // An empty limit is sent as null, and the gateway says that a limit is needed.
    const rules = values.rules.map(({ side, above, below, ...rest }) =>
      side === 'above' ? { ...rest, above } : { ...rest, below },
    );
    const { data, message } = await client.value.replaceExclusionRules(unitId, { rules, auto_exclude: isAuto });
    put(data);
    return message;
  };
  return (
    <SchemaForm
      title={say('Change the rules of this meter')}
      button={say('Save these rules')}
      use={use}
      parts={[
        {
          name: 'rules',
          rows: {
            of: (draft: Draft, index) => ({
              legend: say('Rule {number}', { number: index + 1 }),
              remove: say('Remove rule {number}', { number: index + 1 }),
              parts: ruleParts(draft),
            }),
            add: say('Another rule'),
            fresh: () => NEW,
          },
        },
      ]}
      values={values}
      set={set}
      save={save}
    >
      <p class="soft small">
        {say('A value that is exactly the limit does not count. Your standard or permit may ask for other limits.')}
      </p>
    </SchemaForm>
  );
}

function ruleParts({ quantity, side }: Draft): PartsOf<Draft> {
  const unit = unitOf(quantity);
  const seconds = { type: 'number', step: '1', required: true } as const;
  return [
    {
      name: 'quantity',
      label: say('What is observed'),
      choices: QUANTITIES.map((each) => [each, quantityWord(each)] as const),
    },
    {
      name: 'side',
      label: say('Excluded where it is'),
      choices: [
        ['above', say('above ## a limit')],
        ['below', say('below ## a limit')],
      ],
    },
    {
      name: side,
      type: 'number',
      label: unit === '' ? say('Limit') : say('Limit, {unit}', { unit }),
      empty: null,
    },
    { name: 'reason', label: say('Reason'), choices: reasonChoices() },
    { name: 'before_s', label: say('Also before it, s'), ...seconds },
    { name: 'after_s', label: say('Also after it, s'), ...seconds },
    { name: 'min_s', label: say('Only times of at least, s'), ...seconds },
  ];
}

type Observed = Rule['quantity'];

const NAMES: Readonly<Record<Observed, readonly [word: () => string, unit: string]>> = {
  wind_speed: [() => say('Wind'), 'm/s'],
  wind_direction: [() => say('Wind direction'), '°'],
  gust: [() => say('Gusts'), 'm/s'],
  rain: [() => say('Rain'), 'mm'],
  temperature: [() => say('Temperature'), '°C'],
  humidity: [() => say('Humidity'), '%'],
  pressure: [() => say('Air pressure'), 'hPa'],
  traffic: [() => say('Vehicles'), ''],
  train: [() => say('Trains'), ''],
};

const isNamed = (quantity: string): quantity is Observed => Object.hasOwn(NAMES, quantity);

const QUANTITIES: readonly Observed[] = Object.keys(NAMES).filter(isNamed);
const quantityWord = (quantity: string): string => (isNamed(quantity) ? NAMES[quantity][0]() : quantity);
const unitOf = (quantity: string): string => (isNamed(quantity) ? NAMES[quantity][1] : '');

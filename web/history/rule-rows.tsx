/** A form of rules, one row each: by such a rule observations exclude levels. A refused value has its message at the field. */
import { useState } from 'preact/hooks';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { type Reason, reasonChoices } from '../ui/note-reasons.ts';
import { type Problems, Wrong } from '../ui/wrong.tsx';
import { say } from '../words/say.ts';
import { QUANTITIES, quantityWord, unitOf } from './quantity-words.ts';

type Rule = schemas.ObservationRule;

/** A rule as a person writes it: numbers are text until they are sent. */
interface Draft {
  readonly quantity: Rule['quantity'];
  readonly side: 'above' | 'below';
  readonly limit: string;
  readonly before: string;
  readonly after: string;
  readonly shortest: string;
  readonly reason: Reason;
}

const NEW: Draft = {
  quantity: 'wind_speed',
  side: 'above',
  limit: '',
  before: '0',
  after: '0',
  shortest: '0',
  reason: 'wind',
} as const;

const draftOf = ({ quantity, above, below, before_s, after_s, min_s, reason }: Rule): Draft => ({
  quantity,
  side: above === null ? 'below' : 'above',
  limit: String(above ?? below ?? ''),
  before: String(before_s),
  after: String(after_s),
  shortest: String(min_s),
  reason,
});

/** An empty limit is sent as null, and the gateway says that a limit is needed. */
const ruleOf = ({ quantity, side, limit, before, after, shortest, reason }: Draft) => ({
  quantity,
  [side]: limit.trim() === '' ? null : Number(limit),
  reason,
  before_s: Number(before),
  after_s: Number(after),
  min_s: Number(shortest),
});

interface Props {
  readonly unitId: string;
  readonly present: readonly Rule[];
  readonly isAuto: boolean;
  readonly use: FormUse;
  put(answer: schemas.ReplaceExclusionRulesAnswer['data']): void;
}

/** For operators of the meter. */
export function RulesForm({ unitId, present, isAuto, use, put }: Props) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => present.map(draftOf));
  const [problems, setProblems] = useState<Problems>([]);
  const save = async () => {
    setProblems([]);
    try {
      const body = { rules: drafts.map(ruleOf), auto_exclude: isAuto };
      const { data, message } = await client.value.replaceExclusionRules(unitId, body);
      put(data);
      return message;
    } catch (error) {
      if (error instanceof GatewayProblem) setProblems(error.errors);
      throw error;
    }
  };
  // Of another number of rules the refused ones have other numbers.
  const resize = (next: readonly Draft[]) => {
    setProblems([]);
    setDrafts(next);
  };
  return (
    <EntryForm title={say('Change the rules of this meter')} button={say('Save these rules')} use={use} save={save}>
      <p class="soft small">
        {say('A value that is exactly the limit does not count. Your standard or permit may ask for other limits.')}
      </p>
      {drafts.map((draft, index) => (
        <RuleRow
          key={index}
          number={index + 1}
          value={draft}
          problems={problems.filter(({ path }) => `${path}/`.startsWith(`/rules/${index}/`))}
          change={(next) => setDrafts(drafts.with(index, next))}
          remove={() => resize(drafts.toSpliced(index, 1))}
        />
      ))}
      <Wrong problems={problems} at="/rules" exact />
      <div class="row">
        <button type="button" onClick={() => resize([...drafts, NEW])}>
          {say('Another rule')}
        </button>
      </div>
    </EntryForm>
  );
}

interface RowProps {
  /** 1, 2, 3 ... */
  readonly number: number;
  readonly value: Draft;
  readonly problems: Problems;
  change(value: Draft): void;
  remove(): void;
}

function RuleRow({ number, value, problems, change, remove }: RowProps) {
  const at = `/rules/${number - 1}`;
  const unit = unitOf(value.quantity);
  const seconds = { type: 'number', step: '1', required: true } as const;
  return (
    <fieldset class="stack">
      <legend>{say('Rule {number}', { number })}</legend>
      <div class="fields">
        <Choice
          label={say('What is observed')}
          value={value.quantity}
          choices={QUANTITIES.map((quantity) => [quantity, quantityWord(quantity)] as const)}
          change={(quantity) => change({ ...value, quantity })}
        />
        <Choice
          label={say('Excluded where it is')}
          value={value.side}
          choices={[
            ['above', say('above ## a limit')],
            ['below', say('below ## a limit')],
          ]}
          change={(side) => change({ ...value, side })}
        />
        <div class="stack">
          <Field
            label={unit === '' ? say('Limit') : say('Limit, {unit}', { unit })}
            type="number"
            step="any"
            value={value.limit}
            change={(limit) => change({ ...value, limit })}
          />
          <Wrong problems={problems} at={at} exact />
          <Wrong problems={problems} at={`${at}/${value.side}`} />
        </div>
        <Choice
          label={say('Reason')}
          value={value.reason}
          choices={reasonChoices()}
          change={(reason) => change({ ...value, reason })}
        />
        <div class="stack">
          <Field
            label={say('Also before it, s')}
            {...seconds}
            value={value.before}
            change={(before) => change({ ...value, before })}
          />
          <Wrong problems={problems} at={`${at}/before_s`} />
        </div>
        <div class="stack">
          <Field
            label={say('Also after it, s')}
            {...seconds}
            value={value.after}
            change={(after) => change({ ...value, after })}
          />
          <Wrong problems={problems} at={`${at}/after_s`} />
        </div>
        <div class="stack">
          <Field
            label={say('Only times of at least, s')}
            {...seconds}
            value={value.shortest}
            change={(shortest) => change({ ...value, shortest })}
          />
          <Wrong problems={problems} at={`${at}/min_s`} />
        </div>
        <button type="button" onClick={remove}>
          {say('Remove rule {number}', { number })}
        </button>
      </div>
    </fieldset>
  );
}

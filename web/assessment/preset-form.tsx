/** A preset of people: a copy of another preset, or a change of this one. Fields that the form does not show do not change. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { type Problems, Wrong } from '../ui/action.tsx';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { say, sayOfApi } from '../words/say.ts';

interface Props {
  readonly preset: schemas.AssessmentPreset;
  /** Under a name that the form asks for. */
  readonly isCopy: boolean;
  readonly use: FormUse;
  /** With the name under which it is kept. */
  kept(name: string): void;
}

/** For admins. A refused value has its message at the field. */
export function PresetForm({ preset, isCopy, use, kept }: Props) {
  const { name: from, built_in: _, own: __, status: ___, advice: ____, ...body } = preset;
  const [draft, setDraft] = useState({ ...body, confirmed_by: isCopy ? null : body.confirmed_by });
  const [name, setName] = useState(isCopy ? '' : from);
  const [problems, setProblems] = useState<Problems>([]);
  const change = (more: Partial<typeof draft>) => setDraft({ ...draft, ...more });
  const save = async () => {
    setProblems([]);
    try {
      const { message } = await client.value.savePreset(name.trim(), draft);
      kept(name.trim());
      return message;
    } catch (error) {
      if (error instanceof GatewayProblem) setProblems(error.errors);
      throw error;
    }
  };
  return (
    <EntryForm
      title={
        isCopy
          ? say('A copy of {name}', { name: sayOfApi(preset.title) })
          : say('Change {name}', { name: sayOfApi(preset.title) })
      }
      button={say('Save this preset')}
      use={use}
      save={save}
    >
      <div class="fields">
        {isCopy && (
          <Field
            label={say('Name of the preset')}
            required
            hint={say('our-permit ## example of a name')}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            value={name}
            change={setName}
          />
        )}
        <Field label={say('Title')} required value={draft.title} change={(title) => change({ title })} />
        <Field label={say('Source of the numbers')} value={draft.source} change={(source) => change({ source })} />
        <Field
          label={say('Compared with the text by')}
          value={draft.confirmed_by ?? ''}
          change={(text) => change({ confirmed_by: text.trim() === '' ? null : text })}
        />
        <Field
          label={say('Share that must be measured, %')}
          type="number"
          min={10}
          max={100}
          value={String(Math.round(draft.min_coverage * 100))}
          change={(text) => change({ min_coverage: Number(text) / 100 })}
        />
        <Choice
          label={say('Compared with ## levels with limits')}
          value={String(draft.decimals)}
          choices={[
            ['0', say('whole decibels')],
            ['1', say('one decimal')],
          ]}
          change={(text) => change({ decimals: text === '0' ? 0 : 1 })}
        />
      </div>
      {['/title', '/source', '/confirmed_by', '/min_coverage'].map((path) => (
        <Wrong key={path} problems={problems} at={path} />
      ))}
      <PeriodRows value={draft.periods} problems={problems} change={(periods) => change({ periods })} />
      <FigureRows
        value={draft.figures}
        periods={draft.periods.map((period) => period.name)}
        problems={problems}
        change={(figures) => change({ figures })}
      />
      <AreaRows value={draft.areas} problems={problems} change={(areas) => change({ areas })} />
    </EntryForm>
  );
}

type Preset = schemas.AssessmentPreset;
/** Days of the week, and holidays. */
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun', 'holiday'] as const;
const DAY_WORDS: Readonly<Record<(typeof DAYS)[number], () => string>> = {
  mon: () => say('mon'),
  tue: () => say('tue'),
  wed: () => say('wed'),
  thu: () => say('thu'),
  fri: () => say('fri'),
  sat: () => say('sat'),
  sun: () => say('sun'),
  holiday: () => say('holiday'),
};
const windows = (): readonly (readonly [seconds: string, words: string])[] => [
  ['', say('the whole period')],
  ['300', say('the worst 5 min')],
  ['900', say('the worst quarter of an hour')],
  ['1800', say('the worst half hour')],
  ['3600', say('the worst hour')],
];

interface RowsProps<List> {
  readonly value: List;
  readonly problems: Problems;
  change(value: List): void;
}

/** Each period with its times. */
function PeriodRows({ value, problems, change }: RowsProps<Preset['periods']>) {
  return (
    <fieldset class="stack">
      <legend>{say('Periods of the day')}</legend>
      <Wrong problems={problems} at="/periods" exact />
      {value.map((period, index) => (
        <div key={index} class="stack">
          <div class="row">
            <Field
              label={say('Name of period {number}', { number: index + 1 })}
              required
              value={period.name}
              change={(name) => change(value.with(index, { ...period, name }))}
            />
            <button
              type="button"
              onClick={() =>
                change(
                  value.with(index, { ...period, times: [...period.times, { days: [...DAYS], from: '', to: '' }] }),
                )
              }
            >
              {say('Another time of {name}', { name: period.name })}
            </button>
            <button type="button" onClick={() => change(value.toSpliced(index, 1))}>
              {say('Remove {name}', { name: period.name })}
            </button>
          </div>
          <Wrong problems={problems} at={`/periods/${index}/name`} />
          {period.times.map((time, at) => (
            <TimeRow
              key={at}
              label={`${period.name} ${at + 1}`}
              removing={say('Remove the time {name}', { name: `${period.name} ${at + 1}` })}
              value={time}
              change={(next) => change(value.with(index, { ...period, times: period.times.with(at, next) }))}
              remove={() => change(value.with(index, { ...period, times: period.times.toSpliced(at, 1) }))}
            >
              <Wrong problems={problems} at={`/periods/${index}/times/${at}`} />
            </TimeRow>
          ))}
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => change([...value, { name: '', times: [] }])}>
          {say('Another period')}
        </button>
      </div>
    </fieldset>
  );
}

type Time = Preset['periods'][number]['times'][number];
interface TimeProps {
  readonly label: string;
  /** Of the button that removes it. */
  readonly removing: string;
  readonly value: Time;
  readonly children: ComponentChildren;
  change(value: Time): void;
  remove(): void;
}

/** A time of the day on some days. */
export function TimeRow({ label, value, change, remove, removing, children }: TimeProps) {
  return (
    <div class="stack">
      <div class="fields">
        <Field
          label={say('{time}: from', { time: label })}
          required
          hint="07:00"
          value={value.from}
          change={(from) => change({ ...value, from })}
        />
        <Field
          label={say('{time}: to', { time: label })}
          required
          hint="19:00"
          value={value.to}
          change={(to) => change({ ...value, to })}
        />
        <Checks
          label={say('{time}: on', { time: label })}
          chosen={value.days}
          choices={DAYS.map((day) => [day, DAY_WORDS[day]()] as const)}
          change={(days) => change({ ...value, days })}
        />
        <button type="button" onClick={remove}>
          {removing}
        </button>
      </div>
      {children}
    </div>
  );
}

/** Each number that is formed. The weights of an index stay as they are. */
function FigureRows({
  value,
  periods,
  problems,
  change,
}: RowsProps<Preset['figures']> & { readonly periods: readonly string[] }) {
  return (
    <fieldset class="stack">
      <legend>{say('Figures')}</legend>
      <Wrong problems={problems} at="/figures" exact />
      {value.map((figure, index) => {
        const put = (more: Partial<typeof figure>) => change(value.with(index, { ...figure, ...more }));
        return (
          <div key={index} class="stack">
            <div class="fields">
              <Field
                label={say('Name of figure {number}', { number: index + 1 })}
                required
                value={figure.name}
                change={(name) => put({ name })}
              />
              {figure.period === null ? (
                <p class="soft">{say('An index of all periods')}</p>
              ) : (
                <>
                  <Choice
                    label={say('Of ## a period of the day')}
                    value={figure.period}
                    choices={periods}
                    change={(period) => put({ period })}
                  />
                  <Field
                    label={say('Level: leq, or N of LN')}
                    required
                    pattern="leq|[1-9][0-9]?"
                    value={String(figure.quantity)}
                    change={(text) => put({ quantity: text === 'leq' || !(Number(text) > 0) ? 'leq' : Number(text) })}
                  />
                  <Choice
                    label={say('Over ## a length of time')}
                    value={figure.window_s === null ? '' : String(figure.window_s)}
                    choices={windows()}
                    change={(text) => put({ window_s: text === '' ? null : Number(text) })}
                  />
                </>
              )}
              <button type="button" onClick={() => change(value.toSpliced(index, 1))}>
                {say('Remove the figure {name}', { name: figure.name })}
              </button>
            </div>
            <Wrong problems={problems} at={`/figures/${index}`} />
          </div>
        );
      })}
      <div class="row">
        <button
          type="button"
          onClick={() => change([...value, { name: '', period: periods[0] ?? '', quantity: 'leq', window_s: null }])}
        >
          {say('Another figure')}
        </button>
      </div>
    </fieldset>
  );
}

/** Each kind of area with its limits. */
function AreaRows({ value, problems, change }: RowsProps<Preset['areas']>) {
  return (
    <fieldset class="stack">
      <legend>{say('Areas and their limits')}</legend>
      <Wrong problems={problems} at="/areas" exact />
      {value.map((area, index) => (
        <div key={index} class="stack">
          <div class="fields">
            <Field
              label={say('Name of area {number}', { number: index + 1 })}
              required
              value={area.name}
              change={(name) => change(value.with(index, { ...area, name }))}
            />
            <Field
              label={say('Title of area {number}', { number: index + 1 })}
              value={area.title}
              change={(title) => change(value.with(index, { ...area, title }))}
            />
            <LimitsField
              label={say('Limits of area {number}, dB', { number: index + 1 })}
              value={area.limits}
              change={(limits) => change(value.with(index, { ...area, limits }))}
            />
            <button type="button" onClick={() => change(value.toSpliced(index, 1))}>
              {say('Remove the area {name}', { name: area.name })}
            </button>
          </div>
          <Wrong problems={problems} at={`/areas/${index}`} />
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => change([...value, { name: '', title: '', limits: {} }])}>
          {say('Another area')}
        </button>
      </div>
    </fieldset>
  );
}

interface LimitsProps {
  readonly label: string;
  readonly value: Preset['areas'][number]['limits'];
  change(value: Preset['areas'][number]['limits']): void;
}

/** `day:55, night:40`. */
function LimitsField({ label, value, change }: LimitsProps) {
  return (
    <label class="field">
      {label}
      <input
        defaultValue={textOfLimits(value)}
        placeholder="day:55, night:40"
        pattern="\s*([^:,]+:\s*-?[0-9.]+\s*(,\s*|$))*"
        onInput={({ currentTarget }) => change(limitsOf(currentTarget.value))}
      />
    </label>
  );
}

/** dB by figure. */
const limitsOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split(',').flatMap((part) => {
      const [name = '', number = ''] = part.split(':').map((each) => each.trim());
      return name === '' || number === '' || Number.isNaN(Number(number)) ? [] : [[name, Number(number)]];
    }),
  );

/** The same as a text. */
const textOfLimits = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([name, level]) => `${name}:${level}`)
    .join(', ');

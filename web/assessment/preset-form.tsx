/** A preset of people: a copy of another preset, or a change of this one. Fields that the form does not show do not change. */
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { type FormRows, NUMBERS, NUMBERS_BY_NAME, namePart, type PartsOf } from '../ui/form-parts.ts';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { say, sayOfApi } from '../words/say.ts';

interface Props {
  readonly preset: schemas.AssessmentPreset;
  /** Under a name that the form asks for. */
  readonly isCopy: boolean;
  readonly use: FormUse;
  /** With the name under which it is kept. */
  kept(name: string): void;
}

export function PresetForm({ preset, isCopy, use, kept }: Props) {
  const { name: from, built_in: _, own: __, status: ___, advice: ____, ...body } = preset;
  const [values, set] = useValues({
    ...body,
    name: isCopy ? '' : from,
    confirmed_by: isCopy ? null : body.confirmed_by,
  });
  const save = async () => {
    const { name, ...draft } = values;
    const answer = await client.value.savePreset(name, draft);
    kept(name);
    return answer;
  };
  const parts: PartsOf<typeof values> = [
    isCopy && namePart(say('Name of the preset'), say('our-permit ## example of a name')),
    { name: 'title', label: say('Title'), required: true },
    { name: 'source', label: say('Source of the numbers') },
    { name: 'confirmed_by', label: say('Compared with the text by'), empty: null },
    {
      name: 'min_coverage',
      type: 'number',
      label: say('Share that must be measured, %'),
      written: {
        print: (share: number) => String(Math.round(share * 100)),
        parse: (text) => Number(text) / 100,
      },
    },
    {
      name: 'decimals',
      label: say('Compared with ## levels with limits'),
      choices: [
        ['0', say('whole decibels')],
        ['1', say('one decimal')],
      ],
      written: NUMBERS,
    },
    { name: 'periods', label: say('Periods of the day'), rows: periodRows() },
    { name: 'figures', label: say('Figures'), rows: figureRows(values.periods.map(({ name }) => name)) },
    { name: 'areas', label: say('Areas and their limits'), rows: areaRows() },
  ];
  const title = sayOfApi(preset.title);
  return (
    <SchemaForm
      title={isCopy ? say('A copy of {name}', { name: title }) : say('Change {name}', { name: title })}
      button={say('Save this preset')}
      use={use}
      parts={parts}
      values={values}
      set={set}
      save={save}
    />
  );
}

type Preset = schemas.AssessmentPreset;
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

type Period = Preset['periods'][number];
type Time = Period['times'][number];

const periodRows = (): FormRows => ({
  of: ({ name }: Period, index) => ({
    remove: say('Remove {name}', { name }),
    parts: [
      { name: 'name', label: say('Name of period {number}', { number: index + 1 }), required: true },
      {
        name: 'times',
        rows: {
          of: (_: Time, at) => ({
            remove: say('Remove the time {name}', { name: `${name} ${at + 1}` }),
            parts: timeParts(`${name} ${at + 1}`),
          }),
          add: say('Another time of {name}', { name }),
          fresh: () => ({ days: [...DAYS], from: '', to: '' }),
        },
      },
    ],
  }),
  add: say('Another period'),
  fresh: () => ({ name: '', times: [] }),
});

export const timeParts = (time: string): PartsOf<Time> => [
  { name: 'from', label: say('{time}: from', { time }), required: true, hint: '07:00' },
  { name: 'to', label: say('{time}: to', { time }), required: true, hint: '19:00' },
  {
    name: 'days',
    type: 'checks',
    isWide: false,
    label: say('{time}: on', { time }),
    choices: DAYS.map((day) => [day, DAY_WORDS[day]()] as const),
  },
];

type Figure = Preset['figures'][number];

/** Each number that is formed. The weights of an index stay as they are. */
const figureRows = (periods: readonly string[]): FormRows => ({
  of: ({ name, period }: Figure, index) => ({
    remove: say('Remove the figure {name}', { name }),
    parts: [
      { name: 'name', label: say('Name of figure {number}', { number: index + 1 }), required: true },
      ...(period === null ? indexParts() : ofPeriodParts(periods)),
    ],
  }),
  add: say('Another figure'),
  fresh: () => ({ name: '', period: periods[0] ?? '', quantity: 'leq', window_s: null }),
});

const indexParts = (): PartsOf<Figure> => [
  { name: 'period', draw: <p class="soft">{say('An index of all periods')}</p> },
];

const ofPeriodParts = (periods: readonly string[]): PartsOf<Figure> => [
  {
    name: 'period',
    label: say('Of ## a period of the day'),
    choices: periods.map((name) => [name, name] as const),
  },
  {
    name: 'quantity',
    label: say('Level: leq, or N of LN'),
    required: true,
    pattern: 'leq|[1-9][0-9]?',
    written: { print: String, parse: (text) => (Number(text) > 0 ? Number(text) : 'leq') },
  },
  {
    name: 'window_s',
    label: say('Over ## a length of time'),
    choices: windows(),
    written: {
      print: (seconds: number | null) => String(seconds ?? ''),
      parse: (text) => (text === '' ? null : Number(text)),
    },
  },
];

const areaRows = (): FormRows => ({
  of: ({ name }: Preset['areas'][number], index) => ({
    remove: say('Remove the area {name}', { name }),
    parts: [
      { name: 'name', label: say('Name of area {number}', { number: index + 1 }), required: true },
      { name: 'title', label: say('Title of area {number}', { number: index + 1 }) },
      {
        name: 'limits',
        label: say('Limits of area {number}, dB', { number: index + 1 }),
        hint: 'day:55, night:40',
        pattern: String.raw`\s*([^:,]+:\s*-?[0-9.]+\s*(,\s*|$))*`,
        written: NUMBERS_BY_NAME,
      },
    ],
  }),
  add: say('Another area'),
  fresh: () => ({ name: '', title: '', limits: {} }),
});

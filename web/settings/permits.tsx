/** Permits: the limits of each site, the person who answers for it, and rules that warn in time. */
import type { schemas } from '../../client/index.ts';
import { DAYS, timeParts } from '../assessment/preset-form.tsx';
import { inputsOf } from '../assessment/preset-inputs.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { search } from '../state/address.ts';
import { titleOf } from '../state/fleet.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { ActionButton } from '../ui/action.tsx';
import { Card, Name } from '../ui/card.tsx';
import { Entry } from '../ui/entry.tsx';
import { NUMBERS_BY_NAME, namePart, type PartsOf } from '../ui/form-parts.ts';
import { type Chosen, metersPart, unitsOrTag } from '../ui/rights.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { listOf, say } from '../words/say.ts';

export function PermitList() {
  const { found, again } = useFound(async () => {
    const [permits, presets, calendars, targets] = await Promise.all([
      client.value.permits(),
      client.value.assessmentPresets(),
      client.value.calendars(),
      unlessAbsent(client.value.alertTargets(), []),
    ]);
    return { permits, known: { presets: presets.filter(({ areas }) => areas.length > 0), calendars, targets } };
  }, []);
  if (!found) return null;
  const { permits, known } = found;
  return (
    <Card
      id="permits"
      title={say('Permits')}
      about={say(
        'A permit has the limits of a site. With a permit each day of its meters has a verdict, the same on all pages.',
      )}
    >
      {permits.length === 0 && <p class="soft">{say('There are none yet: days have levels and no verdict.')}</p>}
      <ul class="configs">
        {permits.map((permit) => (
          <li key={permit.name}>
            <Entry
              name={permit.title}
              mayChange={mayAdministerAll.value}
              form={(use) => <PermitForm known={known} present={permit} use={use} />}
              remove={() => client.value.removePermit(permit.name)}
              onChange={again}
            >
              <PermitWords permit={permit} />
            </Entry>
            {mayAdministerAll.value && <MakeRules permit={permit} />}
          </li>
        ))}
      </ul>
      {mayAdministerAll.value && <PermitForm known={known} use={{ saved: again, isOpen: search.value.has('unit') }} />}
    </Card>
  );
}

function PermitWords({ permit }: { readonly permit: schemas.Permit }) {
  const { title, units, tag, preset, area, limits = [], responsible, valid_from, valid_until } = permit;
  const whose = tag === undefined ? listOf((units ?? []).map(titleOf)) : say('all with the tag {tag}', { tag });
  const what = preset === undefined ? say('{count} limit|{count} limits', { count: limits.length }) : preset;
  const facts = [whose, area === undefined ? what : `${what}, ${area}`, responsible, datesOf(valid_from, valid_until)];
  return (
    <>
      <Name>{title}</Name>
      <div class="soft small">
        <bdi>{facts.filter((fact) => fact !== '').join(' · ')}</bdi>
      </div>
    </>
  );
}

const datesOf = (from = '', until = ''): string =>
  from === '' && until === '' ? '' : say('{from} to {to}', { from: from || '…', to: until || '…' });

/** A limit without a warning level of its own warns so many dB below. */
const MARGIN_DB = 3;

/** One rule for each limit: it warns at the amber level and is critical above the limit. */
function MakeRules({ permit: { name, title } }: { readonly permit: schemas.Permit }) {
  const make = async () => {
    const { rules, left_out } = await client.value.permitRules(name, MARGIN_DB);
    const made = rules.length > 0 ? (await client.value.addPermitRules(rules)).message : '';
    const others = left_out.map(({ figure, reason }) => `${say('No rule for {figure}.', { figure })} ${reason}`);
    return [made, ...others].join(' ');
  };
  return (
    <div class="row">
      <ActionButton work={make} hidden={title}>
        {say('Make the rules')}
      </ActionButton>
    </div>
  );
}

interface Known {
  /** With limits. */
  readonly presets: readonly schemas.AssessmentPreset[];
  readonly calendars: readonly schemas.HolidayCalendar[];
  readonly targets: readonly schemas.AlertTarget[];
}

interface Limit extends schemas.PermitLimit {
  readonly isOverBackground: boolean;
}

const NEW_LIMIT: Limit = {
  index: 'leq',
  window: '15m',
  from: '07:00',
  to: '20:00',
  days: DAYS,
  isOverBackground: false,
};

const bodyOfLimit = ({ isOverBackground, limit_db, over_background_db, ...rest }: Limit) => ({
  ...rest,
  ...(isOverBackground && over_background_db !== undefined && { over_background_db }),
  ...(!isOverBackground && limit_db !== undefined && { limit_db }),
});

type Body = schemas.ReplacePermitBody;
type Addition = NonNullable<Body['additions']>['tonal'];

/** `3`, or `day:3, night:0`. */
const ADDITION = {
  print: (value: Addition) => (typeof value === 'object' ? NUMBERS_BY_NAME.print(value) : String(value ?? '')),
  parse: (text: string) => {
    if (text.trim() === '') return undefined;
    return text.includes(':') ? NUMBERS_BY_NAME.parse(text) : Number(text);
  },
};

interface PermitValues extends Required<Omit<Body, 'units' | 'tag' | 'limits'>>, Chosen {
  readonly limits: readonly Limit[];
}

/** A new permit is about the meter of the address. */
function firstOf(present: schemas.Permit | undefined): PermitValues {
  const unit = search.value.get('unit');
  return {
    name: '',
    title: '',
    preset: '',
    area: '',
    additions: {},
    calendar: '',
    valid_from: '',
    valid_until: '',
    responsible: '',
    targets: [],
    ...present,
    tags: present?.tag === undefined ? null : [present.tag],
    units: present ? (present.units ?? []) : unit ? [unit] : [],
    limits: present?.limits?.map((limit) => ({
      ...limit,
      isOverBackground: limit.over_background_db !== undefined,
    })) ?? [NEW_LIMIT],
  };
}

function permitBody({ units, tags, limits, ...values }: PermitValues): Body {
  const { title, responsible, targets, preset, additions, area, calendar, valid_from, valid_until } = values;
  const judged = preset === '' ? { limits: limits.map(bodyOfLimit) } : { preset, additions, ...(area && { area }) };
  return {
    title,
    responsible,
    targets,
    ...unitsOrTag({ units, tags }),
    ...judged,
    ...(calendar && { calendar }),
    ...(valid_from && { valid_from }),
    ...(valid_until && { valid_until }),
  };
}

interface FormProps {
  readonly known: Known;
  readonly present?: schemas.Permit;
  readonly use: FormUse;
}

function PermitForm({ known, present, use }: FormProps) {
  const [values, set] = useValues(() => firstOf(present));
  const { name, preset } = values;
  const idPart = namePart(say('Id of the permit'), 'depot', say('Letters, digits, -, _ and ., up to 64'));
  const parts: PartsOf<PermitValues> = [
    !present && idPart,
    { name: 'title', label: say('Title'), required: true },
    { name: 'responsible', label: say('Person who answers for it') },
    { name: 'valid_from', type: 'date', label: say('Valid from') },
    { name: 'valid_until', type: 'date', label: say('Valid until') },
    {
      name: 'calendar',
      label: say('Holidays by'),
      choices: [
        ['', say('none: no day is a holiday')],
        ...known.calendars.map((each) => [each.name, each.name] as const),
      ],
    },
    metersPart(values, set),
    ...presetParts(known, preset, set),
    preset === '' && {
      name: 'limits',
      label: say('Limits'),
      rows: {
        of: limitRow,
        add: say('Another limit'),
        fresh: (last) => last ?? NEW_LIMIT,
      },
    },
    known.targets.length > 0 && {
      name: 'targets',
      type: 'checks',
      label: say('Its rules tell'),
      choices: known.targets.map(({ id, name: words }) => [id, words] as const),
    },
  ];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: present.title }) : say('A new permit')}
      button={say('Save this permit')}
      use={use}
      parts={parts}
      values={values}
      set={set}
      save={() => client.value.savePermit(name, permitBody(values))}
    />
  );
}

function presetParts(
  { presets }: Known,
  chosen: string,
  set: (more: Partial<PermitValues>) => void,
): PartsOf<PermitValues> {
  const preset = presets.find((each) => each.name === chosen);
  const areas = preset?.areas ?? [];
  const additions = preset ? inputsOf(preset) : [];
  return [
    {
      name: 'preset',
      label: say('Its limits'),
      choices: [['', say('limits of its own')], ...presets.map((each) => [each.name, each.title] as const)],
      put: (next) => set({ preset: String(next), area: '', additions: {} }),
    },
    areas.length > 1 && {
      name: 'area',
      label: say('Area'),
      choices: [['', say('none chosen')], ...areas.map((each) => [each.name, `${each.name}: ${each.title}`] as const)],
    },
    {
      name: 'additions',
      parts: additions.map(([name, label, hint]) => ({ name, label, hint, written: ADDITION })),
    },
  ];
}

const INDICES = [
  ['leq', 'LAeq'],
  ['lmax', 'LAFmax'],
  ...[1, 5, 10, 50, 90, 95].map((number) => [`l${number}`, `LA${number}`] as const),
] as const;

const windowChoices = (): readonly (readonly [Limit['window'], string])[] => [
  ['period', say('the whole period')],
  ['1m', say('the worst minute')],
  ['5m', say('the worst 5 min')],
  ['15m', say('the worst quarter of an hour')],
  ['30m', say('the worst half hour')],
  ['1h', say('the worst hour')],
];

function limitRow({ isOverBackground }: Limit, index: number) {
  const label = say('Limit {number}', { number: index + 1 });
  const named = (part: string) => `${label}: ${part}`;
  const parts: PartsOf<Limit> = [
    { name: 'index', label: named(say('Level')), choices: INDICES },
    { name: 'window', label: named(say('Over ## a length of time')), choices: windowChoices() },
    {
      name: 'isOverBackground',
      label: named(say('Compared with ## levels with limits')),
      choices: [
        ['level', say('a level')],
        ['background', say('the LA90 of the same time, and so many dB more')],
      ],
      written: { print: (isOver) => (isOver ? 'background' : 'level'), parse: (text) => text === 'background' },
    },
    {
      name: isOverBackground ? 'over_background_db' : 'limit_db',
      type: 'number',
      label: named(say('limit, dB')),
      required: true,
    },
    { name: 'amber_db', type: 'number', label: named(say('warning from, dB')) },
    ...timeParts(label),
  ];
  return { parts, remove: say('Remove {name}', { name: label }) };
}

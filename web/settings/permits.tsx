/** Permits: the limits of each site, the person who answers for it, and rules that warn in time. */
import { useState } from 'preact/hooks';
import { GatewayProblem, type schemas } from '../../client/index.ts';
import { DAYS, TimeRow } from '../assessment/preset-form.tsx';
import { inputsOf } from '../assessment/preset-inputs.ts';
import { client, mayAdministerAll } from '../state/access.ts';
import { search } from '../state/address.ts';
import { titleOf } from '../state/fleet.ts';
import { unlessAbsent, useFound } from '../state/found.ts';
import { type Problems, Said, useAction, Wrong } from '../ui/action.tsx';
import { Entry, EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { MetersField } from '../ui/rights.tsx';
import { listOf, say } from '../words/say.ts';

/** Changed by admins of all meters. */
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
    <section class="card" aria-labelledby="permits">
      <h2 id="permits">{say('Permits')}</h2>
      <p class="soft">
        {say(
          'A permit has the limits of a site. With a permit each day of its meters has a verdict, the same on all pages.',
        )}
      </p>
      {permits.length === 0 && <p class="soft">{say('There are none yet: days have levels and no verdict.')}</p>}
      {permits.length > 0 && (
        <ul class="configs">
          {permits.map((permit) => (
            <li key={permit.name}>
              <Entry
                name={permit.title}
                mayChange={mayAdministerAll.value}
                form={(use) => <PermitForm known={known} present={permit} use={use} />}
                remove={async () => (await client.value.removePermit(permit.name)).message}
                onChange={again}
              >
                <PermitWords permit={permit} />
              </Entry>
              {mayAdministerAll.value && <MakeRules permit={permit} />}
            </li>
          ))}
        </ul>
      )}
      {mayAdministerAll.value && <PermitForm known={known} use={{ saved: again, isOpen: search.value.has('unit') }} />}
    </section>
  );
}

function PermitWords({ permit }: { readonly permit: schemas.Permit }) {
  const { title, units, tag, preset, area, limits = [], responsible, valid_from, valid_until } = permit;
  const whose = tag === undefined ? listOf((units ?? []).map(titleOf)) : say('all with the tag {tag}', { tag });
  const what = preset === undefined ? say('{count} limit|{count} limits', { count: limits.length }) : preset;
  const facts = [whose, area === undefined ? what : `${what}, ${area}`, responsible, datesOf(valid_from, valid_until)];
  return (
    <>
      <strong>
        <bdi>{title}</bdi>
      </strong>
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
  const { outcome, run, waits } = useAction();
  const make = () =>
    run(async () => {
      const { rules, left_out } = await client.value.permitRules(name, MARGIN_DB);
      const made = rules.length > 0 ? (await client.value.addPermitRules(rules)).message : '';
      return [
        made,
        ...left_out.map(({ figure, reason }) => `${say('No rule for {figure}.', { figure })} ${reason}`),
      ].join(' ');
    });
  return (
    <div class="row">
      <button type="button" disabled={waits} onClick={() => void make()}>
        {say('Make the rules')} <span class="hidden-label">{title}</span>
      </button>
      <Said outcome={outcome} waiting="" />
    </div>
  );
}

interface Known {
  /** With limits. */
  readonly presets: readonly schemas.AssessmentPreset[];
  readonly calendars: readonly schemas.HolidayCalendar[];
  readonly targets: readonly schemas.AlertTarget[];
}

/** Numbers as a person writes them. */
interface Limit extends Pick<schemas.PermitLimit, 'index' | 'window' | 'from' | 'to' | 'days'> {
  readonly isOverBackground: boolean;
  readonly limit: string;
  readonly amber: string;
}

const NEW_LIMIT: Limit = {
  index: 'leq',
  window: '15m',
  from: '07:00',
  to: '20:00',
  days: DAYS,
  isOverBackground: false,
  limit: '',
  amber: '',
};

const textOf = (number: number | undefined): string => (number === undefined ? '' : String(number));
const limitOf = ({ limit_db, amber_db, over_background_db, ...rest }: schemas.PermitLimit): Limit => ({
  ...rest,
  isOverBackground: over_background_db !== undefined,
  limit: textOf(limit_db ?? over_background_db),
  amber: textOf(amber_db),
});
const bodyOfLimit = ({ isOverBackground, limit, amber, ...rest }: Limit): schemas.PermitLimit => ({
  ...rest,
  ...(limit !== '' && { [isOverBackground ? 'over_background_db' : 'limit_db']: Number(limit) }),
  ...(amber !== '' && { amber_db: Number(amber) }),
});

type Additions = NonNullable<schemas.Permit['additions']>;

/** `3`, or `day:3, night:0`. */
const textOfAddition = (value: Additions[keyof Additions]): string =>
  typeof value === 'object'
    ? Object.entries(value)
        .map(([period, number]) => `${period}:${number}`)
        .join(', ')
    : textOf(value);

/** A text that is neither is refused by the gateway with its path. */
const additionOf = (text: string): number | Record<string, number> =>
  text.includes(':')
    ? Object.fromEntries(
        text.split(',').map((part) => {
          const [period = '', number = ''] = part.split(':').map((each) => each.trim());
          return [period, Number(number)];
        }),
      )
    : Number(text);

function draftOf(present: schemas.Permit | undefined) {
  const unit = search.value.get('unit');
  return {
    title: present?.title ?? '',
    tag: present?.tag ?? '',
    units: present?.units ?? (unit && !present ? [unit] : []),
    preset: present?.preset ?? '',
    area: present?.area ?? '',
    additions: Object.fromEntries(
      Object.entries(present?.additions ?? {}).map(([name, value]) => [name, textOfAddition(value)]),
    ),
    limits: (present?.limits?.map(limitOf) ?? [NEW_LIMIT]) as readonly Limit[],
    calendar: present?.calendar ?? '',
    valid_from: present?.valid_from ?? '',
    valid_until: present?.valid_until ?? '',
    responsible: present?.responsible ?? '',
    targets: present?.targets ?? [],
  };
}
type Draft = ReturnType<typeof draftOf>;

/** Empty fields are left out. */
function bodyOf(draft: Draft): schemas.ReplacePermitBody {
  const { tag, units, preset, area, additions, limits, calendar, valid_from, valid_until, ...rest } = draft;
  const said = Object.entries(additions).filter(([, text]) => text.trim() !== '');
  return {
    ...rest,
    ...(tag === '' ? { units } : { tag }),
    ...(preset === ''
      ? { limits: limits.map(bodyOfLimit) }
      : { preset, additions: Object.fromEntries(said.map(([name, text]) => [name, additionOf(text)])) }),
    ...(preset !== '' && area !== '' && { area }),
    ...(calendar !== '' && { calendar }),
    ...(valid_from !== '' && { valid_from }),
    ...(valid_until !== '' && { valid_until }),
  };
}

interface FormProps {
  readonly known: Known;
  readonly present?: schemas.Permit;
  readonly use: FormUse;
}

/** A refused value has its message at the field. */
function PermitForm({ known, present, use }: FormProps) {
  const [name, setName] = useState(present?.name ?? '');
  const [draft, setDraft] = useState(() => draftOf(present));
  const [problems, setProblems] = useState<Problems>([]);
  const change = (more: Partial<Draft>) => setDraft({ ...draft, ...more });
  const save = async () => {
    setProblems([]);
    try {
      return (await client.value.savePermit(name.trim(), bodyOf(draft))).message;
    } catch (error) {
      if (error instanceof GatewayProblem) setProblems(error.errors);
      throw error;
    }
  };
  const calendars = known.calendars.map((calendar) => calendar.name);
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.title }) : say('A new permit')}
      button={say('Save this permit')}
      use={use}
      save={save}
    >
      <div class="fields">
        {!present && (
          <Field
            label={say('Id of the permit')}
            required
            hint="depot"
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            wrong={say('Letters, digits, -, _ and ., up to 64')}
            value={name}
            change={setName}
          />
        )}
        <Field label={say('Title')} required value={draft.title} change={(title) => change({ title })} />
        <Field
          label={say('Person who answers for it')}
          value={draft.responsible}
          change={(responsible) => change({ responsible })}
        />
        <Field
          label={say('Valid from')}
          type="date"
          value={draft.valid_from}
          change={(valid_from) => change({ valid_from })}
        />
        <Field
          label={say('Valid until')}
          type="date"
          value={draft.valid_until}
          change={(valid_until) => change({ valid_until })}
        />
        <Choice
          label={say('Holidays by')}
          value={draft.calendar}
          choices={[['', say('none: no day is a holiday')], ...calendars.map((each) => [each, each] as const)]}
          change={(calendar) => change({ calendar })}
        />
      </div>
      {['/title', '/valid_until', '/calendar'].map((path) => (
        <Wrong key={path} problems={problems} at={path} />
      ))}
      <div class="fields">
        <MetersField
          value={{ units: draft.units, tags: draft.tag === '' ? null : [draft.tag] }}
          change={({ units, tags }) => change({ units: units ?? [], tag: tags?.[0] ?? '' })}
          canBeAll={false}
        />
      </div>
      <Wrong problems={problems} at="/units" />
      <Wrong problems={problems} at="/tag" />
      <PresetFields draft={draft} presets={known.presets} problems={problems} change={change} />
      {draft.preset === '' && (
        <LimitRows value={draft.limits} problems={problems} change={(limits) => change({ limits })} />
      )}
      {known.targets.length > 0 && (
        <Checks
          label={say('Its rules tell')}
          chosen={draft.targets}
          choices={known.targets.map(({ id, name: words }) => [id, words] as const)}
          change={(targets) => change({ targets })}
        />
      )}
    </EntryForm>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly problems: Problems;
  change(more: Partial<Draft>): void;
}

/** The limits of a preset, with the values that a person gives. */
function PresetFields({ draft, presets, problems, change }: PartProps & Pick<Known, 'presets'>) {
  const preset = presets.find((each) => each.name === draft.preset);
  const areas = preset?.areas ?? [];
  return (
    <>
      <div class="fields">
        <Choice
          label={say('Its limits')}
          value={draft.preset}
          choices={[['', say('limits of its own')], ...presets.map((each) => [each.name, each.title] as const)]}
          change={(next) => change({ preset: next, area: '', additions: {} })}
        />
        {areas.length > 1 && (
          <Choice
            label={say('Area')}
            value={draft.area}
            choices={[
              ['', say('none chosen')],
              ...areas.map((each) => [each.name, `${each.name}: ${each.title}`] as const),
            ]}
            change={(area) => change({ area })}
          />
        )}
        {preset &&
          inputsOf(preset).map(([input, label, hint]) => (
            <Field
              key={input}
              label={label}
              hint={hint}
              value={draft.additions[input] ?? ''}
              change={(text) => change({ additions: { ...draft.additions, [input]: text } })}
            />
          ))}
      </div>
      {['/preset', '/area', '/additions'].map((path) => (
        <Wrong key={path} problems={problems} at={path} />
      ))}
    </>
  );
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

interface RowsProps {
  readonly value: readonly Limit[];
  readonly problems: Problems;
  change(value: readonly Limit[]): void;
}

function LimitRows({ value, problems, change }: RowsProps) {
  return (
    <fieldset class="stack">
      <legend>{say('Limits')}</legend>
      <Wrong problems={problems} at="/limits" exact />
      {value.map((limit, index) => (
        <LimitRow
          key={index}
          label={say('Limit {number}', { number: index + 1 })}
          value={limit}
          change={(next) => change(value.with(index, next))}
          remove={() => change(value.toSpliced(index, 1))}
        >
          <Wrong problems={problems} at={`/limits/${index}`} />
        </LimitRow>
      ))}
      <div class="row">
        <button type="button" onClick={() => change([...value, value.at(-1) ?? NEW_LIMIT])}>
          {say('Another limit')}
        </button>
      </div>
    </fieldset>
  );
}

interface RowProps extends Pick<Parameters<typeof TimeRow>[0], 'label' | 'remove' | 'children'> {
  readonly value: Limit;
  change(value: Limit): void;
}

function LimitRow({ label, value, change, remove, children }: RowProps) {
  const put = (more: Partial<Limit>) => change({ ...value, ...more });
  const named = (part: string) => `${label}: ${part}`;
  return (
    <div class="stack">
      <div class="fields">
        <Choice label={named(say('Level'))} value={value.index} choices={INDICES} change={(index) => put({ index })} />
        <Choice
          label={named(say('Over ## a length of time'))}
          value={value.window}
          choices={windowChoices()}
          change={(window) => put({ window })}
        />
        <Choice
          label={named(say('Compared with ## levels with limits'))}
          value={value.isOverBackground ? 'background' : 'level'}
          choices={[
            ['level', say('a level')],
            ['background', say('the LA90 of the same time, and so many dB more')],
          ]}
          change={(kind) => put({ isOverBackground: kind === 'background' })}
        />
        <Field
          label={named(say('limit, dB'))}
          type="number"
          step="0.1"
          required
          value={value.limit}
          change={(limit) => put({ limit })}
        />
        <Field
          label={named(say('warning from, dB'))}
          type="number"
          step="0.1"
          value={value.amber}
          change={(amber) => put({ amber })}
        />
      </div>
      <TimeRow
        label={label}
        value={value}
        removing={say('Remove {name}', { name: label })}
        change={(time) => put(time as Pick<Limit, 'from' | 'to' | 'days'>)}
        remove={remove}
      >
        {children}
      </TimeRow>
    </div>
  );
}

/** Was it within the permit? Each of the last days by a preset; a day opens down to what made it. */
import { useState } from 'preact/hooks';
import { firstMomentOf, type Query, type schemas, type Unit } from '../../client/index.ts';
import { dateOf, midnight } from '../days/calendar-days.ts';
import { type DayStatus, statusByPermit, statusWord } from '../days/day-status.ts';
import { client, mayAdminister } from '../state/access.ts';
import { go, isOfMain, meterPath, ofChannel, search, shownChannel } from '../state/address.ts';
import { now } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { csvFormat, decibels } from '../state/numbers.ts';
import { Failed } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { ChannelChoice } from '../ui/channel-choice.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Entry } from '../ui/entry.tsx';
import { Evidence } from '../ui/evidence.tsx';
import { Filters } from '../ui/schema-form.tsx';
import { language } from '../words/language.ts';
import { listOf, say, sayOfApi } from '../words/say.ts';
import { AssessedDay } from './assessed-day.tsx';
import { Holidays } from './holidays.tsx';
import { PresetForm } from './preset-form.tsx';
import { figureName, inputsOf, PRESET_INPUTS } from './preset-inputs.ts';
import { PresetRules } from './preset-rules.tsx';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** So many days up to today are shown, where the address has no others. */
const DAYS = 14;

export function AssessmentPage({ unit }: { readonly unit: Unit }) {
  const { unit_id, timezone } = unit;
  const query = queryOf(timezone);
  const asked = JSON.stringify(query);
  const { found: last, failure } = useFound(
    async (signal) => ({ asked, answer: await client.value.assessment(unit_id, query, signal) }),
    [unit_id, asked],
  );
  const isAsking = last?.asked !== asked && failure === undefined;
  // Levels of another channel are not shown as those of this one.
  const found = last?.answer.channel === shownChannel() ? last.answer : undefined;
  const { found: presets, again } = useFound(() => client.value.assessmentPresets(), []);
  const { found: notes = [] } = useFound(() => client.value.notes(unit_id, { kind: 'exclusion' }), [unit_id, found]);
  // Permits judge the main channel. A gateway without the plugin has no verdicts.
  const { found: judged } = useFound(
    async () =>
      found && isOfMain() ? client.value.verdicts(unit_id, datesOf(found)).catch(() => undefined) : undefined,
    [unit_id, found],
  );
  const verdicts = new Map(judged?.days.map((day) => [day.date, day]));
  const name = search.value.get('preset') ?? 'eu-lden';
  const preset = presets?.find((each) => each.name === name);
  const choose = (more: Readonly<Record<string, string>>) => {
    // Options of another preset are dropped.
    const kept = 'preset' in more ? { ...ofChannel(), ...daysOfAddress() } : Object.fromEntries(search.value);
    go(`${meterPath(unit_id, 'assessment')}?${new URLSearchParams({ ...kept, ...more })}`, { replace: true });
  };
  return (
    <>
      {presets && preset && <Choices presets={presets} preset={preset} choose={choose} />}
      <Filters
        parts={[
          { name: 'from', type: 'date', label: say('First day') },
          { name: 'to', type: 'date', label: say('Last day') },
        ]}
        values={{
          from: dateOf(Date.parse(query.from ?? ''), timezone),
          to: dateOf(Date.parse(query.to ?? ''), timezone),
        }}
        change={(name, day) => choose({ [name]: day })}
      />
      <ChannelChoice unitId={unit_id} part="assessment" />
      <Failed failure={failure} />
      {isAsking && <p class="soft">{say('The days are being assessed ...')}</p>}
      {found && !isAsking && failure === undefined && (
        <>
          <Days unit={unit} found={found} verdicts={verdicts} notes={notes} preset={preset} />
          <SavedRows unit={unit} query={query} />
        </>
      )}
      {preset && (
        <Card id="preset" title={say('How the days are judged')}>
          <PresetEntry key={preset.name} unitId={unit_id} preset={preset} again={again} />
          <p class="soft small">{say('Source: {source}.', { source: preset.source })}</p>
          {isOfMain() && <PresetRules key={asked} unit={unit} preset={preset.name} query={limitsOf()} />}
          <Holidays value={search.value.get('calendar') ?? ''} change={(calendar) => choose({ calendar })} />
        </Card>
      )}
      <Evidence unitId={unit_id} span={wholeDays(query, timezone)} />
    </>
  );
}

interface PresetEntryProps {
  readonly unitId: string;
  readonly preset: schemas.AssessmentPreset;
  again(): void;
}

function PresetEntry({ unitId, preset, again }: PresetEntryProps) {
  const [isCopying, setCopying] = useState(false);
  const show = (name: string) => {
    again();
    setCopying(false);
    go(`${meterPath(unitId, 'assessment')}?${new URLSearchParams({ preset: name, ...ofChannel() })}`, {
      replace: true,
    });
  };
  if (isCopying)
    return <PresetForm preset={preset} isCopy use={{ saved: () => {}, leave: () => setCopying(false) }} kept={show} />;
  return (
    <Entry
      name={sayOfApi(preset.title)}
      mayChange={mayAdminister.value}
      form={(use) => <PresetForm preset={preset} isCopy={false} use={use} kept={() => {}} />}
      remove={async () => {
        const { message } = await client.value.removePreset(preset.name);
        if (!preset.built_in)
          go(`${meterPath(unitId, 'assessment')}?${new URLSearchParams(ofChannel())}`, { replace: true });
        return message;
      }}
      onChange={again}
      more={
        <button type="button" onClick={() => setCopying(true)}>
          {say('Copy')} <span class="hidden-label">{sayOfApi(preset.title)}</span>
        </button>
      }
    >
      <bdi>{sayOfApi(preset.title)}</bdi>
    </Entry>
  );
}

/** Options of the address that choose the limits. */
function limitsOf(): Record<string, string> {
  const given = ['area', 'limits'].map((word) => [word, search.value.get(word) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** First and last day, where the address has them. */
function daysOfAddress(): Record<string, string> {
  const given = ['from', 'to'].map((word) => [word, search.value.get(word) ?? ''] as const);
  return Object.fromEntries(given.filter(([, date]) => /^\d{4}-\d\d-\d\d$/.test(date)));
}

/** The days of the address, or the last ones, and what it says of limits. */
function queryOf(timezone: string | null): Record<string, string> {
  const noon = (date: string) => firstMomentOf(`${date}T12:00`, timezone);
  const { from, to = dateOf(now.peek(), timezone) } = daysOfAddress();
  const last = noon(to);
  const words = ['preset', 'area', 'limits', 'calendar', ...PRESET_INPUTS].flatMap((word) => {
    const value = search.value.get(word);
    return value ? [[word, value]] : [];
  });
  return {
    from: new Date(from === undefined ? last - (DAYS - 1) * DAY_MS : noon(from)).toISOString(),
    // A day alone is a span, too.
    to: new Date(last + MINUTE_MS).toISOString(),
    ...Object.fromEntries(words),
    ...ofChannel(),
  };
}

/** From the first moment of the first day to after the night of the last one: a package has all that these days were made of. */
const wholeDays = ({ from = '', to = '' }: Record<string, string>, timezone: string | null) => ({
  from: new Date(midnight(Date.parse(from), timezone)).toISOString(),
  to: new Date(Date.parse(to) + DAY_MS).toISOString(),
});

/** The rows as files: the figures of each day, or a report of limits and levels. */
function SavedRows({ unit: { unit_id, timezone }, query }: { readonly unit: Unit; readonly query: Query }) {
  const path = `/${encodeURIComponent(unit_id)}/assessment`;
  const days = `${dateOf(Date.parse(String(query.from)), timezone)}_${dateOf(Date.parse(String(query.to)), timezone)}`;
  const name = (ending: string) => `assessment_${unit_id}_${days}.${ending}`;
  const report = {
    ...query,
    from: new Date(midnight(Date.parse(String(query.from)), timezone)).toISOString(),
    to: new Date(midnight(Date.parse(String(query.to)) + DAY_MS, timezone)).toISOString(),
    units: unit_id,
    lang: language,
    template: 'short',
    format: 'pdf',
  };
  return (
    <div class="row">
      <DownloadLink path={path} query={{ ...query, format: csvFormat }} name={name('csv')}>
        {say('Save {format}', { format: 'CSV' })}
      </DownloadLink>
      <DownloadLink path={path} query={{ ...query, format: 'xlsx' }} name={name('xlsx')}>
        {say('Save {format}', { format: 'XLSX' })}
      </DownloadLink>
      <DownloadLink path="/_reports/preview" query={report} name={name('pdf')}>
        {say('Save {format}', { format: 'PDF' })}
      </DownloadLink>
    </div>
  );
}

interface ChoicesProps {
  readonly presets: readonly schemas.AssessmentPreset[];
  readonly preset: schemas.AssessmentPreset;
  choose(more: Readonly<Record<string, string>>): void;
}

function Choices({ presets, preset, choose }: ChoicesProps) {
  const areas = preset.areas.map(({ name, title }) => [name, `${name}: ${sayOfApi(title)}`] as const);
  const [example] = preset.figures;
  return (
    <Filters<Readonly<Record<string, string>>>
      parts={[
        {
          name: 'preset',
          label: say('Preset'),
          choices: presets.map(({ name, title }) => [name, sayOfApi(title)] as const),
        },
        areas.length > 1 && { name: 'area', label: say('Area'), choices: [['', say('none chosen')], ...areas] },
        { name: 'limits', label: say('Limits of your own, dB'), hint: `${example?.name ?? 'day'}:55` },
        ...inputsOf(preset).map(([name, label, hint]) => ({ name, label, hint })),
      ]}
      values={{ ...Object.fromEntries(search.value), preset: preset.name }}
      change={(name, text) => choose(name === 'area' ? { preset: preset.name, area: text } : { [name]: text })}
    />
  );
}

const datesOf = ({ days }: schemas.Assessment) => ({ from: days[0]?.date ?? '', to: days.at(-1)?.date ?? '' });

interface DaysProps {
  readonly unit: Unit;
  readonly found: schemas.Assessment;
  /** By the permits of the unit, by date. */
  readonly verdicts: ReadonlyMap<string, schemas.UnitVerdict>;
  readonly notes: readonly schemas.Note[];
  readonly preset: schemas.AssessmentPreset | undefined;
}

function Days({ unit, found: { title, days, total, notes: remarks }, verdicts, notes, preset }: DaysProps) {
  const means = total.figures.filter(({ days: count }) => count > 1);
  const byPermit = new Map<DayStatus, number>();
  for (const { date, figures } of days) {
    const verdict = verdicts.get(date);
    const status = verdict && statusByPermit(verdict, figures);
    if (status) byPermit.set(status, (byPermit.get(status) ?? 0) + 1);
  }
  return (
    <>
      {verdicts.size > 0 && (
        <p class="verdicts" aria-live="polite">
          {listOf([...byPermit].map(([status, count]) => `${statusWord(status)}: ${count}`))}
        </p>
      )}
      <p class={verdicts.size > 0 ? 'soft small' : 'verdicts'} aria-live={verdicts.size > 0 ? 'off' : 'polite'}>
        {verdicts.size > 0 && `${sayOfApi(title)}: `}
        {say('{met} met, {exceeded} exceeded, {unknown} not assessable, {unlimited} without a limit.', {
          met: total.met,
          exceeded: total.exceeded,
          unknown: total.not_assessable,
          unlimited: total.no_limit,
        })}
      </p>
      {means.length > 0 && (
        <p class="soft small">
          {say('Mean of the assessable days: {means}.', {
            means: listOf(
              means.map(({ figure, mean, days: number }) =>
                say('{figure} {level} dB of {number}', { figure: figureName(figure), level: decibels(mean), number }),
              ),
            ),
          })}
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} class="soft small">
          {sayOfApi(remark)}
        </p>
      ))}
      <div class="stack near">
        {days.toReversed().map((day) => (
          <AssessedDay
            key={day.date}
            unit={unit}
            day={day}
            judged={verdicts.get(day.date)}
            notes={notes}
            eventRule={preset?.events ?? null}
          />
        ))}
      </div>
    </>
  );
}

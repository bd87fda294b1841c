/** A kept report, new or to be changed. What the form does not show stays as it is. */
import { useState } from 'preact/hooks';
import type { AlertTarget, schemas } from '../../client/index.ts';
import { about, client } from '../app/access.ts';
import { meters, titleOf } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { formsChanged } from './forms-changed.ts';
import { PERIODS } from './periods.ts';

type Format = schemas.KeptReport['formats'][number];

const FORMATS = [
  ['pdf', 'PDF'],
  ['html', 'page (HTML)'],
  ['csv', 'tables (CSV)'],
  ['xlsx', 'workbook (XLSX)'],
] as const satisfies readonly (readonly [Format, string])[];
const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'français'],
  ['es', 'español'],
  ['ja', '日本語'],
] as const satisfies readonly (readonly [schemas.KeptReport['lang'], string])[];
const MOST_TEXT = 2_000;

interface Props {
  readonly present?: schemas.KeptReport;
  /** Mail targets of alerts; empty for those who may not see them. */
  readonly targets: readonly AlertTarget[] | undefined;
  readonly use: FormUse;
}

/** For operators. */
export function KeptReportForm({ present, targets = [], use }: Props) {
  const [name, setName] = useState(present?.name ?? '');
  const [units, setUnits] = useState<readonly string[]>(present?.units ?? []);
  const [period, setPeriod] = useState<schemas.KeptReport['period']>(present?.period ?? 'week');
  const [at, setAt] = useState(present?.at ?? '06:00');
  const [formats, setFormats] = useState<readonly Format[]>(present?.formats ?? ['pdf']);
  const [lang, setLang] = useState<schemas.KeptReport['lang']>(present?.lang ?? 'en');
  const [template, setTemplate] = useState<schemas.KeptReport['template']>(present?.template ?? 'full');
  const [preset, setPreset] = useState(present?.preset ?? 'eu-lden');
  const [letterhead, setLetterhead] = useState(present?.letterhead ?? '');
  const [limits, setLimits] = useState(present?.limits ?? '');
  const [told, setTold] = useState<readonly string[]>(present?.targets ?? []);
  const [remarks, setRemarks] = useState(present?.remarks ?? '');
  const { found: presets = [] } = useFound(() => client.value.assessmentPresets(), []);
  const { found: templates = [] } = useFound(() => client.value.reportTemplates(), [formsChanged.value]);
  const own = about.value?.caller.units;
  const choices = [...(meters.value?.keys() ?? [])]
    .filter((unitId) => !own || own.includes(unitId))
    .map((unitId) => [unitId, titleOf(unitId)] as const);
  const save = async () => {
    const body = {
      ...{ name: name.trim(), units, period, at, formats, lang, template, preset, remarks, targets: told },
      limits: limits.trim() === '' ? null : limits.trim(),
      letterhead: letterhead === '' ? null : letterhead,
    };
    const { message } = await (present
      ? client.value.changeReport(present.id, { ...present, ...body })
      : client.value.addReport(body));
    return message;
  };
  const kept = (label: string, choices: readonly (readonly [string, string])[], chosen: readonly string[]) => [
    ...choices,
    ...chosen.filter((id) => !choices.some(([each]) => each === id)).map((id) => [id, `${label} ${id}`] as const),
  ];
  const mails = kept(
    'Target',
    targets.map(({ id, name }) => [id, name] as const),
    present?.targets ?? [],
  );
  return (
    <EntryForm
      title={present ? `Change ${present.name}` : 'New report'}
      button={present ? 'Change the report' : 'Keep the report'}
      use={use}
      save={save}
    >
      <div class="fields">
        <Field label="Name" value={name} change={setName} required hint="Week of the bridge" />
        <Choice label="It is made" value={period} choices={PERIODS} change={(next) => setPeriod(next)} />
        {period !== 'none' && <Field label="At (time of the place)" type="time" value={at} change={setAt} required />}
        <Choice label="Language" value={lang} choices={LANGUAGES} change={(next) => setLang(next)} />
        <Choice
          label="What is in it"
          value={template}
          choices={templates.map((each) => [each.name as typeof template, each.title] as const)}
          change={(next) => setTemplate(next)}
        />
        <Choice
          label="Judged by"
          value={preset}
          choices={presets.map((each) => [each.name, each.title] as const)}
          change={setPreset}
        />
        <LetterheadChoice value={letterhead} change={setLetterhead} />
        <Field label="Your own limits, dB" value={limits} change={setLimits} hint="lden:55,night:45" />
      </div>
      <Checks label="Meters" chosen={units} choices={kept('Meter', choices, present?.units ?? [])} change={setUnits} />
      <Checks label="Documents" chosen={formats} choices={FORMATS} change={setFormats} />
      {mails.length > 0 && <Checks label="Mailed to" chosen={told} choices={mails} change={setTold} />}
      <label class="field">
        Remarks: client, place, what the gateway does not know
        <textarea
          rows={3}
          maxLength={MOST_TEXT}
          value={remarks}
          onInput={({ currentTarget }) => setRemarks(currentTarget.value)}
        />
      </label>
    </EntryForm>
  );
}

/** Nothing where none was written yet. */
function LetterheadChoice({ value, change }: { readonly value: string; change(name: string): void }) {
  const { found: letterheads = [] } = useFound(() => client.value.reportLetterheads(), [formsChanged.value]);
  if (letterheads.length === 0 && value === '') return null;
  const choices = [['', 'none'] as const, ...letterheads.map(({ name }) => [name, name] as const)];
  return <Choice label="Letterhead" value={value} choices={choices} change={change} />;
}

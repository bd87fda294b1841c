/** A kept report, new or to be changed. Fields that the form does not show do not change. */
import { useState } from 'preact/hooks';
import type { AlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { ChannelField } from '../ui/channel-choice.tsx';
import { EntryForm, type FormUse } from '../ui/entry.tsx';
import { Checks, Choice, Field } from '../ui/field.tsx';
import { MetersField, type Rights } from '../ui/rights.tsx';
import { language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { say, sayOfApi } from '../words/say.ts';
import { JudgedBy, judgedBody, judgedOf } from './judged-by.tsx';
import { formsChanged } from './templates.tsx';

type Format = schemas.KeptReport['formats'][number];

const formatChoices = () =>
  [
    ['pdf', 'PDF'],
    ['html', say('page (HTML)')],
    ['csv', say('tables (CSV)')],
    ['xlsx', say('workbook (XLSX)')],
  ] as const satisfies readonly (readonly [Format, string])[];
/** Reports have the languages of the dashboard. */
const CODES = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[];
const papers = () =>
  [
    ['a4', 'A4'],
    ['letter', say('Letter ## a size of paper')],
  ] as const;
const MOST_TEXT = 2_000;

interface Props {
  readonly present?: schemas.KeptReport;
  /** Mail targets of alerts; empty for those who may not see them. */
  readonly targets: readonly AlertTarget[] | undefined;
  readonly use: FormUse;
  /** Meters of a new report. */
  readonly wanted?: readonly string[];
}

/** For operators. */
export function KeptReportForm({ present, targets = [], use, wanted = [] }: Props) {
  const [name, setName] = useState(present?.name ?? '');
  const [chosen, setChosen] = useState<Pick<Rights, 'units' | 'tags'>>(
    present?.tag ? { units: null, tags: [present.tag] } : { units: present?.units ?? wanted, tags: null },
  );
  const [period, setPeriod] = useState<schemas.KeptReport['period']>(present?.period ?? 'week');
  const [at, setAt] = useState(present?.at ?? '06:00');
  const [formats, setFormats] = useState<readonly Format[]>(present?.formats ?? ['pdf']);
  const [lang, setLang] = useState<schemas.KeptReport['lang']>(present?.lang ?? language);
  const [template, setTemplate] = useState<Template>(present?.template ?? 'full');
  const [judged, setJudged] = useState(judgedOf(present));
  const [paper, setPaper] = useState<schemas.KeptReport['paper']>(present?.paper ?? 'a4');
  const [channel, setChannel] = useState(present?.channel ?? MAIN);
  const [letterhead, setLetterhead] = useState(present?.letterhead ?? '');
  const [told, setTold] = useState<readonly string[]>(present?.targets ?? []);
  const [remarks, setRemarks] = useState(present?.remarks ?? '');
  const save = async () => {
    const body = {
      name: name.trim(),
      units: chosen.units ?? [],
      tag: chosen.tags?.[0] ?? null,
      period,
      at,
      formats,
      paper,
      lang,
      channel,
      template,
      remarks,
      targets: told,
      ...judgedBody(judged),
      letterhead: letterhead === '' ? null : letterhead,
    };
    const { message } = await (present
      ? client.value.changeReport(present.id, { ...present, ...body })
      : client.value.addReport(body));
    return message;
  };
  return (
    <EntryForm
      title={present ? say('Change {name}', { name: present.name }) : say('New report')}
      button={say('Save this report')}
      use={use}
      save={save}
    >
      <div class="fields">
        <Field label={say('Name')} value={name} change={setName} required hint={say('Week of the bridge')} />
        <Choice
          label={say('It is made ## how often')}
          value={period}
          choices={reportPeriods()}
          change={(next) => setPeriod(next)}
        />
        {period !== 'none' && (
          <Field label={say('At (time of the place)')} type="time" value={at} change={setAt} required />
        )}
        <Choice
          label={say('Language')}
          value={lang}
          choices={CODES.map((code) => [code, LANGUAGES[code]] as const)}
          change={(next) => setLang(next)}
        />
        <ChannelField units={chosen.units ?? present?.units ?? []} value={channel} change={setChannel} />
        <TemplateChoice value={template} change={setTemplate} />
        <JudgedBy judged={judged} change={setJudged} />
        <Choice label={say('Paper of the PDF')} value={paper} choices={papers()} change={(next) => setPaper(next)} />
        <LetterheadChoice value={letterhead} change={setLetterhead} />
        <MetersField value={chosen} change={setChosen} canBeAll={false} />
      </div>
      <Checks label={say('Documents')} chosen={formats} choices={formatChoices()} change={setFormats} />
      <MailedTo targets={targets} present={present?.targets ?? []} chosen={told} change={setTold} />
      <Remarks value={remarks} change={setRemarks} />
    </EntryForm>
  );
}

interface MailedToProps {
  readonly targets: readonly AlertTarget[];
  readonly present: readonly string[];
  readonly chosen: readonly string[];
  change(ids: readonly string[]): void;
}

/** Nothing where there are no targets. */
function MailedTo({ targets, present, chosen, change }: MailedToProps) {
  const named = targets.map(({ id, name }) => [id, name] as const);
  const choices = kept(say('Target'), named, present);
  if (choices.length === 0) return null;
  return <Checks label={say('Mailed to')} chosen={chosen} choices={choices} change={change} />;
}

/** A chosen value that is gone stays a choice. */
const kept = (label: string, choices: readonly (readonly [string, string])[], chosen: readonly string[]) => [
  ...choices,
  ...chosen.filter((id) => !choices.some(([each]) => each === id)).map((id) => [id, `${label} ${id}`] as const),
];

type Template = schemas.KeptReport['template'];

function TemplateChoice({ value, change }: { readonly value: Template; change(name: Template): void }) {
  const { found: templates = [] } = useFound(() => client.value.reportTemplates(), [formsChanged.value]);
  const choices = templates.map((each) => [each.name as Template, sayOfApi(each.title)] as const);
  return <Choice label={say('What is in it')} value={value} choices={choices} change={(next) => change(next)} />;
}

function Remarks({ value, change }: { readonly value: string; change(text: string): void }) {
  return (
    <label class="field">
      {say('Remarks: client, place, what the gateway does not know')}
      <textarea
        rows={3}
        maxLength={MOST_TEXT}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  );
}

/** Nothing where none was written yet. */
function LetterheadChoice({ value, change }: { readonly value: string; change(name: string): void }) {
  const { found: letterheads = [] } = useFound(() => client.value.reportLetterheads(), [formsChanged.value]);
  if (letterheads.length === 0 && value === '') return null;
  const choices = [['', say('none ## a letterhead')] as const, ...letterheads.map(({ name }) => [name, name] as const)];
  return <Choice label={say('Letterhead')} value={value} choices={choices} change={change} />;
}

/** The word of the API, and what a person reads. */
export const reportPeriods = () =>
  [
    ['none', say('when somebody asks')],
    ['day', say('every day')],
    ['week', say('every week, on Monday')],
    ['month', say('every month, on its first day')],
  ] as const satisfies readonly (readonly [schemas.KeptReport['period'], string])[];

/** A kept report, new or to be changed. Fields that the form does not show do not change. */
import type { AlertTarget, schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { MAIN } from '../state/address.ts';
import { useFound } from '../state/found.ts';
import { ChannelField } from '../ui/channel-choice.tsx';
import type { PartsOf } from '../ui/form-parts.ts';
import { type Chosen, metersPart } from '../ui/rights.tsx';
import { type FormUse, SchemaForm, useValues } from '../ui/schema-form.tsx';
import { language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { say, sayOfApi } from '../words/say.ts';
import { NOT_JUDGED, useJudgedParts } from './judged-by.tsx';
import { formsChanged } from './templates.tsx';

type Format = schemas.KeptReport['formats'][number];

const formatChoices = () =>
  [
    ['pdf', 'PDF'],
    ['html', say('page (HTML)')],
    ['csv', say('tables (CSV)')],
    ['xlsx', say('workbook (XLSX)')],
  ] as const satisfies readonly (readonly [Format, string])[];
const papers = () =>
  [
    ['a4', 'A4'],
    ['letter', say('Letter ## a size of paper')],
  ] as const;

interface ReportValues
  extends Omit<Required<schemas.CreateReportBody>, 'units' | 'tag' | 'periods' | 'title' | 'zone' | 'lang'>,
    Chosen {
  readonly lang: schemas.KeptReport['lang'];
}

const NEW = {
  name: '',
  units: [],
  tag: null,
  period: 'week',
  at: '06:00',
  formats: ['pdf'],
  targets: [],
  lang: language,
  channel: MAIN,
  template: 'full',
  ...NOT_JUDGED,
  remarks: '',
  letterhead: null,
  paper: 'a4',
} as const;

interface Props {
  readonly present?: schemas.KeptReport;
  readonly targets: readonly AlertTarget[] | undefined;
  readonly use: FormUse;
  /** Meters of a new report. */
  readonly wanted?: readonly string[];
}

export function KeptReportForm({ present, targets = [], use, wanted = [] }: Props) {
  const { found: templates = [] } = useFound(() => client.value.reportTemplates(), [formsChanged.value]);
  const { found: letterheads = [] } = useFound(() => client.value.reportLetterheads(), [formsChanged.value]);
  const first = present ?? { ...NEW, units: wanted };
  const [values, set] = useValues<ReportValues>({
    ...first,
    units: first.tag === null ? first.units : null,
    tags: first.tag === null ? null : [first.tag],
  });
  const { tags, ...report } = values;
  const judged = useJudgedParts(values, set);
  const save = async () => {
    const body = { ...report, units: report.units ?? [], tag: tags?.[0] ?? null };
    return present ? client.value.changeReport(present.id, body) : client.value.addReport(body);
  };
  // A target that is gone stays a choice.
  const known = targets.map(({ id }) => id);
  const mailed = [
    ...targets.map(({ id, name }) => [id, name] as const),
    ...first.targets.filter((id) => !known.includes(id)).map((id) => [id, `${say('Target')} ${id}`] as const),
  ];
  const parts: PartsOf<ReportValues> = [
    { name: 'name', label: say('Name'), required: true, hint: say('Week of the bridge') },
    { name: 'period', label: say('It is made ## how often'), choices: reportPeriods() },
    report.period !== 'none' && { name: 'at', type: 'time', label: say('At (time of the place)'), required: true },
    { name: 'lang', label: say('Language'), choices: Object.entries(LANGUAGES) },
    {
      name: 'channel',
      draw: (
        <ChannelField
          units={report.units ?? first.units}
          value={report.channel}
          change={(channel) => set({ channel })}
        />
      ),
    },
    {
      name: 'template',
      label: say('What is in it'),
      choices: templates.map(({ name, title }) => [name, sayOfApi(title)] as const),
    },
    ...judged,
    { name: 'paper', label: say('Paper of the PDF'), choices: papers() },
    // Nothing where none was written yet.
    (letterheads.length > 0 || report.letterhead !== null) && {
      name: 'letterhead',
      label: say('Letterhead'),
      choices: [['', say('none ## a letterhead')], ...letterheads.map(({ name }) => [name, name] as const)],
      empty: null,
    },
    metersPart(values, set),
    { name: 'formats', type: 'checks', label: say('Documents'), choices: formatChoices() },
    mailed.length > 0 && { name: 'targets', type: 'checks', label: say('Mailed to'), choices: mailed },
    { name: 'remarks', type: 'lines', label: say('Remarks: client, place, what the gateway does not know') },
  ];
  return (
    <SchemaForm
      title={present ? say('Change {name}', { name: present.name }) : say('New report')}
      button={say('Save this report')}
      use={use}
      parts={parts}
      values={values}
      set={set}
      save={save}
    />
  );
}

export const reportPeriods = () =>
  [
    ['none', say('when somebody asks')],
    ['day', say('every day')],
    ['week', say('every week, on Monday')],
    ['month', say('every month, on its first day')],
  ] as const satisfies readonly (readonly [schemas.KeptReport['period'], string])[];

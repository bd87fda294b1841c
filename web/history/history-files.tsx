/** Where a span of time leads: to another one beside it, a CSV of exactly what is shown, the report, and evidence. */
import { useState } from 'preact/hooks';
import type { Query, Unit } from '../../client/index.ts';
import { presets } from '../days/calendar-days.ts';
import { client, hasKey } from '../state/access.ts';
import { apiAddress, ofChannel } from '../state/address.ts';
import type { Limit } from '../state/limits.ts';
import { csvFormat, localInput, span as spanWords } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { save } from '../ui/download-link.tsx';
import { Evidence } from '../ui/evidence.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { Link } from '../ui/link.tsx';
import { language } from '../words/language.ts';
import { say } from '../words/say.ts';

interface Props {
  readonly unit: Unit;
  readonly limits: readonly Limit[];
  readonly query: Query & { readonly from: string; readonly to: string };
}

const compareWith = (unitId: string, { from, to }: { readonly from: string; readonly to: string }): string =>
  `compare?units=${encodeURIComponent(unitId)}&against=604800000&from=${from}&to=${to}`;

/** One row of links and buttons, and below it the form of the report. */
export function HistoryFiles({ unit: { unit_id, timezone }, limits, query }: Props) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, run, waits } = useAction();
  const span = { from: query.from, to: query.to };
  const [from, to] = [span.from, span.to].map((at) => localInput(at, timezone).replace(/[T:]/g, '-'));
  const name = [unit_id, ...Object.values(ofChannel()), from, 'to', to].join('_');
  const fetchFile = (format: string, ending: string) =>
    run(async () => {
      const asked = { ...query, format, header: 'symbols', local_time: 'true' };
      save(await client.value.blob(`/${encodeURIComponent(unit_id)}/history`, { query: asked }), `${name}.${ending}`);
      return '';
    });
  return (
    <>
      <div class="row">
        <Said outcome={outcome} waiting="" />
        <Link to={compareWith(unit_id, span)}>{say('Compare')}</Link>
        <button type="button" disabled={waits} onClick={() => void fetchFile(csvFormat, 'csv')}>
          {say('Save as CSV')}
        </button>
        <button type="button" disabled={waits} onClick={() => void fetchFile('xlsx', 'xlsx')}>
          {say('Save as XLSX')}
        </button>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {say('Report')}
        </button>
        <Evidence unitId={unit_id} span={span} />
      </div>
      {isOpen && <ReportForm unitId={unit_id} span={span} limits={limits} name={`${name}_report`} />}
    </>
  );
}

const STEPS = ['5m', '15m', '30m', '1h', '1d'] as const;
type Step = (typeof STEPS)[number];
const STEP_WORDS: Readonly<Record<Step, () => string>> = {
  '5m': () => spanWords(5 * 60),
  '15m': () => spanWords(15 * 60),
  '30m': () => spanWords(30 * 60),
  '1h': () => say('1 h'),
  '1d': () => say('1 day'),
};

interface ReportFormProps {
  readonly unitId: string;
  readonly span: { readonly from: string; readonly to: string };
  readonly limits: readonly Limit[];
  readonly name: string;
}

/** The form of a report, and the ways to open or keep it. */
function ReportForm({ unitId, span, limits, name }: ReportFormProps) {
  const stepOf = ({ rule }: Limit): Step | undefined =>
    rule?.quantity === 'leq' ? STEPS.find((step) => step === rule.window) : undefined;
  const known = limits.find(stepOf);
  const [limit, setLimit] = useState(known ? String(known.level) : '');
  const [step, setStep] = useState<Step>((known && stepOf(known)) ?? '15m');
  const [preset, setPreset] = useState('eu');
  const [title, setTitle] = useState('');
  const [remarks, setRemarks] = useState('');
  const { outcome, run, waits } = useAction();
  const query: Query = {
    ...span,
    ...ofChannel(),
    preset,
    lang: language,
    ...(limit.trim() !== '' && { limit_db: limit.trim(), limit_step: step }),
    ...(title.trim() !== '' && { title: title.trim() }),
    ...(remarks.trim() !== '' && { remarks: remarks.trim() }),
  };
  const path = `/${encodeURIComponent(unitId)}/report`;
  const fetchReport = () =>
    run(async () => {
      save(await client.value.blob(path, { query }), `${name}.html`);
      return '';
    });
  return (
    <section class="whole stack" aria-label={say('Report')}>
      <div class="fields">
        <Field label={say('Title')} hint={say('Noise report')} value={title} change={setTitle} />
        <Choice
          label={say('Index of the days')}
          value={preset}
          choices={presets().map(([word, , text]) => [word, text] as const)}
          change={setPreset}
        />
        <Field
          label={say('List what is above, dB')}
          type="number"
          step="0.1"
          hint={say('no limit')}
          value={limit}
          change={setLimit}
        />
        <Choice
          label={say('As Leq over')}
          value={step}
          choices={STEPS.map((each) => [each, STEP_WORDS[each]()] as const)}
          change={(next) => setStep(next)}
        />
      </div>
      <label class="field">
        {say('Remarks: what the gateway does not know, such as client, calibration, weather')}
        <textarea
          rows={3}
          maxLength={2_000}
          value={remarks}
          onInput={({ currentTarget }) => setRemarks(currentTarget.value)}
        />
      </label>
      <div class="row">
        {hasKey.value ? (
          // A link cannot carry a key.
          <button type="button" class="main" disabled={waits} onClick={() => void fetchReport()}>
            {say('Save the report')}
          </button>
        ) : (
          <a class="button main" href={apiAddress(path, query)} target="_blank" rel="noreferrer">
            {say('Open the report')}
          </a>
        )}
        <Said outcome={outcome} waiting={say('The report is being written ...')} />
      </div>
    </section>
  );
}

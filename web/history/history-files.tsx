/** Where a span of time leads: to another one beside it, a CSV of exactly what is shown, the report, and evidence. */
import { useState } from 'preact/hooks';
import type { Query, Unit } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { ofChannel } from '../state/address.ts';
import type { Limit } from '../state/limits.ts';
import { csvFormat, localInput } from '../state/numbers.ts';
import { Said, useAction } from '../ui/action.tsx';
import { save } from '../ui/download-link.tsx';
import { Evidence } from '../ui/evidence.tsx';
import { Link } from '../ui/link.tsx';
import { say } from '../words/say.ts';
import { ReportForm } from './report-form.tsx';

interface Props {
  readonly unit: Unit;
  readonly limits: readonly Limit[];
  /** The query of the shown history. */
  readonly query: Query & { readonly from: string; readonly to: string };
}

/** This meter at this time, against the week before. */
const compareWith = (unitId: string, { from, to }: { readonly from: string; readonly to: string }): string =>
  `compare?units=${encodeURIComponent(unitId)}&against=604800000&from=${from}&to=${to}`;

/** One row of links and buttons, and below it the form of the report. */
export function HistoryFiles({ unit: { unit_id, timezone }, limits, query }: Props) {
  const [isOpen, setOpen] = useState(false);
  const { outcome, run, waits } = useAction();
  const span = { from: query.from, to: query.to };
  const [from, to] = [span.from, span.to].map((at) => localInput(at, timezone).replace(/[T:]/g, '-'));
  const name = [unit_id, ...Object.values(ofChannel()), from, 'to', to].join('_');
  const fetchCsv = () =>
    run(async () => {
      const asked = { ...query, format: csvFormat, header: 'symbols', local_time: 'true' };
      save(await client.value.blob(`/${encodeURIComponent(unit_id)}/history`, { query: asked }), `${name}.csv`);
      return '';
    });
  return (
    <>
      <div class="row">
        <Said outcome={outcome} waiting="" />
        <Link to={compareWith(unit_id, span)}>{say('Compare')}</Link>
        <button type="button" disabled={waits} onClick={() => void fetchCsv()}>
          {say('Save as CSV')}
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

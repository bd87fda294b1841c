/** What can be downloaded for a span of time: a CSV of exactly what is shown, and the report. */
import type { Query } from '../../client/index.ts';
import { BASE_URL, client, hasKey } from '../app/access.ts';
import { csvFormat, localInput } from '../app/numbers.ts';
import { save } from '../app/save.ts';
import { Said, useAction } from './action.tsx';

interface Props {
  readonly unitId: string;
  readonly zone: string | null;
  /** What the history is asked for with. */
  readonly query: Query & { readonly from: string; readonly to: string };
}

export function HistoryFiles({ unitId, zone, query }: Props) {
  const { outcome, run, waits } = useAction();
  const unit = encodeURIComponent(unitId);
  const span = { from: query.from, to: query.to };
  const [from, to] = [query.from, query.to].map((at) => localInput(at, zone).replace(/[T:]/g, '-'));
  const name = `${unitId}_${from}_to_${to}`;
  const fetchCsv = () =>
    run(async () => {
      const asked = { ...query, format: csvFormat, local_time: 'true' };
      save(await client.value.blob(`/${unit}/history`, { query: asked }), `${name}.csv`);
      return '';
    });
  const fetchReport = () =>
    run(async () => {
      save(await client.value.blob(`/${unit}/report`, { query: span }), `${name}_report.html`);
      return '';
    });
  const address = `${String(BASE_URL).replace(/\/$/, '')}/${unit}/report?from=${span.from}&to=${span.to}`;
  return (
    <div class="row">
      <Said outcome={outcome} waiting="" />
      <button type="button" disabled={waits} onClick={() => void fetchCsv()}>
        Save as CSV
      </button>
      {hasKey.value ? (
        // A link cannot carry a key.
        <button type="button" disabled={waits} onClick={() => void fetchReport()}>
          Save the report
        </button>
      ) : (
        <a class="button" href={address} target="_blank" rel="noreferrer">
          Report
        </a>
      )}
    </div>
  );
}

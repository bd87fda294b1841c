/** Events as CSV: a line for each, in the words of the API, for spreadsheets. */
import { tables } from '../../../lib/index.ts';
import type { ShowEvent } from '../shown.ts';
import type { EventRow } from '../tables.ts';

/** As in the answer of the API; `loudest` and `ack` have columns of their own. */
const PLAIN = [
  ...['id', 'unit_id', 'rule_name', 'severity', 'kind', 'what', 'limit', 'unit', 'opened_at', 'closed_at'],
  ...['window_from', 'window_to', 'windows', 'duration_s', 'worst', 'worst_at', 'worst_is_bound', 'lae', 'measured_s'],
] as const;

/** The first line, then one for each event. */
export async function* eventsCsv(
  events: AsyncIterable<EventRow> | Iterable<EventRow>,
  shown: ShowEvent,
  format: tables.CsvFormat,
): AsyncGenerator<string> {
  const more = ['loudest_at', 'loudest', 'revised', 'seen_by', 'seen_at', 'note', 'detail'];
  yield tables.csvLine([...PLAIN, ...more], format);
  for await (const event of events) {
    const fields = shown(event);
    const { loudest } = event.sound ?? { loudest: null };
    const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
    yield tables.csvLine(
      [
        ...PLAIN.map((name) => cellOf(fields[name])),
        ...[at(loudest?.at), loudest?.level ?? null, event.revised?.value ?? null],
        ...[event.ack?.by ?? null, at(event.ack?.at), event.ack?.note ?? null, event.detail],
      ],
      format,
    );
  }
}

const cellOf = (value: unknown): tables.Cell =>
  typeof value === 'number' || typeof value === 'string' ? value : value === true ? 'yes' : null;

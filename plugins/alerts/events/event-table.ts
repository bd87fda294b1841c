/** Events of alerts as tables, in the words of the API: CSV and workbooks for spreadsheets. */
import { tables } from '../../../lib/index.ts';
import type { ShowEvent } from '../shown.ts';
import type { EventRow } from '../tables.ts';

/** Fields as in the answer of the API; `loudest` and `ack` have columns of their own. */
const PLAIN = [
  ...['id', 'unit_id', 'rule_name', 'severity', 'kind', 'what', 'limit', 'unit', 'opened_at', 'closed_at'],
  ...['window_from', 'window_to', 'windows', 'duration_s', 'worst', 'worst_at', 'worst_is_bound', 'lae', 'measured_s'],
] as const;
const HEAD = [
  ...PLAIN,
  ...['loudest_at', 'loudest', 'revised', 'seen_by', 'seen_at', 'note', 'detail', 'channel', 'excluded_s'],
] as const;
const NUMBERS = ['limit', 'windows', 'duration_s', 'worst', 'lae', 'measured_s', 'loudest', 'revised', 'excluded_s'];
const COLUMNS: readonly tables.SheetColumn[] = HEAD.map((title) => ({
  title,
  offset: `${title} offset`,
  kind: /_(at|from|to)$/.test(title) ? 'time' : NUMBERS.includes(title) ? 'number' : 'text',
}));

type Events = AsyncIterable<EventRow> | Iterable<EventRow>;

/** The first line, then one for each event. */
export async function* eventsCsv(events: Events, shown: ShowEvent, format: tables.CsvFormat): AsyncGenerator<string> {
  yield tables.csvHead(HEAD, format);
  for await (const cells of rowsOf(events, shown)) yield tables.csvLine(cells, format);
}

/** A workbook of one sheet; numbers are numbers, times are dates in UTC. */
export const eventsWorkbook = (events: Events, shown: ShowEvent) =>
  tables.workbookStream('Events', COLUMNS, rowsOf(events, shown));

async function* rowsOf(events: Events, shown: ShowEvent): AsyncGenerator<readonly tables.Cell[]> {
  for await (const event of events) {
    const fields = shown(event);
    const { loudest } = event.sound ?? { loudest: null };
    const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
    yield [
      ...PLAIN.map((name) => cellOf(fields[name])),
      ...[at(loudest?.at), loudest?.level ?? null, event.revised?.value ?? null],
      ...[event.ack?.by ?? null, at(event.ack?.at), event.ack?.note ?? null, event.detail],
      ...[cellOf(fields.channel), cellOf(fields.excluded_s)],
    ];
  }
}

const cellOf = (value: unknown): tables.Cell =>
  typeof value === 'number' || typeof value === 'string' ? value : value === true ? 'yes' : null;

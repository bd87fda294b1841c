/** Alerts that are over, page by page, with filters. The address keeps the filters. */
import { useEffect, useState } from 'preact/hooks';
import { type AlertEvent, firstMomentOf, type Query, type SoundRecording, type schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { eventPath, go, search } from '../state/address.ts';
import { lastedOf, textOf, windowWords } from '../state/alarms.ts';
import { meters, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { csvFormat, dayAndTimeOf, decibels, personName } from '../state/numbers.ts';
import { Failed } from '../ui/action.tsx';
import { Card } from '../ui/card.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Link } from '../ui/link.tsx';
import { Filters } from '../ui/schema-form.tsx';
import { Table } from '../ui/table.tsx';
import { say, sayWith } from '../words/say.ts';
import { EventRecordings, excludedWords, useRecordings } from './event-recordings.tsx';
import { causeWord, severityChoices, worstOf } from './rule-words.ts';

const PAGE = 50;
const DAY_MS = 86_400_000;
const FILTERS = ['unit', 'rule', 'severity', 'day'] as const;
type FilterValues = Readonly<Record<(typeof FILTERS)[number], string>>;

/** `seen`: grows with each alert. */
export function ClosedEvents({ seen }: { readonly seen: number }) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search.value.get(name) ?? ''])) as FilterValues;
  /** The cursors of the pages before this one and of this one; the first has none. */
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const asked = JSON.stringify(filters);
  useEffect(() => setCursors([undefined]), [asked]);
  const { found: page, failure } = useFound(
    () => ask(filters, cursors.at(-1)),
    [asked, cursors.length, cursors.length === 1 ? seen : 0],
  );
  const isFiltered = FILTERS.some((name) => filters[name] !== '');
  if (page && page.data.length === 0 && !isFiltered) return null;
  return (
    <Card id="over" title={say('Ended ## alerts')}>
      <FilterFields filters={filters} />
      <Failed failure={failure} />
      {page && page.data.length === 0 && <p class="soft">{say('No alert fits.')}</p>}
      {page && page.data.length > 0 && <EventTable events={page.data} />}
      <div class="row">
        {cursors.length > 1 && (
          <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            {say('Newer ones')}
          </button>
        )}
        {page?.next && (
          <button type="button" onClick={() => setCursors([...cursors, page.next ?? undefined])}>
            {say('Older ones')}
          </button>
        )}
        {page && page.data.length > 0 && <SavedEvents query={queryOf(filters)} />}
      </div>
    </Card>
  );
}

const SavedEvents = ({ query }: { readonly query: Query }) => (
  <>
    <DownloadLink path="/_alerts/events" query={{ ...query, format: csvFormat }} name="events.csv">
      {say('Save as CSV')}
    </DownloadLink>
    <DownloadLink path="/_alerts/events" query={{ ...query, format: 'xlsx' }} name="events.xlsx">
      {say('Save as XLSX')}
    </DownloadLink>
  </>
);

function ask(filters: FilterValues, cursor: string | undefined) {
  const query = { ...queryOf(filters), limit: PAGE, ...(cursor !== undefined && { cursor }) };
  return client.value.call<schemas.GetAlertEventsAnswer>('/_alerts/events', { query });
}

function queryOf({ unit, rule, severity, day }: FilterValues) {
  const [begin, end] = boundsOf(day, unitOf(unit)?.timezone);
  return {
    open: 'false',
    ...(unit !== '' && { unit }),
    ...(rule !== '' && { rule }),
    ...(severity !== '' && { severity }),
    ...(!Number.isNaN(begin) && { from: new Date(begin).toISOString(), to: new Date(end).toISOString() }),
  };
}

/** The two midnights around a date, ms; NaN without a date. A day may have 23 or 25 hours. */
const boundsOf = (date: string, zone: string | null | undefined): readonly [begin: number, end: number] => {
  const midnight = Date.parse(date);
  if (Number.isNaN(midnight)) return [Number.NaN, Number.NaN];
  const next = new Date(midnight + DAY_MS).toISOString().slice(0, 10);
  return [firstMomentOf(date, zone), firstMomentOf(next, zone)];
};

function FilterFields({ filters }: { readonly filters: FilterValues }) {
  const { found: rules = [] } = useFound(() => client.value.alertRules(), []);
  const change = (name: keyof FilterValues, value: string) => {
    const next = new URLSearchParams(Object.entries({ ...filters, [name]: value }).filter(([, each]) => each !== ''));
    go(`alerts?${next}`, { replace: true });
  };
  const all = ['', say('all ## of a filter')] as const;
  const units = [...(meters.value?.keys() ?? [])].map((id) => [id, titleOf(id)] as const);
  return (
    <Filters
      parts={[
        { name: 'unit', label: say('Meter'), choices: [all, ...units] },
        { name: 'rule', label: say('Rule'), choices: [all, ...rules.map(({ id, name }) => [id, name] as const)] },
        { name: 'severity', label: say('How severe'), choices: [all, ...severityChoices().toReversed()] },
        { name: 'day', type: 'date', label: say('Day') },
      ]}
      values={filters}
      change={change}
    />
  );
}

function EventTable({ events }: { readonly events: readonly AlertEvent[] }) {
  const recordingsOf = useRecordings(events);
  return (
    <Table heads={[say('When'), say('What'), { number: say('Lasted') }, { number: say('Worst') }]} class="folds">
      {events.map((event) => (
        <ClosedEvent key={event.id} event={event} recordings={recordingsOf(event)} />
      ))}
    </Table>
  );
}

function ackWords({ by, note }: NonNullable<AlertEvent['ack']>) {
  const who = <bdi>{personName(by)}</bdi>;
  return note === ''
    ? sayWith(', acknowledged by {who}', { who })
    : sayWith(', acknowledged by {who}: {note}', { who, note: <bdi>{note}</bdi> });
}

interface ClosedProps {
  readonly event: AlertEvent;
  readonly recordings: readonly SoundRecording[];
}

function ClosedEvent({ event, recordings }: ClosedProps) {
  const { unit_id, opened_at, lae, ack, cause } = event;
  const windows = windowWords(event, unitOf(unit_id)?.timezone);
  return (
    <tr>
      <td>
        <Link to={eventPath(event.id)}>{dayAndTimeOf(opened_at, unitOf(unit_id)?.timezone)}</Link>
      </td>
      <td>
        {sayWith('{rule} at {meter}', {
          rule: <bdi>{textOf(event, 'rule_name')}</bdi>,
          meter: <bdi>{titleOf(unit_id)}</bdi>,
        })}
        {windows !== '' && <span class="soft small">, {windows}</span>}
        {cause !== null && (
          <span class="soft small">
            , <bdi>{causeWord(cause)}</bdi>
          </span>
        )}
        {ack && <span class="soft small">{ackWords(ack)}</span>}
        {lae !== null && <span class="soft small">{`, ${say('LAE {level} dB', { level: decibels(lae) })}`}</span>}
        {excludedWords(event) !== '' && <span class="soft small">{`, ${excludedWords(event)}`}</span>}
        <EventRecordings recordings={recordings} />
      </td>
      <td class="number">{lastedOf(event, Date.parse(opened_at))}</td>
      <td class="number">{worstOf(event)}</td>
    </tr>
  );
}

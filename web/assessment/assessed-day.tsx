/** One day. Where a permit is valid, its verdict comes first, in the words and colours of Days; the preset is a detail then. */
import type { schemas, Unit } from '../../client/index.ts';
import { textOfDate } from '../days/calendar-days.ts';
import { decisiveOf, statusByPermit, statusWord } from '../days/day-status.ts';
import { concernsShown, meterPath, ofChannel } from '../state/address.ts';
import { csvFormat, dayAndTime, decibels, percent, span, timeOfDay } from '../state/numbers.ts';
import { DownloadLink } from '../ui/download-link.tsx';
import { Link } from '../ui/link.tsx';
import { WideTable } from '../ui/table.tsx';
import { listOf, say, sayOfApi, sayWith } from '../words/say.ts';
import { figureName } from './preset-inputs.ts';

const VERDICTS: Readonly<Record<schemas.AssessedDay['verdict'], readonly [look: string, word: () => string]>> = {
  met: ['within', () => say('met ## verdict')],
  exceeded: ['exceeded', () => say('exceeded ## verdict')],
  not_assessable: ['partly', () => say('not assessable')],
  no_limit: ['measured', () => say('no limit')],
};

const heads = () => [
  ...[say('Figure'), 'Leq', say('Value'), say('Limit'), say('Measured ## share of the time'), 'Lmax'],
  say('What to know'),
];

interface Props {
  readonly unit: Unit;
  readonly day: schemas.AssessedDay;
  /** By the permits of the unit; undefined: none is valid on this day. */
  readonly judged: schemas.UnitVerdict | undefined;
  readonly notes: readonly schemas.Note[];
  /** Definition of an event in the preset; null: the preset counts no events. */
  readonly eventRule: schemas.AssessmentPreset['events'];
}

/** Closed it shows the verdict and the values. `notes`: exclusions of the unit; those of the day are shown. */
export function AssessedDay({ unit, day, judged, notes, eventRule }: Props) {
  const { date, verdict, doubtful, figures, events } = day;
  const [presetLook, presetWord] = VERDICTS[verdict];
  const look = judged ? statusByPermit(judged, figures) : presetLook;
  const word = judged ? statusWord(statusByPermit(judged, figures)) : presetWord();
  const times = figures.flatMap(({ from, to }) => (from && to ? [{ from, to }] : []));
  const from = times.map((each) => each.from).sort()[0] ?? '';
  const to =
    times
      .map((each) => each.to)
      .sort()
      .at(-1) ?? '';
  const own = notes.filter(
    (note) => note.from < to && (note.to === null || note.to > from) && concernsShown(note.channels),
  );
  return (
    <details class="card">
      <summary>
        <span class={`day key ${look}`} />{' '}
        {sayWith('{day}: {verdict}', { day: textOfDate(date), verdict: <strong>{word}</strong> })}
        {judged && <Decisive judged={judged} />}
        {doubtful && ` ${say('(the levels are doubtful)')}`}{' '}
        <span class="soft small">{listOf(figures.flatMap(levelsOf))}</span>
      </summary>
      {judged && <PermitParts judged={judged} />}
      {judged && (
        <p class="small">{sayWith('By the preset: {verdict}.', { verdict: <strong>{presetWord()}</strong> })}</p>
      )}
      <WideTable heads={heads()}>
        {figures.map((figure) => (
          <Figure key={figure.figure} figure={figure} zone={unit.timezone} />
        ))}
      </WideTable>
      {events.map(({ period, count, lae, share, reason }) => (
        <p key={period} class="small">
          {count === null
            ? say('Events, {period}: {reason}', { period: sayOfApi(period), reason: sayOfApi(reason ?? '') })
            : say('Events, {period}: {number}, LAE {level} dB, {share} of the energy', {
                period: sayOfApi(period),
                number: count,
                level: decibels(lae),
                share: percent(share ?? 0),
              })}
        </p>
      ))}
      {eventRule && from !== '' && (
        <SavedEvents unitId={unit.unit_id} day={date} span={{ from, to }} rule={eventRule} />
      )}
      <ul class="small">
        {own.map((note) => (
          <li key={note.id}>
            {note.to === null
              ? say('Does not count: {from} to now', { from: dayAndTime(note.from, unit.timezone) })
              : say('Does not count: {from} to {to}', {
                  from: dayAndTime(note.from, unit.timezone),
                  to: dayAndTime(note.to, unit.timezone),
                })}{' '}
            <span dir="auto">{note.text}</span>
          </li>
        ))}
      </ul>
      <Link to={`${meterPath(unit.unit_id, 'history')}?${new URLSearchParams({ from, to, ...ofChannel() })}`}>
        {say('The levels of this day')}
      </Link>
    </details>
  );
}

interface JudgedProps {
  readonly judged: schemas.UnitVerdict;
}

/** The limit that decides, in the summary: `LAFmax 92.3 of 90.0 dB`. */
function Decisive({ judged }: JudgedProps) {
  const part = decisiveOf(judged);
  if (part?.value == null) return null;
  return (
    <span class="small">{` ${part.limit} ${decibels(part.value)} ${say('of {limit}', { limit: decibels(part.limit_db) })}`}</span>
  );
}

function PermitParts({ judged: { title, parts } }: JudgedProps) {
  return (
    <WideTable
      heads={[
        title,
        say('Value'),
        say('Limit'),
        say('Margin, dB'),
        say('Measured ## share of the time'),
        say('What to know'),
      ]}
    >
      {parts.map((part) => (
        <tr key={part.limit}>
          <th scope="row">{part.limit}</th>
          <td class={part.verdict === 'exceeded' ? 'over' : ''}>{decibels(part.value)}</td>
          <td>{decibels(part.limit_db)}</td>
          <td>{decibels(part.margin_db)}</td>
          <td>{percent(part.coverage)}</td>
          <td class="small">
            {sayOfApi(part.reason)} {part.excluded_s > 0 && leftOutWords(part.excluded_s, part.leq_all)}
          </td>
        </tr>
      ))}
    </WideTable>
  );
}

interface SavedEventsProps {
  readonly unitId: string;
  /** `2026-10-25`: names the file. */
  readonly day: string;
  readonly span: { readonly from: string; readonly to: string };
  readonly rule: NonNullable<schemas.AssessmentPreset['events']>;
}

function SavedEvents({ unitId, day, span: times, rule }: SavedEventsProps) {
  const { threshold, over_background, min_s, hold_s } = rule;
  const above = threshold === null ? { over_background: String(over_background) } : { threshold: String(threshold) };
  const query = { ...times, ...ofChannel(), ...above, min_s: String(min_s), hold_s: String(hold_s) };
  const path = `/${encodeURIComponent(unitId)}/events`;
  return (
    <div class="row">
      <DownloadLink path={path} query={{ ...query, format: csvFormat }} name={`noise-events_${day}.csv`}>
        {say('Events of this day as CSV')}
      </DownloadLink>
      <DownloadLink path={path} query={{ ...query, format: 'xlsx' }} name={`noise-events_${day}.xlsx`}>
        {say('Events of this day as XLSX')}
      </DownloadLink>
    </div>
  );
}

function Figure({ figure, zone }: { readonly figure: schemas.AssessedFigure; readonly zone: string | null }) {
  const { worst, excluded_s, leq_all, verdict, impact, reasons } = figure;
  const parts = worst?.parts ?? [];
  return (
    <tr>
      <th scope="row">{figureName(figure.figure)}</th>
      <td>{decibels(figure.leq)}</td>
      <td class={verdict === 'exceeded' ? 'over' : ''}>{decibels(figure.value)}</td>
      <td>{decibels(figure.limit)}</td>
      <td>{percent(figure.coverage)}</td>
      <td>{decibels(figure.lmax)}</td>
      <td class="small">
        {figure.over.length > 0 && `${listOf(levelsOf(figure))}. `}
        {reasons.map(sayOfApi).join(' ')} {impact && say('Impact: {impact}.', { impact })}
        {excluded_s > 0 && ` ${leftOutWords(excluded_s, leq_all)}`}
        {worst &&
          parts.slice(0, 12).map((part) => (
            <div key={part.from}>
              {say('{from} to {to}: {level} dB', {
                from: timeOfDay(part.from, zone),
                to: timeOfDay(part.to, zone),
                level: decibels(part.leq),
              })}
              {part.added ? ` + ${decibels(part.added)}` : ''}
              {part.rest > 0 ? ` + ${say('{level} rest', { level: decibels(part.rest) })}` : ''}
            </div>
          ))}
      </td>
    </tr>
  );
}

/** `day 62.1 of 55.0` and `LAFmax 92.3 of 90.0` of a figure that is exceeded, else its value. */
const levelsOf = ({ figure, value, over }: schemas.AssessedFigure): readonly string[] =>
  over.length > 0
    ? over.map(
        ({ quantity, level, limit }) =>
          `${quantity === 'lmax' ? 'LAFmax' : figureName(figure)} ${decibels(level)} ${say('of {limit}', { limit: decibels(limit) })}`,
      )
    : [`${figureName(figure)} ${value === null ? '–' : decibels(value)}`];

/** Of excluded time in which nothing was measured no level is known. */
const leftOutWords = (seconds: number, levelWith: number | null): string =>
  levelWith === null
    ? `${say('{length} excluded', { length: span(seconds) })}.`
    : say('{length} excluded; with this time the Leq is {level} dB.', {
        length: span(seconds),
        level: decibels(levelWith),
      });

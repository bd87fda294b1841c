/**
 * Local time: what the clocks of a place show, and the days, weeks and hours that they make. All of it is here.
 *
 * A zone is a list of spans, each with one offset from UTC. Times are ms since 1970 UTC; a local time (`local`) is what the clock
 * shows, in ms since 1970 as if that were UTC. The rules of all zones come with Node; the zone of this computer is not used.
 *
 *   UTC     |-------- +1 h --------|------- +2 h -------|--- +1 h ...
 *   local                      02:00 03:00          03:00 02:00
 *
 * Where the clocks go forward a local time is skipped, where they go back it comes twice.
 */
import { Temporal } from 'temporal-polyfill';

/** `to` does not belong to the span. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Within the span local = UTC + offset (ms). */
interface OffsetSpan extends Span {
  readonly offset: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** No local clock is further from UTC. */
const FARTHEST_MS = DAY_MS;

/** Names that are zones. Their number is limited, because callers may write a zone in many ways. */
const zones = new Set<string>();
const MOST_KNOWN = 1_000;

/** Whether this is an IANA name (`Europe/Berlin`, `UTC`), not an offset. */
export function isTimeZone(name: string): boolean {
  if (zones.has(name)) return true;
  try {
    if (!/^[A-Za-z]/.test(name) || new Intl.DateTimeFormat('en', { timeZone: name }).format(0) === '') return false;
  } catch {
    return false;
  }
  if (zones.size >= MOST_KNOWN) zones.clear();
  zones.add(name);
  return true;
}

/** The zone of this machine; UTC if it has none. */
export function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isTimeZone(timeZone) && timeZone !== 'Etc/Unknown' ? timeZone : 'UTC';
}

// A clock may count parts of a millisecond; no zone changes within a millisecond.
const inZone = (zone: string, at: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone);

/** In order, without holes; the first begins at `from`. Throws RangeError for an unknown zone. */
export function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let at = inZone(zone, from);
  for (let begin = from; ; ) {
    const next = at.getTimeZoneTransition('next');
    const end = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
    spans.push({ from: begin, to: end, offset: at.offsetNanoseconds / 1e6 });
    if (next === null || end > to) return spans;
    at = next;
    begin = end;
  }
}

/** The times in (from, to] at which the clocks of the zone change. */
export const changesOf = (zone: string, from: number, to: number): number[] =>
  offsetSpans(zone, from, to)
    .slice(1)
    .map((span) => span.from);

/** The present span of each requested zone, up to MOST_KNOWN. */
const known = new Map<string, OffsetSpan>();

/** How far the clocks are ahead of UTC, ms. Throws RangeError for an unknown zone. */
export function zoneOffset(zone: string, at: number): number {
  let span = known.get(zone);
  if (!span || at < span.from || at >= span.to) {
    const now = inZone(zone, at);
    const [before, next] = [
      now.add({ milliseconds: 1 }).getTimeZoneTransition('previous'),
      now.getTimeZoneTransition('next'),
    ];
    span = {
      from: before?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
      to: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offset: now.offsetNanoseconds / 1e6,
    };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(zone, span);
  }
  return span.offset;
}

export const localAt = (zone: string, at: number): number => at + zoneOffset(zone, at);

/**
 * The first time at which the local clock shows `local` or later. If the clock is set back over it, this is the first
 * of the two times. If it is skipped, this is the time of the change. So edges keep their order, and no time is between
 * two spans or in both.
 */
export function firstMoment(spans: readonly OffsetSpan[], local: number): number {
  const span = spans.find(({ to, offset }) => to + offset > local);
  if (!span) throw new RangeError('the spans do not reach that far');
  return Math.max(span.from, local - span.offset);
}

/** `firstMoment` for local times in this span and a day around it. */
export function momentsAround(zone: string, { from, to }: Span): (local: number) => number {
  const spans = offsetSpans(zone, from - 2 * FARTHEST_MS, to + 2 * FARTHEST_MS);
  return (local) => firstMoment(spans, local);
}

/** Each time at which the local clock shows exactly `local`: no time if it is skipped, two times if it comes twice. */
export const momentsOf = (zone: string, local: number): number[] =>
  offsetSpans(zone, local - FARTHEST_MS, local + FARTHEST_MS)
    .map(({ from, to, offset }) => ({ from, to, at: local - offset }))
    .filter(({ from, to, at }) => at >= from && at < to)
    .map(({ at }) => at);

/** Weeks begin on Monday (ISO 8601). */
type CalendarUnit = 'day' | 'week' | 'month' | 'year';

/** A day, week, month or year of the local calendar, ms since 1970 UTC. */
export interface CalendarSpan extends Span {
  /** `2026-11-21`, `2026-W47` (ISO 8601), `2026-11`, `2026`. */
  readonly name: string;
  /** Its first midnight on the local clock. */
  readonly local: number;
}

/** Every whole day, ISO week, month or year that overlaps the span. A date that a place skipped is left out. */
export function calendarSpans(zone: string, span: Span, unit: CalendarUnit): CalendarSpan[] {
  if (!(span.to > span.from)) return [];
  const longest = { day: 1, week: 7, month: 31, year: 366 }[unit] * DAY_MS;
  const moment = momentsAround(zone, { from: span.from - longest, to: span.to + longest });
  const found: CalendarSpan[] = [];
  let local = beginOf(span.from - FARTHEST_MS, unit);
  for (let from = moment(local); from < span.to; ) {
    const next = nextOf(local, unit);
    const to = moment(next);
    if (to > from && to > span.from) found.push({ name: nameOf(local, unit), local, from, to });
    local = next;
    from = to;
  }
  return found;
}

/** 1 January 1970 was a Thursday: this many days after a Monday. */
const THURSDAY = 3;
/** 0 is Monday. */
export const weekdayOf = (local: number): number => (((Math.floor(local / DAY_MS) + THURSDAY) % 7) + 7) % 7;

function beginOf(local: number, unit: CalendarUnit): number {
  const midnight = Math.floor(local / DAY_MS) * DAY_MS;
  const date = new Date(midnight);
  if (unit === 'day') return midnight;
  if (unit === 'week') return midnight - weekdayOf(midnight) * DAY_MS;
  return Date.UTC(date.getUTCFullYear(), unit === 'year' ? 0 : date.getUTCMonth());
}

function nextOf(local: number, unit: CalendarUnit): number {
  const date = new Date(local);
  if (unit === 'day') return local + DAY_MS;
  if (unit === 'week') return local + 7 * DAY_MS;
  return Date.UTC(date.getUTCFullYear() + (unit === 'year' ? 1 : 0), unit === 'year' ? 0 : date.getUTCMonth() + 1);
}

function nameOf(local: number, unit: CalendarUnit): string {
  const date = new Date(local).toISOString().slice(0, 10);
  if (unit === 'week') {
    const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(date);
    return `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`;
  }
  return date.slice(0, { day: 10, month: 7, year: 4 }[unit]);
}

/** Full steps of the local clock fall on the same times of UTC, also after a change by whole steps. */
function evenSpans(zone: string, span: Span, step: number): OffsetSpan[] {
  const even: OffsetSpan[] = [];
  for (const each of offsetSpans(zone, span.from, span.to)) {
    const last = even.at(-1);
    if (last && (each.offset - last.offset) % step === 0) even[even.length - 1] = { ...last, to: each.to };
    else even.push(each);
  }
  return even;
}

const floorTo = (at: number, offset: number, step: number): number => Math.floor((at + offset) / step) * step - offset;

/**
 * The step of the local clock around `at`: the full hour, the full quarter. `step` in ms divides a day. If the clocks
 * change by a part of a step (Lord Howe: half an hour), the step ends at the change. A shorter step follows up to the
 * next full step.
 */
export function stepAt(zone: string, at: number, step: number): Span {
  const even = evenSpans(zone, { from: at - step, to: at + step }, step);
  const own = even.find(({ to }) => to > at) ?? { from: at, to: at + step, offset: 0 };
  const begin = floorTo(at, own.offset, step);
  return { from: Math.max(own.from, begin), to: Math.min(own.to, begin + step) };
}

interface StepsOfClock {
  /** Beginning of the first step, which contains the beginning of the span. */
  readonly from: number;
  /** Further beginnings, apart from every `step`; the following steps are counted from each. */
  readonly restarts: readonly number[];
}

/** The steps of the local clock over a span, as in `stepAt`. */
export function stepsOver(zone: string, span: Span, step: number): StepsOfClock {
  const [, ...later] = evenSpans(zone, span, step);
  const restarts = later.flatMap(({ from, offset }) => {
    const full = Math.ceil((from + offset) / step) * step - offset;
    return full === from ? [from] : [from, full];
  });
  return { from: stepAt(zone, span.from, step).from, restarts: restarts.filter((at) => at < span.to) };
}

const two = (count: number): string => String(count).padStart(2, '0');

/** `2026-11-22 06:00:00`: every spreadsheet reads it as a time. */
export const localText = (local: number): string => new Date(local).toISOString().slice(0, 19).replace('T', ' ');

/** `+01:00`; offsets with seconds, which ended in 1972, are cut to the minute. */
export function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `2026-11-22T06:00:00+01:00`: the time on the clock; the offset tells two equal hours apart. */
export function localIso(zone: string, at: number): string {
  const offset = zoneOffset(zone, at);
  return `${localText(at + offset).replace(' ', 'T')}${offsetText(offset)}`;
}

/** `UTC+1`, `UTC-3:30`, `UTC`. */
export function offsetWords(offset: number): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offsetText(offset)) ?? [];
  if (Number(hours) === 0 && minutes === '00') return 'UTC';
  return `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
}

/**
 * Ms since 1970 UTC of a time with its offset (RFC 9557, ISO 8601); parts of a millisecond are dropped. Throws RangeError if the date, time or offset does not exist.
 */
export function instantOf(text: string): number {
  // The form of the API: a report of a year reads thousands of times. `Date.parse` would take 30 February.
  const at = UTC_TEXT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : Temporal.Instant.from(text).epochMilliseconds;
}

/** Days that each month has. */
const UTC_TEXT = /^\d{4}-\d\d-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/;

/** Date and time as clocks without a zone show them, in the form of the API and of the NL-43: `2025/12/24 02:10:55`, one space. */
const CLOCK = /^(?!0000)\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2}$/;

/** Read as UTC; NaN for a moment that does not exist. Without new texts: each frame of a stream has one. */
export function clockMs(text: string): number {
  if (!CLOCK.test(text)) return Number.NaN;
  const part = (from: number, to: number) => Number(text.slice(from, to));
  const [hours, minutes, seconds] = [part(11, 13), part(14, 16), part(17, 19)];
  const month = part(5, 7) - 1;
  const day = new Date(0);
  day.setUTCFullYear(part(0, 4), month, part(8, 10));
  // A 30th of February has become the 2nd of March here.
  const exists = day.getUTCMonth() === month && hours < 24 && minutes < 60 && seconds < 60;
  return exists ? day.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000 : Number.NaN;
}

/** `2026/11/21 06:00:00`, from a shown time read as UTC, ms. */
export const clockText = (local: number): string =>
  new Date(local).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');

/** Whether the text is an existing moment in this form. The range of years depends on the meter. */
export const isClockText = (text: string): boolean => !Number.isNaN(clockMs(text));

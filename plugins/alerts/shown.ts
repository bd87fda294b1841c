/** Rules and events as the API shows them. */
import { type Host, type Identity, iso, MAIN_CHANNEL, reaches } from '../../lib/index.ts';
import { excludedSeconds, type WithNotes } from '../notes/index.ts';
import type { RuleKind, SecondsSpan } from './rules/kind.ts';
import type { Rule } from './rules/rule.ts';
import { english } from './rules/sentences.ts';
import type { EventNote, EventRow } from './tables.ts';

/** A caller who may see only some units sees only these in a rule. */
export function shownRule({ createdAt, changedAt, ...rule }: Rule, kinds: readonly RuleKind[], identity: Identity) {
  const words = kinds.find(({ name }) => name === rule.kind)?.words(rule);
  return {
    ...rule,
    ...(rule.units && { units: rule.units.filter((unitId) => reaches(identity, unitId)) }),
    words: words ? english(words) : `The kind ${rule.kind} is not known: the plugin that brought it is not loaded`,
    sentences: words ? { words, ...(english(words) === rule.name && { name: words }) } : {},
    created_at: iso(createdAt),
    changed_at: iso(changedAt),
  };
}

/** An event in the form of the API. */
export type ShowEvent = (event: EventRow) => Readonly<Record<string, unknown>>;

/** Facts that are not in the row of an event. */
interface AboutEvents {
  /** Whether the gateway knows recordings of sound. */
  readonly hasRecordings?: () => boolean;
  /** Seconds of the time of an event of levels that notes exclude. */
  readonly excludedOf?: (event: EventRow) => number;
  /** The address of its page for people outside; null: it is not known. */
  readonly pageOf?: (event: EventRow) => string | null;
}

/** Adds the units of the values, which the kinds know. */
export const eventsShownBy =
  (
    kinds: readonly RuleKind[],
    { hasRecordings = () => true, excludedOf = () => 0, pageOf = () => null }: AboutEvents = {},
  ): ShowEvent =>
  (event) => ({
    id: String(event.id),
    rule: String(event.ruleId),
    rule_name: event.ruleName,
    unit_id: event.unitId,
    severity: event.severity,
    kind: event.kind,
    what: event.what,
    channel: isOfLevels(kinds, event.kind) ? (event.channel ?? MAIN_CHANNEL) : null,
    unit: kinds.find(({ name }) => name === event.kind)?.unitOf(event.what) || null,
    limit: event.limitValue,
    window_from: iso(event.windowFrom),
    window_to: iso(event.windowTo),
    windows: event.windows?.count ?? (event.windowFrom === null ? null : 1),
    opened_at: iso(event.openedAt),
    closed_at: iso(event.closedAt),
    worst: event.worst,
    worst_at: iso(event.worstAt),
    worst_is_bound: event.windows?.isBound === true,
    duration_s:
      event.closedAt === null ? null : Math.round((event.closedAt - (event.windowFrom ?? event.openedAt)) / 1_000),
    lae: event.sound?.lae ?? null,
    measured_s: event.sound?.measuredS ?? null,
    loudest: event.sound?.loudest ? { ...event.sound.loudest, at: iso(event.sound.loudest.at) } : null,
    recordings: isOfLevels(kinds, event.kind) && hasRecordings() ? recordingsOf(event) : null,
    excluded_s: isOfLevels(kinds, event.kind) ? excludedOf(event) : null,
    detail: event.detail,
    sentences: event.sentences ?? {},
    escalated_at: iso(event.escalatedAt),
    cause: event.cause,
    page: pageOf(event),
    ack: event.ack && { ...shownNote(event.ack), later: (event.ack.later ?? []).map(shownNote) },
    revised: event.revised && { ...event.revised, at: iso(event.revised.at) },
  });

const shownNote = ({ by, at, note }: EventNote) => ({ by, at: iso(at), note });

/** Finds the page of an event. `publicUrl`: address of the API for people outside; the dashboard is beside its base path. */
export const pagesBelow =
  (publicUrl: string, basePath: string) =>
  ({ id }: EventRow): string | null =>
    publicUrl !== '' && publicUrl.endsWith(basePath)
      ? `${publicUrl.slice(0, publicUrl.length - basePath.length)}/alerts/${id}`
      : null;

/** Whether events of this kind are about levels of the history. */
export const isOfLevels = (kinds: readonly RuleKind[], kind: string): boolean =>
  kinds.find(({ name }) => name === kind)?.late !== undefined;

/** The time of an event in full seconds since 1970: from its window until its end, or `now` (ms). */
export function timeOfEvent({ windowFrom, openedAt, closedAt }: EventRow, now: number): SecondsSpan {
  const from = Math.floor((windowFrom ?? openedAt) / 1_000);
  return { from, to: Math.max(from + 1, Math.ceil((closedAt ?? now) / 1_000)) };
}

/** Seconds of the time of an event that notes exclude now, for its channel. */
export function excludedOfEvent({ notes, clock }: Pick<Host, 'clock'> & WithNotes, event: EventRow): number {
  const time = timeOfEvent(event, clock.now());
  const span = { from: time.from * 1_000, to: time.to * 1_000 };
  return excludedSeconds(notes.excluded(event.unitId, span, event.channel), time);
}

/** The query that lists the recordings of the time of an event. */
function recordingsOf({ unitId, windowFrom, openedAt, closedAt }: EventRow): string {
  const from = windowFrom ?? openedAt;
  // An event that ended at once has its moment.
  const to = closedAt === null ? null : Math.max(closedAt, from + 1);
  const time = (at: number) => new Date(at).toISOString();
  const query = new URLSearchParams({ unit: unitId, from: time(from), ...(to !== null && { to: time(to) }) });
  return `/_recordings?${query}`;
}

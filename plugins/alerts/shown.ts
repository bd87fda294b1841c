/** Rules and events as the API shows them. */
import { MAIN_CHANNEL } from '../../lib/built-in.ts';
import { type Host, type Identity, iso, reaches } from '../../lib/index.ts';
import { excludedSeconds, type WithNotes } from '../notes/index.ts';
import type { SecondsSpan } from './rules/kind.ts';
import { isOfLevels, ruleKindOf } from './rules/kinds.ts';
import type { Rule } from './rules/rule.ts';
import { english } from './rules/sentences.ts';
import type { EventNote, EventRow } from './tables.ts';

/** A caller who may see only some units sees only these in a rule. */
export function shownRule({ createdAt, changedAt, ...rule }: Rule, identity: Identity) {
  const words = ruleKindOf(rule.kind)?.words(rule);
  return {
    ...rule,
    ...(rule.units && { units: rule.units.filter((unitId) => reaches(identity, unitId)) }),
    words: words ? english(words) : `The kind ${rule.kind} is not known: the plugin that brought it is not loaded`,
    sentences: words ? { words, ...(english(words) === rule.name && { name: words }) } : {},
    created_at: iso(createdAt),
    changed_at: iso(changedAt),
  };
}

export type ShowEvent = (event: EventRow) => Readonly<Record<string, unknown>>;

/** `publicUrl`: address of the API for people outside; the dashboard is beside its base path. */
export function eventsShownBy(
  host: Pick<Host, 'basePath' | 'clock' | 'jobs'> & WithNotes,
  publicUrl: string,
): ShowEvent {
  const root = publicUrl.endsWith(host.basePath) ? publicUrl.slice(0, publicUrl.length - host.basePath.length) : '';
  return (event) => {
    const ofLevels = isOfLevels(event.kind);
    return {
      id: String(event.id),
      rule: String(event.ruleId),
      rule_name: event.ruleName,
      unit_id: event.unitId,
      severity: event.severity,
      kind: event.kind,
      what: event.what,
      channel: ofLevels ? (event.channel ?? MAIN_CHANNEL) : null,
      unit: ruleKindOf(event.kind)?.unitOf(event.what) || null,
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
      recordings: ofLevels && host.jobs.knows('mirror') ? recordingsOf(event) : null,
      excluded_s: ofLevels ? excludedOfEvent(host, event) : null,
      detail: event.detail,
      sentences: event.sentences ?? {},
      escalated_at: iso(event.escalatedAt),
      cause: event.cause,
      page: root === '' ? null : `${root}/alerts/${event.id}`,
      ack: event.ack && { ...shownNote(event.ack), later: (event.ack.later ?? []).map(shownNote) },
      revised: event.revised && { ...event.revised, at: iso(event.revised.at) },
    };
  };
}

const shownNote = ({ by, at, note }: EventNote) => ({ by, at: iso(at), note });

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

function recordingsOf({ unitId, windowFrom, openedAt, closedAt }: EventRow): string {
  const from = windowFrom ?? openedAt;
  const to = closedAt === null ? null : Math.max(closedAt, from + 1);
  const time = (at: number) => new Date(at).toISOString();
  const query = new URLSearchParams({ unit: unitId, from: time(from), ...(to !== null && { to: time(to) }) });
  return `/_recordings?${query}`;
}

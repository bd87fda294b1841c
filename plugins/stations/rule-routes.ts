/** The rules of a unit, the exclusions that they propose, and the notes made of proposals. */
import { type AskedSpan, countOf, invalid, mapInParts } from '../../lib/built-in.ts';
import { type Host, iso, json, SPAN, spanOf, TIME } from '../../lib/index.ts';
import { NOTE_REASONS, type Note, type NoteReason, type WithNotes } from '../notes/index.ts';
import { causeWords, type Proposal, proposalsOf, unobservedTimes } from './proposals.ts';
import { OBSERVED, type ObservedName } from './quantities.ts';
import { type ObservationRuleInput, PROPOSAL, RULE, RULES_BODY, UNOBSERVED } from './schemas.ts';
import { observedFor } from './span.ts';
import type { StationStore } from './store.ts';
import type { ObservationRule } from './tables.ts';

/** The most days of one request, and the most notes that are made together. */
const MOST_DAYS = 370;
const MOST_PROPOSALS = 1_000;
const SHOWN_SPANS = 100;

/** One request after the other: two at the same time would write two notes about one time. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * For a unit without rules of its own: wind above 5 m/s, where a usual windscreen begins to be heard, and rain. They come
 * from practice, not from one standard. They propose, and exclude nothing.
 */
const USUAL: readonly ObservationRule[] = Object.freeze([
  { quantity: 'wind_speed', above: 5, below: null, reason: 'wind', before_s: 0, after_s: 0, min_s: 0 },
  { quantity: 'rain', above: 0, below: null, reason: 'rain', before_s: 0, after_s: 0, min_s: 0 },
]);

const RULES_ANSWER = {
  rules: { type: 'array', items: RULE },
  usual: { type: 'boolean', description: 'This unit has no rules of its own: these are the usual rules.' },
  auto_exclude: { type: 'boolean', description: 'The rules write their exclusions by themselves.' },
  judged_until: {
    ...TIME,
    type: ['string', 'null'],
    description:
      'They have judged the time until then. It does not move while the stations of the unit observe nothing.',
  },
} as const;
const SHOWN_RULES = { type: 'object', properties: RULES_ANSWER, required: Object.keys(RULES_ANSWER) };

export function addRules(host: Host & WithNotes, store: StationStore, inTurn: InTurn): void {
  const shown = (unitId: string) => {
    const own = store.rulesOf(unitId);
    const until = own?.autoFrom ?? null;
    return {
      rules: own?.rules ?? USUAL,
      usual: own === undefined,
      auto_exclude: until !== null,
      judged_until: until === null ? null : iso(until),
    };
  };
  host.route({
    method: 'GET',
    path: '/{unit_id}/notes/rules',
    access: 'viewer',
    operation: 'showExclusionRules',
    summary: 'Show which observations are a reason to exclude levels',
    answer: { data: SHOWN_RULES },
    errors: ['UNIT_NOT_FOUND'],
    handle({ unitId }) {
      host.configs.of(unitId);
      return { data: shown(unitId) };
    },
  });
  host.route<RulesInput, unknown>({
    method: 'PUT',
    path: '/{unit_id}/notes/rules',
    access: 'operator',
    operation: 'replaceExclusionRules',
    summary: 'Say which observations are a reason to exclude levels',
    description:
      'All rules of the unit. They propose exclusions (GET notes/proposals); with `auto_exclude` they write them, too.',
    body: RULES_BODY,
    answer: {
      message: { type: 'string' },
      data: SHOWN_RULES,
    },
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ unitId, body, before }) {
      host.configs.of(unitId);
      before(shown(unitId));
      await store.putRules(unitId, body.rules.map(checkedRule), body.auto_exclude === true);
      return { message: `The rules of ${unitId} are changed.`, data: shown(unitId) };
    },
  });
  addProposals(host, store, inTurn);
}

interface RulesInput {
  readonly rules: readonly ObservationRuleInput[];
  readonly auto_exclude?: boolean;
}

const REASONS: Partial<Record<ObservedName, NoteReason>> = { wind_speed: 'wind', gust: 'wind', rain: 'rain' };

/** Errors: INVALID. */
function checkedRule(rule: ObservationRuleInput, at: number): ObservationRule {
  const { quantity, above, below, reason = REASONS[quantity] ?? 'other' } = rule;
  if ((above === null) === (below === null))
    throw invalid([{ path: `/rules/${at}`, message: 'needs one of above and below' }]);
  const { least, most, unit } = OBSERVED[quantity];
  const between = `must be between ${least} and ${most} ${unit}: with this limit the rule holds always or never`;
  if (above !== null && (above < least || above >= most))
    throw invalid([{ path: `/rules/${at}/above`, message: between }]);
  if (below !== null && (below <= least || below > most))
    throw invalid([{ path: `/rules/${at}/below`, message: between }]);
  return { ...rule, reason };
}

interface AcceptInput extends AskedSpan {
  readonly reasons?: readonly NoteReason[];
}

function addProposals(host: Host & WithNotes, store: StationStore, inTurn: InTurn): void {
  host.route<unknown, AskedSpan>({
    method: 'GET',
    path: '/{unit_id}/notes/proposals',
    access: 'viewer',
    operation: 'listNoteProposals',
    summary: 'Show the exclusions that the observations of a time suggest',
    description:
      'Times that the rules of the unit would exclude, and are not excluded for this reason yet. `unobserved` has the times without observations: they may have had bad weather.',
    query: SPAN,
    answer: {
      data: { type: 'array', items: PROPOSAL },
      unobserved: { type: 'array', items: UNOBSERVED },
      stations: {
        type: 'array',
        items: { type: 'string' },
        description: 'Ids of the stations that are for this unit.',
      },
    },
    cost: ({ unitId, query }) => daysOf(query) * Math.max(1, store.listFor(unitId).length),
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      const { proposals, unobserved, stations } = await judged(host, store, unitId, query);
      return { data: await mapInParts(proposals, shownProposal), unobserved, stations };
    },
  });
  host.route<AcceptInput, unknown>({
    method: 'POST',
    path: '/{unit_id}/notes/proposals/accept',
    access: 'operator',
    operation: 'acceptNoteProposals',
    summary: 'Write the exclusions that the observations of a time suggest',
    description:
      'Makes an exclusion of each proposal. A second request changes nothing: an excluded time is not proposed again.',
    body: ACCEPT_BODY,
    answer: {
      message: { type: 'string' },
      data: { type: 'array', items: PROPOSAL },
      notes: { type: 'array', items: { type: 'string' }, description: 'Ids of the new exclusions.' },
    },
    statuses: [201],
    cost: ({ unitId, body }) => daysOf(body) * Math.max(1, store.listFor(unitId).length),
    errors: ['UNIT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    handle: ({ unitId, body, identity }) => inTurn(() => accept(host, store, unitId, body, identity.name)),
  });
}

const ACCEPT_BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['from', 'to'],
  properties: {
    from: withoutRequired(SPAN.from),
    to: withoutRequired(SPAN.to),
    reasons: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: NOTE_REASONS },
      description: 'only proposals with one of these reasons; default: all',
    },
  },
  example: { from: '2026-11-14T00:00:00Z', to: '2026-11-21T00:00:00Z', reasons: ['wind'] },
};

function withoutRequired({ required: _, ...schema }: Readonly<Record<string, unknown>>) {
  return schema;
}

async function accept(host: Host & WithNotes, store: StationStore, unitId: string, body: AcceptInput, by: string) {
  const { proposals } = await judged(host, store, unitId, body);
  const wanted = proposals.filter(({ reason }) => body.reasons?.includes(reason) ?? true);
  if (wanted.length > MOST_PROPOSALS)
    throw invalid([{ path: '/from', message: `is too early: there are more than ${MOST_PROPOSALS} proposals` }]);
  const notes: string[] = [];
  for (const proposal of wanted) notes.push(String((await exclude(host, unitId, proposal, by)).id));
  const message = `${countOf(notes.length, 'exclusion is', 'exclusions are')} written.`;
  return json({ message, data: wanted.map(shownProposal), notes }, { status: 201 });
}

/** Errors: as `notes.add`. */
export function exclude(
  host: Host & WithNotes,
  unitId: string,
  { from, to, reason, causes }: Proposal,
  by: string,
): Promise<Note> {
  const text = causes.map(causeWords).join('\n');
  return host.notes.add(unitId, { from, to, kind: 'exclusion', reason, text, channels: null, observed: true }, by);
}

const shownProposal = ({ from, to, reason, causes }: Proposal) => ({
  from: iso(from),
  to: iso(to),
  reason,
  text: causes.map(causeWords).join('\n'),
});

/** Errors: INVALID. */
function daysOf(asked: AskedSpan): number {
  const { from, to } = spanOf(asked);
  const days = (to - from) / 86_400_000;
  if (days > MOST_DAYS) throw invalid([{ path: '/to', message: `must be at most ${MOST_DAYS} days after from` }]);
  return days;
}

/** Future time is neither observed nor missing. Errors: UNIT_NOT_FOUND, INVALID. */
async function judged(host: Host & WithNotes, store: StationStore, unitId: string, asked: AskedSpan) {
  host.configs.of(unitId);
  daysOf(asked);
  const { from, to } = spanOf(asked);
  // Notes have full seconds in the past.
  const within = { from, to: Math.min(to, Math.floor(host.clock.now() / 1_000) * 1_000) };
  const rules = store.rulesOf(unitId)?.rules ?? USUAL;
  const stations = await observedFor(store, unitId, rules, within);
  const quantities = [...new Set(rules.map(({ quantity }) => quantity))];
  const unobserved = [];
  for (const quantity of quantities) {
    const lacks = within.to > within.from ? await unobservedTimes(quantity, stations, within) : [];
    const seconds = Math.round(lacks.reduce((sum, lack) => sum + (lack.to - lack.from), 0) / 1_000);
    const spans = lacks.slice(0, SHOWN_SPANS).map((lack) => ({ from: iso(lack.from), to: iso(lack.to) }));
    if (seconds > 0) unobserved.push({ quantity, seconds, spans });
  }
  const proposals = await proposalsOf(rules, stations, within, host.notes.list(unitId));
  return { proposals, unobserved, stations: stations.map(({ id }) => id) };
}

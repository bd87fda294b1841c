/** Routes of permits and of verdicts. */
import { type InputError, invalid } from '../../lib/built-in.ts';
import {
  addNamedRoutes,
  type DeviceConfig,
  daysIn,
  GatewayError,
  type Host,
  type Identity,
  isGatewayError,
  type Request,
  reaches,
  rest,
  type Schema,
  UNIT_ID,
} from '../../lib/index.ts';
import type { PermitBody } from './contract.ts';
import {
  type Dates,
  decides,
  judge,
  lastDates,
  type PermitDay,
  type PermitParts,
  together,
  togetherOfDays,
  unitDays,
} from './judge.ts';
import { amberOf, limitProblems, presetOf } from './limits.ts';
import {
  PERMIT,
  PERMIT_BODY,
  PERMIT_FIXED,
  PERMIT_RULES,
  PERMIT_VERDICT,
  PERMIT_YESTERDAY,
  type PermitInput,
  UNIT_VERDICTS,
} from './schemas.ts';
import { isFor, isSeen, type Permit } from './store.ts';

const NAME: Readonly<Record<string, Schema>> = {
  name: { type: 'string', pattern: UNIT_ID, description: 'Name of a permit.' },
};
const MOST_DAYS = 370;
const DAY_MS = 86_400_000;

export function addPermits({ host, store, assessments }: PermitParts): void {
  addNamedRoutes<PermitInput>(host, {
    path: '/_permits',
    param: NAME,
    noun: 'permit',
    notFound: 'PERMIT_NOT_FOUND',
    schema: PERMIT,
    body: { body: PERMIT_BODY, bodyBytes: 200_000 },
    fixed: PERMIT_FIXED,
    reading: { filtersUnits: true, etag: true },
    words: PERMIT_WORDS,
    list: (identity) =>
      store
        .list()
        .filter((permit) => isSeen(permit, identity, host.configs.list()))
        .map((permit) => shown(permit, identity)),
    async put(name, given, request) {
      const { title = name, responsible = '', targets = [] } = given;
      const body: PermitBody = { ...given, title, responsible, targets };
      const problems = [
        ...siteProblems(host, body),
        ...limitProblems(assessments, body),
        ...(await targetProblems(host, request, body)),
      ];
      if (problems.length > 0) throw invalid(problems);
      return shown(await store.put({ name, body }), request.identity);
    },
    remove: (name) => store.remove(name),
  });
}

const PERMIT_WORDS = {
  list: {
    operation: 'listPermits',
    summary: 'List the permits',
    description: 'A permit holds the limits of a site. Permits of the units that the API key may see.',
  },
  show: { operation: 'showPermit', summary: 'Show a permit' },
  put: {
    operation: 'replacePermit',
    summary: 'Create or replace a permit',
    description:
      'Units or a tag, and a preset with its area or limits of its own. From then on the days of these units have a verdict. The data of a GET may be sent back.',
  },
  remove: {
    operation: 'removePermit',
    summary: 'Remove a permit',
    description: 'The levels stay; the days of its units have no verdict any more.',
  },
};

interface VerdictQuery {
  readonly day?: string;
  readonly from?: string;
  readonly to?: string;
}
const DATE: Schema = { type: 'string', format: 'date' };
const DATES: Readonly<Record<string, Schema>> = {
  day: { ...DATE, description: 'A day by the clock of each unit. Default: yesterday.' },
  from: { ...DATE, description: 'The first of several days, with `to`.' },
  to: { ...DATE, description: 'The last of several days, included.' },
};

export function addPermitRules({ host, store, assessments }: PermitParts): void {
  host.route<unknown, { readonly margin_db: number }>({
    method: 'GET',
    path: '/_permits/{name}/rules',
    params: NAME,
    access: 'viewer',
    operation: 'showRulesOfPermit',
    filtersUnits: true,
    summary: 'Show the limits of a permit as rules of alerts',
    description:
      'One rule a limit, with its units or tag, and its targets: an event of it is a warning from amber_db on, and critical above the limit. Nothing is made: send `rules` to POST /_alerts/rules/batch.',
    query: {
      margin_db: {
        type: 'number',
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'A limit without amber_db warns so many dB below; 0: it does not warn.',
      },
    },
    answer: { data: PERMIT_RULES },
    errors: ['PERMIT_NOT_FOUND'],
    handle({ params, query, identity }) {
      const permit = permitSeen({ host, store }, params.name, identity);
      const { body } = permit;
      const { area } = body;
      const own = amberOf(body);
      const { margin_db: margin } = query;
      const amber = (name: string, limit: number) =>
        own.get(name) ?? (margin > 0 && limit >= margin ? Math.round((limit - margin) * 100) / 100 : undefined);
      const asked = { margin_db: 0, ...(area !== undefined && { area }) };
      const { rules, left_out, notes } = assessments.rules(presetOf(assessments, body), asked, amber);
      const { units, tag, targets } = shown(permit, identity);
      const whose = { ...(units && { units }), ...(tag !== undefined && { tag }), targets };
      return { data: { rules: rules.map((rule) => ({ ...rule, ...whose })), left_out, notes } };
    },
  });
}

export function addVerdicts(parts: PermitParts): void {
  const { host, store, assessments } = parts;
  host.route<unknown, VerdictQuery>({
    method: 'GET',
    path: '/_permits/{name}/verdict',
    params: NAME,
    access: 'viewer',
    operation: 'showPermitVerdict',
    filtersUnits: true,
    summary: 'Judge days by a permit',
    description:
      'Each limit of each unit on each day on which one applies. A time without such a day is `not_assessable`, without parts. No meter is contacted.',
    query: DATES,
    answer: { data: PERMIT_VERDICT },
    errors: ['PERMIT_NOT_FOUND'],
    cost: ({ query }) => daysOf(query) * host.configs.list().length,
    async handle({ params, query, identity, caller }) {
      const permit = permitSeen(parts, params.name, identity);
      const asked = datesOf(query);
      const own = host.configs.list().filter((config) => isFor(permit, config) && reaches(identity, config.unitId));
      const units = await eachOf(own, async (config) => {
        const dates = asked ?? yesterday(config.timezone, host.clock.now());
        const days = await judge({ assessments, clock: host.clock }, permit.body, config, dates, caller.signal);
        return { unit_id: config.unitId, ...togetherOfDays(days), parts: days.flatMap((day) => day.parts) };
      });
      return { data: { permit: permit.name, title: permit.body.title, ...together(units), units } };
    },
  });
  host.route<unknown, { readonly days: number }>({
    method: 'GET',
    path: '/_verdicts',
    access: 'viewer',
    operation: 'listVerdicts',
    filtersUnits: true,
    summary: 'Judge the last days of all units by their permits',
    description:
      'Units without a permit are left out: their levels have no verdict. The last day is today so far. `permits`: yesterday of each permit.',
    query: { days: { type: 'integer', minimum: 1, maximum: 31, default: 7 } },
    answer: { data: { type: 'array', items: UNIT_VERDICTS }, permits: { type: 'array', items: PERMIT_YESTERDAY } },
    errors: [],
    cost: ({ query }) => query.days * host.configs.list().length,
    async handle({ query, identity, caller }) {
      const permitted = host.configs
        .list()
        .filter((config) => reaches(identity, config.unitId) && store.list().some((permit) => isFor(permit, config)));
      const data = await eachOf(permitted, async (config) => {
        const dates = lastDates(config.timezone, host.clock.now(), query.days);
        return { unit_id: config.unitId, days: await unitDays(parts, config, { dates }, caller.signal) };
      });
      const permits: object[] = [];
      for (const permit of store.list()) {
        const own = permitted.filter((config) => isFor(permit, config));
        const units = await eachOf(own, async (config) => {
          const dates = yesterday(config.timezone, host.clock.now());
          const days = await unitDays(parts, config, { dates, permit: permit.name }, caller.signal);
          return { unit_id: config.unitId, days };
        });
        if (own.length > 0) permits.push(yesterdayOf(permit, units));
      }
      return { data, permits };
    },
  });
  host.route<unknown, VerdictQuery & { readonly permit?: string }>({
    method: 'GET',
    path: '/{unit_id}/verdicts',
    access: 'viewer',
    operation: 'showVerdicts',
    summary: 'Judge days of a unit by its permits',
    description: 'Without a permit `days` is empty: what is known then is a level, not a verdict.',
    query: {
      ...DATES,
      permit: { type: 'string', pattern: UNIT_ID, description: 'This permit alone; absent: the one that decides.' },
    },
    answer: { data: UNIT_VERDICTS },
    errors: ['UNIT_NOT_FOUND'],
    cost: ({ query }) => daysOf(query),
    async handle({ unitId, query, caller }) {
      const config = host.configs.of(unitId);
      const dates = datesOf(query) ?? yesterday(config.timezone, host.clock.now());
      return {
        data: { unit_id: unitId, days: await unitDays(parts, config, { dates, permit: query.permit }, caller.signal) },
      };
    },
  });
}

/** Units that are judged at once: one is computed while the history reads for the others. */
const AT_ONCE = 4;

async function eachOf<Made>(
  configs: readonly DeviceConfig[],
  of: (config: DeviceConfig) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const waiting = configs.entries();
  const work = async () => {
    for (const [at, config] of waiting) {
      made[at] = await of(config);
      await rest();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return made;
}

/** The units of a permit together; their days are yesterday, or nothing where no limit applied. */
function yesterdayOf(
  { name, body: { title } }: Permit,
  units: readonly { readonly unit_id: string; readonly days: readonly PermitDay[] }[],
) {
  const known = units.flatMap(({ unit_id, days }) => days.map((day) => ({ unit_id, day })));
  const worst = known.reduce<(typeof known)[number] | undefined>(
    (most, each) => (most && !decides(each.day, most.day) ? most : each),
    undefined,
  );
  const yesterday = worst ? { ...together(known.map(({ day }) => day)), unit_id: worst.unit_id } : null;
  return { permit: name, title, units: units.map(({ unit_id }) => unit_id), yesterday };
}

const yesterday = (zone: string, now: number): Dates => {
  const { from } = lastDates(zone, now, 2);
  return { from, to: from };
};

const daysOf = ({ from, to }: VerdictQuery): number =>
  from && to ? daysIn({ from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` }) + 1 : 1;

/** Undefined: yesterday. Errors: INVALID. */
function datesOf({ day, from, to }: VerdictQuery): Dates | undefined {
  if (day !== undefined) {
    if (from !== undefined || to !== undefined)
      throw invalid([{ path: '/day', message: 'cannot be used together with from and to' }]);
    return { from: day, to: day };
  }
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined)
    throw invalid([{ path: from === undefined ? '/from' : '/to', message: 'is needed, too' }]);
  if (to < from) throw invalid([{ path: '/to', message: 'is before from' }]);
  if (Date.parse(to) - Date.parse(from) >= MOST_DAYS * DAY_MS)
    throw invalid([{ path: '/to', message: `is more than ${MOST_DAYS} days after from` }]);
  return { from, to };
}

/** Without units that the caller may not see. */
function shown({ name, body }: Permit, identity: Identity): PermitBody & { readonly name: string } {
  const { units } = body;
  return { ...body, ...(units && { units: units.filter((unitId) => reaches(identity, unitId)) }), name };
}

/** Errors: PERMIT_NOT_FOUND, also for a permit of units that the caller may not see. */
function permitSeen({ host, store }: Pick<PermitParts, 'host' | 'store'>, name = '', identity: Identity): Permit {
  const permit = store.find(name);
  if (!permit || !isSeen(permit, identity, host.configs.list()))
    throw new GatewayError('PERMIT_NOT_FOUND', `There is no permit ${name}.`);
  return permit;
}

function siteProblems({ configs }: Host, { units, tag, valid_from, valid_until }: PermitBody): InputError[] {
  const problems: InputError[] = (units ?? []).flatMap((unitId, at) =>
    configs.get(unitId) ? [] : [{ path: `/units/${at}`, message: 'is no unit of this gateway' }],
  );
  if (units === undefined && tag === undefined)
    problems.push({ path: '/units', message: 'is needed, or a tag that the units have' });
  if (units !== undefined && tag !== undefined)
    problems.push({ path: '/tag', message: 'cannot be used together with units: leave one of the two out' });
  if (valid_from !== undefined && valid_until !== undefined && valid_until < valid_from)
    problems.push({ path: '/valid_until', message: 'is before valid_from' });
  return problems;
}

async function targetProblems(
  host: Host,
  request: Request<unknown, unknown>,
  { targets }: PermitBody,
): Promise<InputError[]> {
  const problems: InputError[] = [];
  for (const [at, id] of targets.entries())
    try {
      await host.ask(request, { method: 'GET', path: '/_alerts/targets/{id}', params: { id } });
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      problems.push({ path: `/targets/${at}`, message: 'is no target of GET _alerts/targets' });
    }
  return problems;
}

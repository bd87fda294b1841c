/** Rules and events of alerts in the shapes of SLMM. The gateway stores them; fields that its rules lack are stored separately. */
import { GatewayError, type Schema, type Tables } from '../../lib/index.ts';
import { gatewayRule, RULE_BODY, RULE_NAMES, SLMM_RULES, type SlmmRule, slmmRuleOf } from './alert-rule.ts';
import {
  type SlmmGateway,
  type SlmmRequest,
  type SlmmRoute,
  type SlmmValues,
  slmmRoute,
  slmmTime,
  withoutNulls,
} from './route.ts';

const ID: Schema = { type: 'string', pattern: '^[1-9][0-9]{0,14}$' };
const PAGE = 1_000;

interface GatewayRule extends SlmmValues {
  readonly id: string;
  readonly kind: string;
  readonly units?: readonly string[];
}

interface GatewayEvent {
  readonly id: string;
  readonly rule: string;
  readonly rule_name: string;
  readonly unit_id: string;
  readonly kind: 'level' | 'device';
  readonly what: string;
  readonly limit: number | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly worst: number | null;
  readonly ack: { readonly by: string; readonly at: string } | null;
}

export const alertRoutes = (tables: Tables): readonly SlmmRoute[] => [...ruleRoutes(tables), ...EVENT_ROUTES];

function ruleRoutes(tables: Tables): readonly SlmmRoute[] {
  const kept = async (ids: readonly number[]): Promise<ReadonlyMap<number, SlmmRule>> => {
    const rows = await tables.read((read) => read.find(SLMM_RULES, { where: { id: ids } }));
    return new Map(rows.map(({ id, body }) => [id, body]));
  };
  const keep = (id: number, body: SlmmRule) => tables.write((rows) => rows.put(SLMM_RULES, [{ id, body }]));

  return [
    slmmRoute('GET', '/{unit_id}/alerts/rules', 'viewer', {}, async (request, gateway) => {
      const rules = await rulesOf(gateway, request);
      const words = await kept(rules.map(({ id }) => Number(id)));
      return { rules: rules.map((rule) => shown(request.unitId, rule, words.get(Number(rule.id)))) };
    }),
    slmmRoute(
      'POST',
      '/{unit_id}/alerts/rules',
      'admin',
      {
        body: RULE_BODY,
        required: ['threshold_db'],
      },
      async (request, gateway) => {
        const rule = ruleIn(request.body);
        const body = gatewayRule(request.unitId, rule);
        const { data } = await gateway.ask(request, { method: 'POST', path: '/_alerts/rules', body });
        const made = data as GatewayRule;
        await keep(Number(made.id), rule);
        return { rule: shown(request.unitId, made, rule), ...unheard(gateway, request.unitId, rule) };
      },
    ),
    slmmRoute(
      'PUT',
      '/{unit_id}/alerts/rules/{id}',
      'admin',
      {
        params: { id: ID },
        body: RULE_BODY,
        required: ['threshold_db'],
      },
      async (request, gateway) => {
        const { id } = await ownRule(gateway, request);
        const rule = ruleIn(request.body);
        const body = gatewayRule(request.unitId, rule);
        const path = '/_alerts/rules/{id}';
        const { data } = await gateway.ask(request, { method: 'PUT', path, params: { id }, body });
        await keep(Number(id), rule);
        return { rule: shown(request.unitId, data as GatewayRule, rule), ...unheard(gateway, request.unitId, rule) };
      },
    ),
    slmmRoute('DELETE', '/{unit_id}/alerts/rules/{id}', 'admin', { params: { id: ID } }, async (request, gateway) => {
      const { id } = await ownRule(gateway, request);
      await gateway.ask(request, { method: 'DELETE', path: '/_alerts/rules/{id}', params: { id } });
      await tables.write((rows) => rows.remove(SLMM_RULES, { id: Number(id) }));
      return { deleted: Number(id) };
    }),
  ];
}

const EVENT_ROUTES: readonly SlmmRoute[] = [
  slmmRoute(
    'GET',
    '/{unit_id}/alerts/events',
    'viewer',
    {
      query: { limit: { type: 'integer', minimum: 1, maximum: PAGE, default: 50 } },
    },
    async (request, { ask }) => {
      const query = { unit: request.unitId, limit: request.query.limit };
      const { data } = await ask(request, { method: 'GET', path: '/_alerts/events', query });
      return { events: (data as readonly GatewayEvent[]).map(shownEvent) };
    },
  ),
  slmmRoute(
    'POST',
    '/{unit_id}/alerts/events/{id}/ack',
    'operator',
    {
      params: { id: ID },
      query: { by: { type: 'string', maxLength: 100 } },
    },
    async (request, { ask }) => {
      const { id = '' } = request.params;
      const note = typeof request.query.by === 'string' ? `by ${request.query.by}` : '';
      await ask(request, { method: 'POST', path: '/_alerts/events/{id}/ack', params: { id }, body: { note } });
      return { acknowledged: true };
    },
  ),
];

async function rulesOf(gateway: SlmmGateway, request: SlmmRequest): Promise<GatewayRule[]> {
  const rules: GatewayRule[] = [];
  for (let cursor: unknown; ; ) {
    const query = { limit: PAGE, ...(typeof cursor === 'string' && { cursor }) };
    const { data, next } = await gateway.ask(request, { method: 'GET', path: '/_alerts/rules', query });
    rules.push(...(data as readonly GatewayRule[]));
    if (typeof next !== 'string') break;
    cursor = next;
  }
  return rules.filter(({ kind, units }) => kind === 'level' && units?.includes(request.unitId));
}

async function ownRule(gateway: SlmmGateway, request: SlmmRequest): Promise<GatewayRule> {
  const rule = (await rulesOf(gateway, request)).find(({ id }) => id === request.params.id);
  if (!rule) throw new GatewayError('ALERT_NOT_FOUND', `There is no rule ${request.params.id} of this unit.`);
  return rule;
}

/** Values that SLMM stores for absent fields. */
const UNSET = {
  schedule_start: null,
  schedule_end: null,
  schedule_days: null,
  recipients: null,
  channels: null,
} as const satisfies Partial<SlmmRule>;
/** The body after its check against RULE_BODY, which fills in all other defaults. */
type Checked = Omit<SlmmRule, keyof typeof UNSET> & Partial<SlmmRule>;

const ruleIn = (body: SlmmValues): SlmmRule => ({ ...UNSET, ...(withoutNulls(body, RULE_NAMES) as Checked) });

const shown = (unitId: string, rule: GatewayRule, words: SlmmRule | undefined) => ({
  id: Number(rule.id),
  unit_id: unitId,
  ...(words ?? slmmRuleOf(rule)),
});

/** A limit on short times needs the fast stream: single readings miss the time between them. */
function unheard({ host }: SlmmGateway, unitId: string, { enabled }: SlmmRule): SlmmValues {
  if (!enabled || host.configs.get(unitId)?.history === 'stream') return {};
  return {
    warning: `The levels of ${unitId} are not recorded all the time: set "history" to "stream" in its config of the gateway, or the rule may miss short noise.`,
  };
}

const shownEvent = (event: GatewayEvent) => ({
  id: Number(event.id),
  ...(event.what === 'unreachable'
    ? { rule_id: 0, metric: 'connectivity', threshold_db: 0 }
    : { rule_id: Number(event.rule), metric: event.what, threshold_db: event.limit ?? 0 }),
  unit_id: event.unit_id,
  rule_name: event.rule_name,
  onset_at: slmmTime(event.opened_at),
  onset_value: event.worst,
  peak_value: event.worst,
  clear_at: slmmTime(event.closed_at),
  status: event.closed_at === null ? 'active' : 'cleared',
  acknowledged_at: slmmTime(event.ack?.at),
  acknowledged_by: event.ack?.by ?? null,
});

/** Lists sent and waiting messages. */
import { type Host, iso, listQuery, NEXT, type PageQuery, pageOf, type Tables } from '../../../lib/index.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-tables.ts';
import { DELIVERY } from './target-schemas.ts';

interface DeliveriesQuery extends PageQuery {
  readonly target?: string;
  readonly state?: DeliveryRow['state'];
}

/** `GET /_alerts/deliveries`. */
export function addDeliveryRoutes(host: Host, tables: Tables): void {
  host.route<unknown, DeliveriesQuery>({
    method: 'GET',
    path: '/_alerts/deliveries',
    access: 'admin',
    summary: 'List what was sent and what waits, the newest first',
    query: listQuery({
      target: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: 'the id of a target' },
      state: { type: 'string', enum: ['waiting', 'done', 'failed'] },
    }),
    answer: { data: { type: 'array', items: DELIVERY }, next: NEXT },
    etag: true,
    errors: [],
    async handle({ query: { limit, cursor, target, state } }) {
      const where = {
        ...(target !== undefined && { targetId: Number(target) }),
        ...(state !== undefined && { state }),
        ...(cursor !== undefined && { id: { below: Number(cursor) } }),
      };
      const found = await tables.read((rows) =>
        rows.find(DELIVERIES, { where, order: { id: 'desc' }, limit: limit + 1 }),
      );
      const { page, next } = pageOf(found, limit, ({ id }) => id);
      return { data: page.map(shownDelivery), next };
    },
  });
}

const shownDelivery = (row: DeliveryRow) => ({
  id: String(row.id),
  target: String(row.targetId),
  event: row.eventId === null ? null : String(row.eventId),
  unit_id: typeof row.event.unit_id === 'string' ? row.event.unit_id : null,
  type: row.type,
  state: row.state,
  tries: row.tries,
  outcome: row.outcome,
  created_at: iso(row.createdAt),
  not_before: iso(row.notBefore),
  ended_at: iso(row.endedAt),
});

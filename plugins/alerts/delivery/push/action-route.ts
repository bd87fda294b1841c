/** The buttons of a notification. The signature of a button is the permission. The present rights of the phone's owner count. */
import type { PushAction } from '../../../../client/schemas.ts';
import { suffices } from '../../../../lib/built-in.ts';
import { GatewayError, type Identity } from '../../../../lib/index.ts';
import type { Alerts } from '../../parts.ts';
import { ID } from '../../schemas.ts';
import type { EventRow, PhoneRow } from '../../tables.ts';
import { PUSH_ACTIONS } from '../signed-links.ts';

const QUIET_MS = 3_600_000;

export function addActionRoute(alerts: Alerts): void {
  const { host } = alerts;
  host.route<PushAction, unknown>({
    method: 'POST',
    path: '/_push/actions',
    operation: 'usePushAction',
    access: 'public',
    summary: 'Do the action of a button of a notification on a phone',
    description:
      'The body came with the notification. It needs no API key: its signature is the permission, for one action, one event and one phone, for a day. `acknowledge`: as `POST _alerts/events/{id}/ack`, where the owner of the phone may do so. `quiet`: for an hour this phone gets no messages about this rule at this unit; they are sent afterwards.',
    body: {
      title: 'PushAction',
      type: 'object',
      additionalProperties: false,
      required: ['action', 'event', 'phone', 'expires', 'signature'],
      properties: {
        action: { type: 'string', enum: [...PUSH_ACTIONS] },
        event: ID,
        phone: ID,
        expires: {
          type: 'integer',
          minimum: 0,
          maximum: 99_999_999_999,
          'x-unit': 's',
          description: 'when the button ends, in seconds since 1970 UTC',
        },
        signature: { type: 'string', minLength: 1, maxLength: 100, description: 'the signature' },
      },
    },
    answer: { message: { type: 'string' } },
    errors: ['ALERT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ body, recordAs }) {
      const { event, phone } = await pressed(alerts, body);
      const role = host.rightsOf(phone.owner)?.role ?? 'viewer';
      const { isDone, message } = await ACTIONS[body.action](alerts, event, phone, role);
      if (isDone) recordAs?.(`${phone.person}, by phone ${phone.id}`, role);
      return { message };
    },
  });
}

/** Does the action of a button. `isDone` false: nothing was changed. Errors: ALERT_NOT_FOUND. */
type Act = (
  alerts: Alerts,
  event: EventRow,
  phone: PhoneRow,
  role: Identity['role'],
) => Promise<{ readonly isDone: boolean; readonly message: string }>;

const ACTIONS: Readonly<Record<PushAction['action'], Act>> = {
  async acknowledge({ host, events }, { id }, { person }, role) {
    if (!suffices(role, 'operator')) throw notFound();
    const ack = { by: person, at: host.clock.now(), note: '' };
    const changed = await events.change(id, 'acknowledged', (present) => (present.ack ? present : { ...present, ack }));
    if (!changed) throw notFound();
    const isDone = changed.ack === ack;
    return {
      isDone,
      message: isDone ? 'The event is acknowledged.' : `The event was acknowledged before, by ${changed.ack?.by}.`,
    };
  },
  async quiet({ host, phones }, { ruleId, unitId, ruleName }, { id }) {
    await phones.quiet(id, { ruleId, unitId, until: host.clock.now() + QUIET_MS });
    return { isDone: true, message: `This phone is quiet about ${ruleName} for an hour.` };
  },
};

const notFound = (): GatewayError =>
  new GatewayError('ALERT_NOT_FOUND', 'This button is wrong, or its phone gets no more alerts.');

async function pressed(
  { events, phones, signatures }: Alerts,
  given: PushAction,
): Promise<{ readonly event: EventRow; readonly phone: PhoneRow }> {
  const phone = phones.find(Number(given.phone));
  const event = phone && (await events.change(Number(given.event), 'acknowledged', (present) => present));
  if (!event || !phones.mayGet(phone, event.unitId)) throw notFound();
  const found = await signatures.check(given, phone, event);
  if (found === 'wrong') throw notFound();
  if (found === 'expired')
    throw new GatewayError('ALERT_NOT_FOUND', 'This button has expired: open the event in the dashboard.');
  return { event, phone };
}

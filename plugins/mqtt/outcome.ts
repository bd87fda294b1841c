/** The result of a route, as the message on the topic `result`. */
import { type Host, isGatewayError, messageOf } from '../../lib/index.ts';
import type { MqttSettings } from './settings.ts';

/** The answer of the route, or its error; `errors`: the wrong fields of the input, each with its path. */
export type CallOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly detail: string; readonly errors?: readonly object[] };

/** Never throws. */
export async function outcomeOf(host: Host<MqttSettings>, call: Parameters<Host['call']>[0]): Promise<CallOutcome> {
  try {
    return { ok: true, ...(await host.call(call)) };
  } catch (error) {
    if (isGatewayError(error)) {
      const { code, message, errors } = error;
      return { ok: false, code, detail: message, ...(errors && { errors }) };
    }
    host.log.error({ unit_id: call.unitId, path: call.path, reason: messageOf(error) }, 'a call from a topic failed');
    return { ok: false, code: 'INTERNAL', detail: 'An error in the gateway.' };
  }
}

/** The part of the history that shows an alert event, and the part of its time that does not count. */
import { type AlertEvent, GATEWAY_ID } from '../../client/index.ts';
import { MAIN, meterPath } from '../state/address.ts';
import { span } from '../state/numbers.ts';
import { say } from '../words/say.ts';

/** The page shows this much before and after the event, ms. */
const AROUND_MS = 1_800_000;

/**
 * Address of the history page that shows an event in its channel. For an event of the whole gateway, the page of the
 * settings.
 */
export function aroundEvent({ unit_id, channel, window_from, opened_at, closed_at }: AlertEvent): string {
  if (unit_id === GATEWAY_ID) return 'settings';
  const from = Date.parse(window_from ?? opened_at) - AROUND_MS;
  const to = Date.parse(closed_at ?? opened_at) + AROUND_MS;
  const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  if (channel !== null && channel !== MAIN) query.set('channel', channel);
  return `${meterPath(unit_id, 'history')}?${query}`;
}

/** `15 min of it excluded`: where notes say that time of an event does not count; otherwise empty. */
export const excludedWords = ({ excluded_s: seconds }: Pick<AlertEvent, 'excluded_s'>): string =>
  seconds === null || seconds === 0 ? '' : say('{length} of it excluded', { length: span(seconds) });

/** A message as programs get it: its JSON, and an id that is the same at each try. Pure. */
import type { DeliveryRow } from './delivery-tables.ts';

/** `msg_...`, as Standard Webhooks names it. */
export const messageIdOf = ({ id, createdAt }: Pick<DeliveryRow, 'id' | 'createdAt'>): string =>
  `msg_${createdAt}_${id}`;

/** The JSON of the message; the same bytes at each try. */
export const bodyOf = ({ type, createdAt, event }: Pick<DeliveryRow, 'type' | 'createdAt' | 'event'>): string =>
  JSON.stringify({ type: `alert.${type}`, timestamp: new Date(createdAt).toISOString(), data: event });

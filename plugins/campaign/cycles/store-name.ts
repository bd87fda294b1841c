/**
 * Finds a free name for the next store on the card. The meter is asked whether its present name is taken, then about the
 * next name, and so on. A start under an existing name may overwrite it (field report; unknown what a meter does then).
 */
import { type Caller, GatewayError, type Host, type Reservation } from '../../../lib/index.ts';

const MOST_TRIES = 100;
const NAMES = 10_000;

const padded = (number: number): string => String(number).padStart(4, '0');

/** Returns four digits, set in the meter. Other commands may run between two tries. Errors: as `Reservation.perform`, STORE_NAMES_TAKEN. */
export async function freeStoreName(host: Host, unitId: string, caller: Caller): Promise<string> {
  const meter = host.meter(unitId);
  const first = Number(await meter.perform('storeName', caller));
  if (!(await meter.perform('isStoreNameTaken', caller))) return padded(first);
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    const name = (first + tries) % NAMES;
    const attempt = (reservation: Reservation) => isFreeName(reservation, name);
    if (await meter.reserve('find a store name', attempt, caller)) return padded(name);
  }
  await meter.perform('setStoreName', caller, first);
  const last = padded((first + MOST_TRIES - 1) % NAMES);
  throw new GatewayError(
    'STORE_NAMES_TAKEN',
    `The card has data under each of the ${MOST_TRIES} store names from ${padded(first)} to ${last}. Set the store name to a free one (PUT index-number) or change the card. Nothing was overwritten.`,
  );
}

async function isFreeName(reservation: Reservation, name: number): Promise<boolean> {
  await reservation.perform('setStoreName', name);
  return !(await reservation.perform('isStoreNameTaken'));
}

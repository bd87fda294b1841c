/** The meters whose sessions are in this process. Nothing is connected yet. */
import { createFleet, type LocalFleet } from '../meter/fleet.ts';
import type { FleetParts } from '../meter/parts.ts';
import type { Settings } from '../settings/index.ts';
import type { FindAddresses, Transport } from '../transport/contract.ts';
import { leased } from '../transport/leased.ts';
import { OpenPlaces } from '../transport/open-places.ts';
import { tcpTransport } from '../transport/tcp.ts';
import type { InstanceSeat } from './instance-seat.ts';
import { meterSettings, portsFolder, tcpSettings } from './wiring.ts';

/** What the fleet is made of. `transport`: default TCP. `seat`: of an instance that may lose the meters to another one. */
interface OwnFleet extends Omit<FleetParts, 'settings' | 'transport'> {
  readonly settings: Settings;
  readonly addresses: FindAddresses;
  readonly transport?: Transport | undefined;
  readonly seat: Pick<InstanceSeat, 'mayAct' | 'mute' | 'unreached'> | undefined;
}

/** `kept` gets the places of the open connections. */
export function openOwnFleet(
  kept: { places?: Pick<OpenPlaces, 'settled'> },
  { settings, addresses, transport, seat, ...own }: OwnFleet,
): LocalFleet {
  const places = new OpenPlaces(portsFolder(settings.data_dir));
  kept.places = places;
  const { clock } = own;
  const plain = transport ?? tcpTransport({ ...tcpSettings(settings), clock, addresses, places });
  const safe = seat ? leased(plain, seat.mayAct, seat.mute) : plain;
  const fleet = createFleet({ ...own, transport: safe, settings: meterSettings(settings) });
  seat?.unreached(fleet.unreached);
  return fleet;
}

/** The meters whose sessions are in this process. Nothing is connected yet. */
import { createFleet, type Fleet } from '../meter/fleet.ts';
import type { FleetParts } from '../meter/parts.ts';
import type { Settings } from '../settings/index.ts';
import type { FindAddresses, Transport } from '../transport/contract.ts';
import { leased } from '../transport/leased.ts';
import { OpenPlaces } from '../transport/open-places.ts';
import { tcpTransport } from '../transport/tcp.ts';
import type { ActiveInstance } from './active-instance.ts';
import { meterSettings, portsFolder, tcpSettings } from './wiring.ts';

/** Input of the fleet. `transport`: default TCP. `instance`: set if another instance may take over the meters. */
interface OwnFleet extends Omit<FleetParts, 'settings' | 'transport'> {
  readonly settings: Settings;
  readonly addresses: FindAddresses;
  readonly transport?: Transport | undefined;
  readonly instance: Pick<ActiveInstance, 'mayAct'> | undefined;
}

/** `kept` gets the ports of the open connections. */
export function openOwnFleet(
  kept: { places?: Pick<OpenPlaces, 'settled'> },
  { settings, addresses, transport, instance, ...own }: OwnFleet,
): Fleet {
  const places = new OpenPlaces(portsFolder(settings.data_dir));
  kept.places = places;
  const { clock } = own;
  const plain = transport ?? tcpTransport({ ...tcpSettings(settings), clock, addresses, places });
  const safe = instance ? leased(plain, instance.mayAct) : plain;
  return createFleet({ ...own, transport: safe, settings: meterSettings(settings) });
}

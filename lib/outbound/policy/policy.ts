/**
 * Decides which addresses the gateway may connect to. A name is resolved once, its addresses are checked, and only the
 * allowed ones are used. So a name server cannot give one address for the check and another for the connection. Opens
 * no connection.
 *
 *   host -> resolver -> addresses -> deny list -> allow list -> special networks -> ports -> addresses to connect to
 *
 * Private networks (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7) are where meters usually are; they are allowed by
 * default.
 */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { GatewayError } from '../../errors.ts';
import {
  type AddressKind,
  canonicalAddress,
  isPrivate,
  kindOf,
  type Network,
  networkOf,
  type Ports,
  portsOf,
} from './networks.ts';

/** Allowed and denied addresses of the settings. */
export interface PolicySettings {
  /** Meters on this machine itself: the simulator. */
  readonly allowLoopback: boolean;
  /** Private networks, unless `allowNetworks` has entries. */
  readonly allowPrivate: boolean;
  /** Texts as in the settings, checked there. */
  readonly allowNetworks: readonly string[];
  readonly denyNetworks: readonly string[];
  readonly allowPorts: readonly string[];
  readonly denyPorts: readonly string[];
}

/** The settings, and replacements for the system in tests. */
export interface PolicyParts {
  readonly settings: PolicySettings;
  /** The port of the gateway itself, when it listens: connections to it on this machine are refused. */
  readonly ownPort?: () => number | undefined;
  /** All addresses of a name. Default: the resolver of the system. Rejects with its error. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Names of the settings, for messages. Default: those of meters. */
  readonly names?: Partial<Names>;
  /** Addresses of this machine. Default: those of its network interfaces now. */
  readonly ownAddresses?: () => readonly string[];
}

interface Names {
  /** The setting that would allow this machine itself. */
  readonly loopback: string;
  readonly allowNetworks: string;
  readonly denyNetworks: string;
}
const METER_NAMES: Names = {
  loopback: 'allow_loopback_meters',
  allowNetworks: 'meter_allow_networks',
  denyNetworks: 'meter_deny_networks',
};

/** Which addresses the gateway may connect to. */
export interface Policy {
  /**
   * The addresses of `host` that may be connected to on `port`, in the resolver's order; at least one.
   * Errors: ADDRESS_REFUSED, with the setting that would allow it; the resolver's own error.
   */
  addresses(host: string, port: number): Promise<readonly string[]>;
}

type Lists = { readonly [Name in 'allow' | 'deny']: { networks: readonly Network[]; ports: readonly Ports[] } };

const WORDS: Readonly<Record<AddressKind, string>> = {
  loopback: 'is this machine itself (loopback)',
  'link-local': 'is a link-local address',
  metadata: 'is the metadata service of a cloud',
  multicast: 'is a multicast address',
  unspecified: 'is no address of a machine',
  reserved: 'is reserved',
};
/** Addresses without a target, or this computer under a name that hides it. */
const NEVER: ReadonlySet<AddressKind> = new Set(['multicast', 'unspecified', 'reserved']);

/** Parses the networks and ports of the settings; they were checked there. */
export function createPolicy(parts: PolicyParts): Policy {
  const { settings, resolve = resolveBySystem } = parts;
  const lists: Lists = {
    allow: { networks: parsed(settings.allowNetworks, networkOf), ports: parsed(settings.allowPorts, portsOf) },
    deny: { networks: parsed(settings.denyNetworks, networkOf), ports: parsed(settings.denyPorts, portsOf) },
  };
  return {
    async addresses(host, port) {
      const fault = portFault(port, lists);
      if (fault) throw refused(host, `port ${port} ${fault}`);
      const found = await resolve(host);
      const judged = found.map((address) => ({ address, fault: addressFault(address, port, lists, parts) }));
      const good = judged.filter(({ fault }) => fault === undefined).map(({ address }) => address);
      if (good.length === 0) throw refused(host, wordsOf(host, judged[0]));
      return good;
    },
  };
}

function portFault(port: number, { allow, deny }: Lists): string | undefined {
  const denied = deny.ports.find((ports) => ports.holds(port));
  if (denied) return `is in ${denied.text} of the setting meter_deny_ports`;
  const open = allow.ports.length === 0 || allow.ports.some((ports) => ports.holds(port));
  return open ? undefined : 'is not in the setting meter_allow_ports';
}

function addressFault(address: string, port: number, { allow, deny }: Lists, parts: PolicyParts): string | undefined {
  const names = { ...METER_NAMES, ...parts.names };
  const kind = kindOf(address);
  const own = kind === 'loopback' || isOwn(address, parts);
  if (own && port === parts.ownPort?.()) return 'is the gateway itself';
  const denied = deny.networks.find((network) => network.holds(address));
  if (denied) return `lies in ${denied.text} of the setting ${names.denyNetworks}`;
  const allowing = allow.networks.filter((network) => network.holds(address));
  if (allow.networks.length > 0 && allowing.length === 0) return `is not in the setting ${names.allowNetworks}`;
  if (own && parts.settings.allowLoopback) return undefined;
  if (kind) return allowing.some((network) => opens(network, kind)) ? undefined : closed(kind, names);
  if (!parts.settings.allowPrivate && isPrivate(address) && !allowing.some(({ text }) => !text.endsWith('/0')))
    return `is in a private network; the setting ${names.allowNetworks} would allow it`;
  const named = allowing.some(({ text }) => !text.includes('/'));
  return own && !named ? `is an address of this machine; the setting ${names.loopback} would allow it` : undefined;
}

const opens = (network: Network, kind: AddressKind): boolean => !NEVER.has(kind) && network.isWithin(kind);

function closed(kind: AddressKind, { loopback, allowNetworks }: Names): string {
  if (NEVER.has(kind)) return WORDS[kind];
  const setting = kind === 'loopback' ? loopback : `${allowNetworks}, with exactly that network,`;
  return `${WORDS[kind]}; the setting ${setting} would allow it`;
}

const isOwn = (address: string, { ownAddresses = interfaceAddresses }: PolicyParts): boolean =>
  ownAddresses().some((own) => canonicalAddress(own) === canonicalAddress(address));

const wordsOf = (host: string, judged: { address: string; fault: string | undefined } | undefined): string => {
  if (!judged) return 'it has no address';
  const whose = judged.address === host ? 'the address' : `its address ${judged.address}`;
  return `${whose} ${judged.fault}`;
};

const refused = (host: string, why: string): GatewayError =>
  new GatewayError('ADDRESS_REFUSED', `There is no connection to ${host}: ${why}.`);

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

const interfaceAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((some) => (some ?? []).map(({ address }) => address));

function parsed<T>(texts: readonly string[], parse: (text: string) => T | undefined): T[] {
  return texts.map((text) => {
    const entry = parse(text);
    if (entry === undefined) throw new Error(`not an entry of an allow or deny list: ${text}`);
    return entry;
  });
}

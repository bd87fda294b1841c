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
import ipaddr from 'ipaddr.js';
import { GatewayError } from '../errors.ts';

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;

type AddressKind = 'loopback' | 'link-local' | 'metadata' | 'multicast' | 'unspecified' | 'reserved';

/** Services of clouds that give credentials to every caller. Some are in networks that are otherwise allowed. */
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const KINDS: Readonly<Record<string, AddressKind>> = {
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
  unspecified: 'unspecified',
  broadcast: 'reserved',
  teredo: 'reserved',
  discard: 'reserved',
};

/** 240.0.0.0/4, never assigned (RFC 1112). The other reserved networks are for examples and lead nowhere. */
const FUTURE: [ipaddr.IPv4, number] = [ipaddr.IPv4.parse('240.0.0.0'), 4];

/** The canonical text of an address without its zone; throws for an invalid address. */
export const canonicalAddress = (text: string): string => first(formsOf(text)).toString();

/**
 * The kind of an address that needs a permission, undefined for an ordinary one (private networks included). In every
 * spelling: IPv4 inside IPv6 (mapped, translated, 6to4) counts as the inner IPv4 address.
 */
export function kindOf(text: string): AddressKind | undefined {
  for (const form of formsOf(text)) {
    const kind = kindOfForm(form);
    if (kind) return kind;
  }
  return undefined;
}

const PRIVATE: readonly string[] = ['private', 'carrierGradeNat', 'uniqueLocal'];

const isPrivate = (text: string): boolean => formsOf(text).some((form) => PRIVATE.includes(form.range()));

function kindOfForm(form: Parsed): AddressKind | undefined {
  if (METADATA.has(form.toString())) return 'metadata';
  if (form instanceof ipaddr.IPv4 && form.match(FUTURE)) return 'reserved';
  return KINDS[form.range()];
}

/** The address itself, unless it is an IPv4 address in IPv6 form, and the IPv4 address that it leads to. */
function formsOf(text: string): readonly Parsed[] {
  const address = ipaddr.process(text.replace(/%.*$/, ''));
  const inner = address instanceof ipaddr.IPv6 ? innerOf(address) : undefined;
  return inner ? [address, inner] : [address];
}

/** Position of an IPv4 address within an IPv6 address: NAT64 and SIIT at its end (RFC 6052, 6145), 6to4 in front (RFC 3056). */
function innerOf(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const range = address.range();
  const bytes = address.toByteArray();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const compatible = bytes.slice(0, 12).every((byte) => byte === 0) && range !== 'loopback' && range !== 'unspecified';
  return compatible || range === 'rfc6052' || range === 'rfc6145' ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
}

const first = (forms: readonly Parsed[]): Parsed => {
  const [form] = forms;
  if (!form) throw new Error('not an IP address');
  return form;
};

/** A range of addresses, such as 192.0.2.0/24. */
interface Network {
  readonly text: string;
  holds(address: string): boolean;
  /** True if the whole network is of this kind: such a narrow entry is meant. 0.0.0.0/0 is not of a kind, and opens no special network. */
  isWithin(kind: AddressKind): boolean;
}

/** Undefined for a text that is not a network. Octal, hex and shortened forms are refused: they do not mean what they look like. */
export function networkOf(text: string): Network | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(base) && !(base.includes(':') && ipaddr.IPv6.isValid(base))) return undefined;
  const address = ipaddr.parse(base);
  const longest = address.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? longest : Number(prefix);
  if (bits > longest) return undefined;
  const cidr = `${base}/${bits}`;
  return {
    text,
    holds: (other) => formsOf(other).some((form) => isIn(form, address, bits)),
    isWithin: (kind) => edgesOf(cidr).every((edge) => kindOf(edge) === kind),
  };
}

const isIn = (form: ipaddr.IPv4 | ipaddr.IPv6, base: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean =>
  form.kind() === base.kind() && form.match(base, bits);

function edgesOf(cidr: string): string[] {
  const kind = cidr.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return [kind.networkAddressFromCIDR(cidr), kind.broadcastAddressFromCIDR(cidr)].map(String);
}

/** A range of ports; both ends belong to it. */
interface Ports {
  readonly text: string;
  holds(port: number): boolean;
}

export function portsOf(text: string): Ports | undefined {
  const [, low, high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(low), Number(high)];
  if (low === undefined || from < 1 || to > 65_535 || to < from) return undefined;
  return { text, holds: (port) => port >= from && port <= to };
}

export interface PolicySettings {
  /** Meters on this machine itself: the simulator. */
  readonly allowLoopback: boolean;
  /** Private networks, unless `allowNetworks` has entries. */
  readonly allowPrivate: boolean;
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
  readonly loopback: string;
  readonly allowNetworks: string;
  readonly denyNetworks: string;
}
const METER_NAMES: Names = {
  loopback: 'allow_loopback_meters',
  allowNetworks: 'meter_allow_networks',
  denyNetworks: 'meter_deny_networks',
};

interface Policy {
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

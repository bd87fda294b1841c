/** Entries of the allow and deny lists: networks (`192.0.2.0/24`, `2001:db8::/32`, a single address) and ports (`2255`, `2000-2999`). */
import ipaddr from 'ipaddr.js';

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;

/** A kind of address that no meter has. */
export type AddressKind = 'loopback' | 'link-local' | 'metadata' | 'multicast' | 'unspecified' | 'reserved';

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
 * Finds the kind of an IP address, in every spelling: IPv4 inside IPv6 (mapped, translated, 6to4) counts as the inner
 * IPv4 address. Decides nothing: `policy.ts` decides what is refused.
 *
 * The kind of an address that needs a permission, undefined for an ordinary one (private networks included).
 */
export function kindOf(text: string): AddressKind | undefined {
  for (const form of formsOf(text)) {
    const kind = kindOfForm(form);
    if (kind) return kind;
  }
  return undefined;
}

const PRIVATE: readonly string[] = ['private', 'carrierGradeNat', 'uniqueLocal'];

/** Whether it is in a private network: 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7. */
export const isPrivate = (text: string): boolean => formsOf(text).some((form) => PRIVATE.includes(form.range()));

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

/**
 * Position of an IPv4 address within an IPv6 address: NAT64 and SIIT at its end (RFC 6052, 6145), 6to4 in front (RFC
 * 3056).
 */
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
export interface Network {
  /** As in the settings. */
  readonly text: string;
  holds(address: string): boolean;
  /**
   * True if the whole network is of this kind: such a narrow entry is meant. 0.0.0.0/0 is not of a kind, and opens no
   * special network.
   */
  isWithin(kind: AddressKind): boolean;
}

/**
 * Undefined for a text that is not a network. Octal, hex and shortened forms are refused: they do not mean what they
 * look like.
 */
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
export interface Ports {
  readonly text: string;
  holds(port: number): boolean;
}

/** Undefined when the text is no port and no range of ports. */
export function portsOf(text: string): Ports | undefined {
  const [, low, high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [from, to] = [Number(low), Number(high)];
  if (low === undefined || from < 1 || to > 65_535 || to < from) return undefined;
  return { text, holds: (port) => port >= from && port <= to };
}

/** Entries of the allow and deny lists: networks (`192.0.2.0/24`, `2001:db8::/32`, a single address) and ports (`2255`, `2000-2999`). */
import ipaddr from 'ipaddr.js';
import { type AddressKind, formsOf, kindOf } from './address.ts';

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

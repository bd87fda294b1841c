/** Addresses as the middleware compares and counts them: one spelling each, lists of networks, and whether one means only this machine. */
import { canonicalAddress, kindOf, networkOf } from '../outbound/policy/networks.ts';

/** An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) as IPv4, without a zone (`%eth0`); undefined for no address. */
export function plainAddress(text: string): string | undefined {
  try {
    return canonicalAddress(text);
  } catch {
    return undefined;
  }
}

/** Whether an address lies in one of them. */
export type Networks = (address: string) => boolean;

/** From `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. Throws an error with the first invalid entry. */
export function networksFrom(entries: readonly string[]): Networks {
  const networks = entries.map((entry) => {
    const network = networkOf(entry);
    if (!network) throw new Error(`${JSON.stringify(entry)} is no address and no network like 192.0.2.0/24`);
    return network;
  });
  return (address) => networks.some((network) => network.holds(address));
}

const MOST_KNOWN = 1_000;
const known = new Map<string, boolean>();

/** Whether a host name or address leads to only this machine. A name is not looked up. */
export function isLoopback(host: string): boolean {
  const before = known.get(host);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const found = leadsToLoopback(host);
  known.set(host, found);
  return found;
}

function leadsToLoopback(host: string): boolean {
  if (/^(.+\.)?localhost\.?$/i.test(host)) return true;
  return plainAddress(host) !== undefined && kindOf(host) === 'loopback';
}

/** How an address is counted: an IPv6 customer has at least 2^64 addresses (RFC 6177), and they count as one. `bits`: a multiple of 16; IPv4 addresses stay whole. */
export function addressPrefix(address: string, bits = 64): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = address.split('::');
  const head = groups(front);
  const tail = groups(back ?? '');
  const zeros = Array.from({ length: back === undefined ? 0 : 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, bits / 16).join(':')}::/${bits}`;
}

/** The network that an address is in: an IPv6 /48, the largest of one customer, or an IPv4 /24, which many customers may share. */
export const networkPrefix = (address: string): string =>
  address.includes(':') ? addressPrefix(address, 48) : address.replace(/\.\d+$/, '.0/24');

const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');

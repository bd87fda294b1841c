/**
 * Finds the kind of an IP address, in every spelling: IPv4 inside IPv6 (mapped, translated, 6to4) counts as the inner
 * IPv4 address. Decides nothing: `policy.ts` decides what is refused.
 */
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

/** The kind of an address that needs a permission, undefined for an ordinary one (private networks included). */
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
export function formsOf(text: string): readonly Parsed[] {
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

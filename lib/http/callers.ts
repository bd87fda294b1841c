/** Callers by name, callers that are the gateway itself, and the path of shares, for plugins, too: no type of Koa is here. */
import { Readable } from 'node:stream';
import type { Log } from '../log.ts';
import type { Identity, Request } from './contract.ts';

/**
 * Path of the pages of shares, beside the base path. The rest of such a path is a token: a secret, like an API key.
 * Only these pages may be shown in a frame.
 */
export const SHARE_PATH = '/s/';

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

/** A request of a part of the gateway itself, which asks routes as a viewer of these units. */
export const viewerRequest = (
  name: string,
  units: readonly string[],
  log: Log,
  caller: Request['caller'],
): Request => ({
  method: 'GET',
  path: '',
  unitId: units[0] ?? '',
  params: {},
  query: {},
  body: {},
  upload: Readable.from([]),
  identity: { name, keyId: null, role: 'viewer', units, address: '', stillValid: () => true },
  caller,
  before() {},
  log,
});

/** The caller for whom turns are counted: a person, an API key, or the address of a caller without a key. */
export const callerOf = ({ owner, keyId, address }: Pick<Identity, 'owner' | 'keyId' | 'address'>): string =>
  owner ?? keyId ?? address;

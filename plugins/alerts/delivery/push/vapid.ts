/** The key pair that push services know this gateway by (VAPID, RFC 8292): made once and kept encrypted. */
import { createECDH, createPrivateKey, sign } from 'node:crypto';
import type { Secrets } from '../../../../lib/built-in.ts';
import type { AlertSettings } from '../../settings.ts';
import { madeOnce } from '../signed-links.ts';

/** Base64url: the point of P-256 uncompressed (65 bytes), and the private number (32 bytes). */
export interface VapidPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A push service accepts a token for a day at most (RFC 8292, 2); its clock may differ from ours. */
const TOKEN_S = 12 * 3_600;

/** Reads the pair, or makes it. With another pair, no browser that has subscribed could be reached. */
export class Vapid {
  readonly #text: () => Promise<string>;

  constructor(secrets: Secrets) {
    this.#text = madeOnce(secrets, 'push key', () => JSON.stringify(madePair()));
  }

  /** Errors: those of the store of secrets. */
  async pair(): Promise<VapidPair> {
    return JSON.parse(await this.#text());
  }
}

/** A number below 256^31 has fewer bytes; as a key it always has 32. */
function madePair(): VapidPair {
  const curve = createECDH('prime256v1');
  const publicKey = curve.generateKeys('base64url');
  const number = curve.getPrivateKey();
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - number.length), number]).toString('base64url') };
}

/** The header `Authorization` of a request to `endpoint`. `now`: ms since 1970 UTC. */
export function vapidHeader(pair: VapidPair, endpoint: string, contact: string, now: number): string {
  const point = Buffer.from(pair.publicKey, 'base64url');
  const half = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', x: half(1), y: half(33), d: pair.privateKey },
    format: 'jwk',
  });
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1_000) + TOKEN_S, sub: contact };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return `vapid t=${signed}.${signature}, k=${pair.publicKey}`;
}

/** A contact for push services: `mailto:` or `https:`, with a name that can exist outside. Undefined: the settings have none. */
export function contactOf({ push_contact, smtp_from, public_url }: AlertSettings): string | undefined {
  const [address] = /[^\s<>]+@[^\s<>]+/.exec(smtp_from) ?? [];
  const known = [push_contact, address === undefined ? '' : `mailto:${address}`, public_url];
  return known.find((contact) => isOutside(hostOf(contact)));
}

function hostOf(contact: string): string {
  if (contact.startsWith('mailto:')) return (contact.split('@').at(-1) ?? '').split('?')[0] ?? '';
  return contact.startsWith('https:') && URL.canParse(contact) ? new URL(contact).hostname : '';
}

/** Names that RFC 6761, 6762, 8375 and 9476 keep for use inside: a push service refuses them. An IP address is no name. */
const INSIDE = /(^|\.)(localhost|local|internal|lan|home|corp|test|invalid|example|home\.arpa|onion|alt)$/i;
const isOutside = (host: string): boolean =>
  host.includes('.') && !host.endsWith('.') && !/^[\d.]+$/.test(host) && !host.startsWith('[') && !INSIDE.test(host);

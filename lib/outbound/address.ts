/** Parses addresses that users enter, for every kind of call. */
import { GatewayError } from '../errors.ts';

/** The parts of an address that a user entered. */
export interface OutboundAddress {
  /** Address as it is shown to people. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, mqtt: 1_883, mqtts: 8_883 };
const EXAMPLE = 'must be an address such as https://example.org/hook';

/** Errors: INVALID. */
export function webAddress(text: string): OutboundAddress & { readonly url: URL } {
  const { scheme, url, ...address } = read(text);
  if (!scheme.startsWith('http')) throw wrong('must begin with https:// or http://');
  return { ...address, url };
}

/** Only with `https:`. Errors: INVALID. */
export function secureAddress(text: string): OutboundAddress {
  const address = webAddress(text);
  if (!address.isTls) throw wrong('must begin with https://');
  return address;
}

/** `mqtt://HOST:PORT` or `mqtts://HOST:PORT`. Errors: INVALID. */
export function brokerAddress(text: string): OutboundAddress {
  const { scheme, url, ...address } = read(text);
  if (!scheme.startsWith('mqtt')) throw wrong('must begin with mqtts:// or mqtt://');
  if (`${url.pathname}${url.search}${url.hash}` !== '/')
    throw wrong('must end after the port: the topic is a field of its own');
  return address;
}

/** Any of these kinds. Errors: INVALID. */
export function anyAddress(text: string): OutboundAddress {
  return /^mqtts?:/i.test(text) ? brokerAddress(text) : webAddress(text);
}

/**
 * Every spelling of an IP address becomes the usual spelling, by the rules for web addresses (WHATWG URL, "host
 * parsing"). The rules do so only for the schemes of the web, so a broker is parsed like a web address.
 */
function read(text: string) {
  const scheme = /^\s*([a-z]+):/i.exec(text)?.[1]?.toLowerCase() ?? '';
  const usual = PORTS[scheme];
  if (usual === undefined) throw wrong(URL.canParse(text) ? 'must begin with https:// or http://' : EXAMPLE);
  const asWeb = (as: string) => text.replace(/^\s*[a-z]+:/i, `${as}:`);
  const isTls = scheme.endsWith('s');
  const web = asWeb(isTls ? 'https' : 'http');
  if (!URL.canParse(web)) throw wrong(EXAMPLE);
  const url = new URL(web);
  if (url.username || url.password) throw wrong('must not hold a user or a password');
  // The default port of a scheme is removed from an address; with the other scheme the port stays.
  const port = Number(url.port || new URL(asWeb(isTls ? 'http' : 'https')).port) || usual;
  return { scheme, url, name: url.host, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isTls };
}

function wrong(message: string): GatewayError {
  return new GatewayError('INVALID', `The value at /url ${message}.`, { errors: [{ path: '/url', message }] });
}

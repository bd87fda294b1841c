/** A connection to one checked address, for a protocol that the caller speaks. It is closed when the conversation ends, also after an error. */
import { once } from 'node:events';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { GatewayError, messageOf } from '../errors.ts';
import type { Talk } from './contract.ts';

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

/** Parses addresses that users enter, for every kind of call. Errors: INVALID. */
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

/**
 * Common parts of all calls: they use the checked addresses, and fail with a message. In place of another look-up of
 * the name: the connection uses the addresses that were checked.
 */
export function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, done) => {
    if (all) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family ?? 4);
  };
}

/** Error for the caller in place of the error of a socket: OUTBOUND_FAILED, or the reason of the signal. */
export const outboundError = (name: string, error: unknown, signal: AbortSignal): unknown =>
  signal.aborted
    ? signal.reason
    : new GatewayError('OUTBOUND_FAILED', `The call to ${name} failed: ${messageOf(error)}.`, { cause: error });

/** A far end that sends more is cut off. */
const MOST_BYTES = 65_536;

/**
 * Opens a connection to a checked address. Closes it when `talk` has settled, when the signal aborts, or when too many
 * bytes arrive.
 */
export async function conversation<T>(
  address: OutboundAddress,
  found: readonly string[],
  talk: Talk<T>,
  signal: AbortSignal,
): Promise<T> {
  const socket = open(address, found);
  const broken = new Promise<never>((_resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  broken.catch(() => {});
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) socket.destroy(new Error(`more than ${MOST_BYTES} bytes came`));
  });
  // The caller has its listeners before more data can come.
  socket.pause();
  try {
    await Promise.race([once(socket, address.isTls ? 'secureConnect' : 'connect', { signal }), broken]);
    const result = await Promise.race([talk(socket, signal), broken]);
    // Data that was written still goes out.
    socket.destroySoon();
    return result;
  } catch (error) {
    socket.destroy();
    throw outboundError(address.name, error, signal);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function open({ host, port, isTls }: OutboundAddress, found: readonly string[]): Socket {
  const lookup = pinned(found);
  if (!isTls) return connectTcp({ host, port, lookup });
  // An IP address is no server name of TLS.
  return connectTls({ host, port, lookup, ...(isIP(host) === 0 && { servername: host }) });
}

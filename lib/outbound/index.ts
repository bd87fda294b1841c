/**
 * All calls to addresses that users enter go through this module.
 *
 *   url -> scheme, no password -> policy: all addresses of the name, checked -> one connection to just these -> bounded
 * answer
 *
 * Node does not ask its `lookup` about IP addresses. The policy checks them, too, because it gets the host of the URL.
 * There every spelling of an address (0x7f.1, 2130706433) has become the usual one.
 */
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type {
  BytesAnswer,
  BytesCall,
  Outbound,
  OutboundAnswer,
  OutboundCall,
  OutboundReading,
  Talk,
} from './contract.ts';

export { createMails } from './mails.ts';

interface OutboundParts {
  readonly clock: Clock;
  /** The allowed addresses of a host. Rejects with ADDRESS_REFUSED if all are refused. */
  readonly addresses: FindAddresses;
  /** The same for addresses that callers of any role enter. */
  readonly internet: FindAddresses;
}

const DEADLINE_MS = 15_000;
const BODY_BYTES = 4_096;
const HEADER_BYTES = 16_384;
/** Answers of the kind 1xx before the answer. Without a limit they would keep a core busy until the deadline. */
const MOST_PRELIMINARY = 8;

/** Makes the one thing that calls addresses of users. */
export function createOutbound({ clock, addresses, internet }: OutboundParts): Outbound {
  const late = () => new GatewayError('OUTBOUND_FAILED', `There was no answer within ${DEADLINE_MS / 1_000} s.`);
  const limited = <T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) =>
    within(clock, DEADLINE_MS, late, (limit) => unlessAborted(work(limit), limit), signal);
  return {
    internet: {
      check: (url, signal) => limited(async () => void (await resolved(internet, secureAddress(url))), signal),
      postBytes: (call, signal) =>
        limited((limit) => {
          secureAddress(call.url);
          return bytesOf(internet, call, limit);
        }, signal),
    },
    check: (url, signal) => limited(async () => void (await resolved(addresses, anyAddress(url))), signal),
    post: (call, signal) =>
      limited(async (limit) => {
        const { url, ...address } = webAddress(call.url);
        return exchange(url, await resolved(addresses, address), call, beginning, limit);
      }, signal),
    postBytes: (call, signal) => limited((limit) => bytesOf(addresses, call, limit), signal),
    getBytes: (call, signal) => limited((limit) => bytesOf(addresses, call, limit), signal),
    converse: (url, talk, signal) =>
      limited(async (limit) => {
        const address = brokerAddress(url);
        return conversation(address, await resolved(addresses, address), talk, limit);
      }, signal),
  };
}

async function resolved(addresses: FindAddresses, { host, port }: OutboundAddress): Promise<readonly string[]> {
  try {
    return await addresses(host, port);
  } catch (error) {
    if (isGatewayError(error)) throw error;
    throw new GatewayError('OUTBOUND_FAILED', `The name ${host} has no address that can be found.`, {
      cause: error,
    });
  }
}

async function bytesOf(
  addresses: FindAddresses,
  call: BytesCall | OutboundReading,
  limit: AbortSignal,
): Promise<BytesAnswer> {
  const { url, ...address } = webAddress(call.url);
  const take = (response: IncomingMessage) => whole(response, call.mostBytes);
  return exchange(url, await resolved(addresses, address), call, take, limit);
}

/** A call with a body is a POST, a call without a body is a GET. */
type AnyCall = Pick<OutboundCall, 'headers'> & { readonly body?: string | Uint8Array };

function exchange<T>(
  url: URL,
  found: readonly string[],
  call: AnyCall,
  take: (response: IncomingMessage) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(outboundError(url.host, error, signal));
    const request = open(url, found, call, signal);
    request.on('error', fail);
    let preliminary = 0;
    request.on('information', () => {
      preliminary += 1;
      if (preliminary > MOST_PRELIMINARY) request.destroy(new Error('it sends preliminary answers without an end'));
    });
    request.on('response', (response) => take(response).then(resolve, fail));
    request.end(call.body);
  });
}

function open(url: URL, found: readonly string[], { headers, body }: AnyCall, signal: AbortSignal): ClientRequest {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    // A new connection each time: an older one may have been opened under other settings.
    agent: false,
    maxHeaderSize: HEADER_BYTES,
    signal,
    lookup: pinned(found),
  });
}

/** Only the status counts: an endless answer is cut. */
function beginning(response: IncomingMessage): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = () => {
      const body = Buffer.concat(chunks).subarray(0, BODY_BYTES).toString('utf8');
      resolve({ status: response.statusCode ?? 0, body });
      response.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= BODY_BYTES) finish();
    });
    response.once('end', finish);
    response.once('error', reject);
  });
}

/** Rejects if the answer is longer than `most` bytes, and leaves the connection. */
async function whole(response: IncomingMessage, most: number): Promise<BytesAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) throw new Error(`its answer is longer than ${most} bytes`);
  }
  const contentType = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, contentType, body: Buffer.concat(chunks) };
}

interface OutboundAddress {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, mqtt: 1_883, mqtts: 8_883 };
const EXAMPLE = 'must be an address such as https://example.org/hook';

function webAddress(text: string): OutboundAddress & { readonly url: URL } {
  const { scheme, url, ...address } = read(text);
  if (!scheme.startsWith('http')) throw wrong('must begin with https:// or http://');
  return { ...address, url };
}

function secureAddress(text: string): OutboundAddress {
  const address = webAddress(text);
  if (!address.isTls) throw wrong('must begin with https://');
  return address;
}

/** `mqtt://HOST:PORT` or `mqtts://HOST:PORT`. Errors: INVALID. */
function brokerAddress(text: string): OutboundAddress {
  const { scheme, url, ...address } = read(text);
  if (!scheme.startsWith('mqtt')) throw wrong('must begin with mqtts:// or mqtt://');
  if (`${url.pathname}${url.search}${url.hash}` !== '/')
    throw wrong('must end after the port: the topic is a field of its own');
  return address;
}

function anyAddress(text: string): OutboundAddress {
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

/** In place of another look-up of the name: the connection uses the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, done) => {
    if (all) done(null, found);
    else done(null, found[0]?.address ?? '', found[0]?.family ?? 4);
  };
}

/** Error for the caller in place of the error of a socket: OUTBOUND_FAILED, or the reason of the signal. */
const outboundError = (name: string, error: unknown, signal: AbortSignal): unknown =>
  signal.aborted
    ? signal.reason
    : new GatewayError('OUTBOUND_FAILED', `The call to ${name} failed: ${messageOf(error)}.`, { cause: error });

const MOST_BYTES = 65_536;

/** Closes the connection when `talk` has settled, when the signal aborts, or when too many bytes arrive. */
export async function conversation<T>(
  address: OutboundAddress,
  found: readonly string[],
  talk: Talk<T>,
  signal: AbortSignal,
): Promise<T> {
  const socket = connected(address, found);
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

function connected({ host, port, isTls }: OutboundAddress, found: readonly string[]): Socket {
  const lookup = pinned(found);
  if (!isTls) return connectTcp({ host, port, lookup });
  // An IP address is no server name of TLS.
  return connectTls({ host, port, lookup, ...(isIP(host) === 0 && { servername: host }) });
}

/**
 * The one place from which the gateway calls addresses that users enter.
 *
 *   url -> scheme, no password -> policy: all addresses of the name, judged -> one connection to just these -> bounded answer
 *
 * Node does not ask its `lookup` about IP addresses: those are judged by the policy, too, because it gets the host of the URL,
 * in which every spelling of an address (0x7f.1, 2130706433) has become the usual one (WHATWG URL, "host parsing").
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { Outbound, OutboundAnswer, OutboundCall } from './contract.ts';

export interface OutboundParts {
  readonly clock: Clock;
  /** The addresses of a host that may be connected to. Rejects with ADDRESS_REFUSED where there is none. */
  readonly addresses: FindAddresses;
}

const DEADLINE_MS = 15_000;
const BODY_BYTES = 4_096;
const HEADER_BYTES = 16_384;

export function createOutbound({ clock, addresses }: OutboundParts): Outbound {
  const late = () => new GatewayError('OUTBOUND_FAILED', `There was no answer within ${DEADLINE_MS / 1_000} s.`);
  const limited = <T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) =>
    within(clock, DEADLINE_MS, late, (limit) => unlessAborted(work(limit), limit), signal);
  return {
    check: (url, signal) => limited(async () => void (await resolved(addresses, urlOf(url))), signal),
    post: (call, signal) =>
      limited(async (limit) => {
        const url = urlOf(call.url);
        return exchange(url, await resolved(addresses, url), call, limit);
      }, signal),
  };
}

/** Errors: INVALID. */
export function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = faultOf(url);
  if (url && !fault) return url;
  const errors = [{ path: '/url', message: fault ?? 'must be an address such as https://example.org/hook' }];
  throw new GatewayError('INVALID', `The value at /url ${errors[0]?.message}.`, { errors });
}

function faultOf(url: URL | undefined): string | undefined {
  if (!url) return 'must be an address such as https://example.org/hook';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with https:// or http://';
  return url.username || url.password ? 'must not hold a user or a password' : undefined;
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

async function resolved(addresses: FindAddresses, url: URL): Promise<readonly string[]> {
  try {
    return await addresses(hostOf(url), portOf(url));
  } catch (error) {
    if (isGatewayError(error)) throw error;
    throw new GatewayError('OUTBOUND_FAILED', `The name ${hostOf(url)} has no address that can be found.`, {
      cause: error,
    });
  }
}

function exchange(
  url: URL,
  found: readonly string[],
  call: OutboundCall,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(
        signal.aborted
          ? signal.reason
          : new GatewayError('OUTBOUND_FAILED', `The call to ${url.host} failed: ${messageOf(error)}.`, {
              cause: error,
            }),
      );
    const request = open(url, found, call, signal);
    request.on('error', fail);
    request.on('response', (response) => take(response, fail, resolve));
    request.end(call.body);
  });
}

function open(url: URL, found: readonly string[], { headers, body }: OutboundCall, signal: AbortSignal): ClientRequest {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    // A connection of its own: none is kept that was opened under another judgement.
    agent: false,
    maxHeaderSize: HEADER_BYTES,
    signal,
    lookup: (_host, { all }, done) => {
      const pinned = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (all) done(null, pinned);
      else done(null, pinned[0]?.address ?? '', pinned[0]?.family ?? 4);
    },
  });
}

/** The status is all that counts: an answer that goes on and on is cut. */
function take(response: IncomingMessage, fail: (error: unknown) => void, done: (answer: OutboundAnswer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = () => {
    const body = Buffer.concat(chunks).subarray(0, BODY_BYTES).toString('utf8');
    done({ status: response.statusCode ?? 0, body });
    response.destroy();
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= BODY_BYTES) finish();
  });
  response.once('end', finish);
  response.once('error', fail);
}

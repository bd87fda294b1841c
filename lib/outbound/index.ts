/**
 * All calls to addresses that users enter go through this module.
 *
 *   url -> scheme, no password -> policy: all addresses of the name, checked -> one connection to just these -> bounded
 * answer
 *
 * Node does not ask its `lookup` about IP addresses. The policy checks them, too, because it gets the host of the URL.
 * There every spelling of an address (0x7f.1, 2130706433) has become the usual one.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, unlessAborted, within } from '../clock.ts';
import { GatewayError, isGatewayError } from '../errors.ts';
import type { FindAddresses } from '../transport/contract.ts';
import type { BytesAnswer, BytesCall, Outbound, OutboundAnswer, OutboundCall, OutboundReading } from './contract.ts';
import {
  anyAddress,
  brokerAddress,
  conversation,
  type OutboundAddress,
  outboundError,
  pinned,
  secureAddress,
  webAddress,
} from './conversation.ts';

export { createMails } from './mails.ts';

/** The time, and the allowed addresses. */
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

/** A short question of one instance to another, and its answer. */
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

/** `address`: `http://HOST:PORT`. Resolves with the headers of an answer 204, undefined for any other. Rejects where it cannot be asked, or with the reason of the signal. */
export function askInstance(
  address: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingHttpHeaders | undefined> {
  const target = new URL(url, address);
  const request = target.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage) => {
      answer.resume();
      resolve(answer.statusCode === 204 ? answer.headers : undefined);
    };
    request(target, { method: 'POST', headers, signal, agent: false }, answered).on('error', reject).end();
  });
}

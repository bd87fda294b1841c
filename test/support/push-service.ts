/** A push service for tests: takes messages for its subscriptions, and answers what the test says. */
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { selfSigned } from './certificate.ts';
import { PushBrowser } from './push-reader.ts';

export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function openPushService(t: Test) {
  const calls: Pushed[] = [];
  /** Status by path; 201 where nothing is said. */
  const statuses = new Map<string, number>();
  trustAll(t);
  const server = createServer(selfSigned('push'), async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const path = request.url ?? '';
    calls.push({ path, headers: request.headers, body });
    response.statusCode = statuses.get(path) ?? 201;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    calls,
    statuses,
    origin,
    /** Data of a browser for a new subscription, and its reader of messages. */
    subscribe(path: string) {
      const browser = new PushBrowser();
      const { keys } = browser;
      return {
        subscription: { endpoint: `${origin}${path}`, expirationTime: null, keys },
        /** All that this browser has got. */
        read: () =>
          calls
            .filter((call) => call.path === path && call.body.length > 0)
            .map(({ body }) => JSON.parse(browser.read(body))),
      };
    },
  };
}

/** Node reads this for each connection. The gateway has no setting that would let it trust such a certificate. */
function trustAll(t: Test): void {
  const name = 'NODE_TLS_REJECT_UNAUTHORIZED';
  const before = process.env[name];
  process.env[name] = '0';
  t.teardown(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

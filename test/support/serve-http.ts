/** A server of HTTP that a test makes up. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Its address, without a slash at the end. */
export async function serveHttp(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A reverse proxy that puts a path prefix before a server, as many sites have one. WebSockets pass too. */
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** The address of the server behind the prefix, with a slash at the end. */
export async function behindPrefix(t: Test, target: string, prefix: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const forwarded = ({ method, url = '', headers }: IncomingMessage) =>
    request({ hostname, port, method, headers, path: url.slice(prefix.length) || '/' });
  const proxy = createServer((incoming, answer) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const outgoing = forwarded(incoming);
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  proxy.on('upgrade', (incoming, socket, head) => {
    const outgoing = forwarded(incoming);
    outgoing.on('upgrade', (response, upstream, first) => {
      const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(['HTTP/1.1 101 Switching Protocols', ...headers, '', ''].join('\r\n'));
      socket.write(first);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
      for (const each of [socket, upstream]) each.on('error', () => each.destroy());
    });
    outgoing.on('response', () => socket.destroy());
    outgoing.on('error', () => socket.destroy());
    outgoing.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}/`;
}

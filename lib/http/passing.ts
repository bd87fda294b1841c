/**
 * Passes requests on over connections that are kept open, whatever the caller wants for its own. If the other end closed after its answer
 * while the body still came, the next write would fail and the answer be lost. So it reads on, until this end has the answer and closes.
 */
import type { ProxyServer } from 'httpxy';

/** What passes on. Loaded here: who runs one gateway needs none. */
export async function makePassing(): Promise<ProxyServer> {
  const { createProxyServer } = await import('httpxy');
  const proxy = createProxyServer();
  proxy.on('start', ({ headers }) => {
    // This end has answered with 100 already. With it the headers would be sent before they can be changed.
    delete headers.expect;
  });
  proxy.on('proxyReq', (sent) => {
    // Both ends must see the same end of the body: of other codings the library closes, and this stays so.
    const coding = String(sent.getHeader('transfer-encoding') ?? 'chunked');
    if (coding.toLowerCase() === 'chunked') sent.setHeader('Connection', 'keep-alive');
    const { socket } = sent;
    const isChunked = sent.hasHeader('transfer-encoding');
    // What is left of a refused body at the other end would hold up the next request.
    sent.once('response', (answer) => {
      if (isChunked || (answer.statusCode ?? 0) >= 400) answer.once('end', () => socket?.destroy());
    });
  });
  proxy.on('proxyRes', ({ headers }, _request, response) => {
    if (response.shouldKeepAlive) return;
    headers.connection = 'close';
    delete headers['keep-alive'];
  });
  return proxy;
}

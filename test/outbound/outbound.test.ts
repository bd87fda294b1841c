/** Calls to addresses that users enter, attacked: spellings, names that answer otherwise, redirects, answers that never end. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createPolicy } from '../../lib/outbound/policy.ts';
import { VirtualClock } from '../../simulator/clock.ts';
import { selfSigned } from '../support/certificate.ts';

const names = { loopback: 'outbound_allow_networks', allowNetworks: 'outbound_allow_networks' };
const signal = new AbortController().signal;

function outboundOf(allowNetworks: string[], resolve?: (host: string) => Promise<readonly string[]>) {
  const clock = new VirtualClock();
  const settings = {
    allowLoopback: false,
    allowPrivate: true,
    allowNetworks,
    denyNetworks: [],
    allowPorts: [],
    denyPorts: [],
  };
  const { addresses } = createPolicy({ settings, names, ownPort: () => 8_100, ...(resolve && { resolve }) });
  return { clock, outbound: createOutbound({ clock, addresses, internet: addresses }) };
}

async function serve(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
const call = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{"a":"ä"}' });

t.test(
  'a receiver that sends preliminary answers without an end is left after a few; some of them are no fault',
  async (t) => {
    let written = 0;
    const port = await serve(t, async (request, response) => {
      request.resume();
      const endless = request.url === '/endless';
      for (let count = 0; (endless || count < 3) && !response.destroyed; count += 1) {
        response.writeProcessing();
        written += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end('{}');
    });
    const { outbound } = outboundOf(['127.0.0.0/8']);
    t.match(await outbound.post(call(`http://127.0.0.1:${port}/few`), signal), { status: 200 });
    // The clock of the deadline stands still: only the count ends it.
    await t.rejects(outbound.post(call(`http://127.0.0.1:${port}/endless`), signal), {
      code: 'OUTBOUND_FAILED',
      message: /preliminary answers/,
    });
    t.ok(written < 10_000, `${written} were written`);
  },
);

t.test('this machine, link-local and metadata addresses are refused in every spelling', async (t) => {
  const { outbound } = outboundOf([]);
  for (const host of [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ],
    ...[
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '0xa9fea9fe',
    ],
    ...['[fe80::1]', '[fd00:ec2::254]', '100.100.100.200', '224.0.0.1', '255.255.255.255', 'localhost', '１２７.0.0.1'],
  ]) {
    await t.rejects(outbound.check(`http://${host}/hook`, signal), { code: 'ADDRESS_REFUSED' }, host);
    await t.rejects(outbound.post(call(`https://${host}:8443/`), signal), { code: 'ADDRESS_REFUSED' }, host);
  }
  await t.rejects(outbound.check('http://127.0.0.1/', signal), { message: /outbound_allow_networks would allow it/ });
});

t.test('a text that is no web address, or has a password, is refused with advice', async (t) => {
  const { outbound } = outboundOf(['127.0.0.0/8']);
  for (const url of [
    '',
    'hook',
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org',
    'http://u:p@example.org/',
    'http://',
  ])
    await t.rejects(outbound.check(url, signal), { code: 'INVALID', errors: [{ path: '/url' }] }, url);
});

t.test('a name is resolved once, and the checked address is used', async (t) => {
  let asked = 0;
  const port = await serve(t, (_request, response) => response.end('in'));
  const rebinding = outboundOf(['127.0.0.1/32'], async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']));
  t.equal((await rebinding.outbound.post(call(`http://hook.example:${port}/`), signal)).status, 200);
  t.equal(asked, 1);
  await t.rejects(rebinding.outbound.post(call(`http://hook.example:${port}/`), signal), { code: 'ADDRESS_REFUSED' });
  const mixed = outboundOf([], async () => ['127.0.0.1', '::1']);
  await t.rejects(mixed.outbound.post(call(`http://hook.example:${port}/`), signal), { code: 'ADDRESS_REFUSED' });
  const unknown = outboundOf([], () => Promise.reject(new Error('ENOTFOUND')));
  await t.rejects(unknown.outbound.check('http://hook.example/', signal), {
    code: 'OUTBOUND_FAILED',
    message: /hook.example/,
  });
});

t.test('the gateway itself is never called, whatever is allowed', async (t) => {
  const { outbound } = outboundOf(['127.0.0.0/8']);
  await t.rejects(outbound.check('http://127.0.0.1:8100/api/nl43/roof/start', signal), {
    code: 'ADDRESS_REFUSED',
    message: /itself/,
  });
});

t.test('a redirect is an answer, and nobody follows it', async (t) => {
  const seen: (string | undefined)[] = [];
  const port = await serve(t, (request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  });
  const { outbound } = outboundOf(['127.0.0.0/8']);
  t.equal((await outbound.post(call(`http://127.0.0.1:${port}/hook`), signal)).status, 302);
  t.same(seen, ['/hook']);
});

t.test('an answer that never ends is cut, and a missing answer ends in time', async (t) => {
  const endless = await serve(t, (_request, response) => {
    response.writeHead(200);
    response.write('x'.repeat(100_000));
  });
  const { clock, outbound } = outboundOf(['127.0.0.0/8']);
  const { status, body } = await outbound.post(call(`http://127.0.0.1:${endless}/`), signal);
  t.same([status, body.length], [200, 4_096]);
  const silent = await serve(t, () => {});
  const waiting = outbound.post(call(`http://127.0.0.1:${silent}/`), signal);
  waiting.catch(() => {});
  await clock.advance(15_000);
  await t.rejects(waiting, { code: 'OUTBOUND_FAILED', message: /15 s/ });
  const slow = await serve(t, (_request, response) => void response.write('a'));
  const drop = new AbortController();
  const aborted = outbound.post(call(`http://127.0.0.1:${slow}/`), drop.signal);
  drop.abort(new Error('over'));
  await t.rejects(aborted, { message: 'over' });
  t.equal(clock.pending, 0, 'no timer is left');
});

t.test('headers that are too large and connections that are refused are failures with words', async (t) => {
  const large = await serve(t, (_request, response) => response.writeHead(200, { x: 'y'.repeat(20_000) }).end());
  const { outbound } = outboundOf(['127.0.0.0/8']);
  await t.rejects(outbound.post(call(`http://127.0.0.1:${large}/`), signal), { code: 'OUTBOUND_FAILED' });
  await t.rejects(outbound.post(call('http://127.0.0.1:1/'), signal), {
    code: 'OUTBOUND_FAILED',
    message: /ECONNREFUSED/,
  });
});

t.test('https checks the certificate and its name', async (t) => {
  const certificate = selfSigned('hook');
  const server = createTls(certificate, (_request, response) => response.end('in'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const { outbound } = outboundOf(['127.0.0.0/8'], async () => ['127.0.0.1']);
  const post = (host: string) => outbound.post(call(`https://${host}:${port}/`), signal);
  await t.rejects(post('localhost'), { code: 'OUTBOUND_FAILED', message: /self-signed certificate/ });
  // What NODE_EXTRA_CA_CERTS does for a process.
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, certificate.cert]);
  t.teardown(() => tls.setDefaultCACertificates(usual));
  t.equal((await post('localhost')).status, 200);
  await t.rejects(post('hook.example'), { code: 'OUTBOUND_FAILED', message: /does not match/ });
});

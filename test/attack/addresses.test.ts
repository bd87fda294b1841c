/** Where the gateway may be made to connect: through a config, at the moment of connecting, and by FTP. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { tcpTransport } from '../../lib/transport/tcp.ts';
import { deviceConfig } from '../support/config.ts';
import { openWorld } from '../support/world.ts';

const CLOSED = { allow_loopback_meters: false };

/** A service on this machine that must not be reached. */
async function service(t: Test) {
  const seen = { connects: 0 };
  const server = createServer((socket) => {
    seen.connects += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening');
  return { port: address.port, seen };
}

const SPELLINGS = [
  ...[
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    'localhost',
    'LOCALHOST',
    'localhost.',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
  ],
  ...['0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '0x7f.1', '2130706433', '017700000001', '00127.0.0.1', '127.0.0.01'],
  ...[
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::127.0.0.1',
    '[::1]',
  ],
  ...[
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
    '::ffff:0:127.0.0.1',
    '0',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '224.0.0.1',
  ],
  ...['169.254.169.254', '169.254.169.254.', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0xa9fea9fe', '2852039166'],
  ...['fd00:ec2::254', '100.100.100.200', '168.63.129.16', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
  ...[
    '127.0.0.1@10.0.0.1',
    '10.0.0.1#@127.0.0.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '127.0.0.1\u0000.example',
    '127.0.0.1 10.0.0.1',
  ],
];

t.test('no spelling of an address where no meter lives gets into a config', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: CLOSED });
  for (const host of SPELLINGS) {
    const answer = await world.put('/roof/config', { host });
    t.match(answer, { status: 422, body: { code: 'INVALID', errors: [{ path: '/host' }] } }, encodeURIComponent(host));
  }
  t.match((await world.put('/roof/config', { host: '127.0.0.1' })).body.detail, 'the setting allow_loopback_meters');
  t.equal((await world.get('/roof/config')).status, 404, 'none of them was kept');
  t.equal((await world.put('/roof/config', { host: '10.99.0.1', tcp_enabled: false })).status, 200);
});

t.test('an address that got into a config otherwise is refused when it is connected to', async (t) => {
  const { port, seen } = await service(t);
  const world = await openWorld(t, { meters: 0, settings: CLOSED });
  await world.gateway.store.configs.change('roof', () =>
    deviceConfig({ host: 'localhost', tcpPort: port, ftpEnabled: true, ftpPort: port, ftpMode: 'passive' }),
  );
  for (const [method, path] of [
    ['GET', '/roof/battery'],
    ['POST', '/roof/start'],
    ['GET', '/roof/ftp/files?path=/'],
  ] as const) {
    const answer = await world.ask(method, path);
    t.match(answer, { status: 403, body: { code: 'ADDRESS_REFUSED', detail: /allow_loopback_meters/ } }, path);
  }
  t.equal(seen.connects, 0, 'nobody was connected to');
});

t.test('the gateway is never its own meter, whatever is allowed', async (t) => {
  const world = await openWorld(t, { meters: 0 });
  const { port } = world.gateway;
  for (const host of ['127.0.0.1', '127.0.0.7', '::1']) {
    const answer = await world.put('/roof/config', { host, tcp_port: port });
    t.match(answer, { status: 422, body: { detail: /the gateway itself/ } }, host);
  }
  const answer = await world.put('/roof/config', {
    host: '127.0.0.1',
    tcp_enabled: false,
    ftp_enabled: true,
    ftp_port: port,
  });
  t.match(answer, { status: 422, body: { detail: /the gateway itself/ } }, 'nor its card');
});

t.test('lists of networks and ports hold for commands and for FTP', async (t) => {
  const settings = {
    meter_allow_networks: ['10.0.0.0/8'],
    meter_deny_networks: ['10.9.0.0/16'],
    meter_allow_ports: ['2255', '21'],
  };
  const world = await openWorld(t, { meters: 0, settings: { ...CLOSED, ...settings } });
  const tried = async (config: object) =>
    (await world.put('/roof/config', { tcp_enabled: false, ...config })).body.detail;
  t.match(await tried({ host: '192.168.1.1' }), 'meter_allow_networks');
  t.match(await tried({ host: '10.9.0.1' }), 'meter_deny_networks');
  t.match(await tried({ host: '10.1.0.1', tcp_port: 22 }), 'meter_allow_ports');
  t.match(await tried({ host: '10.1.0.1', ftp_enabled: true, ftp_port: 25 }), 'meter_allow_ports');
  t.equal(await tried({ host: '10.1.0.1', tcp_port: 2255 }), undefined);
});

t.test('a meter of a forbidden address can still be switched off', async (t) => {
  const world = await openWorld(t, { meters: 0, settings: CLOSED });
  await world.gateway.store.configs.change('roof', () => deviceConfig({ host: '127.0.0.1' }));
  t.equal((await world.put('/roof/config', { web_enabled: true })).status, 422);
  t.equal((await world.put('/roof/config', { tcp_enabled: false })).status, 200);
});

t.test('the address that was judged is the one connected to: a name is not resolved twice', async (t) => {
  const { port, seen } = await service(t);
  let asked = 0;
  const addresses = async () => {
    asked += 1;
    // An answer that changes with each question, as of a hostile name server.
    return asked === 1 ? ['127.0.0.1'] : ['127.0.0.99'];
  };
  const transport = tcpTransport({ addresses });
  const connection = await transport.dial({ host: 'rebinding.invalid', port }, new AbortController().signal);
  await connection.ended;
  t.equal(asked, 1);
  t.equal(seen.connects, 1, 'the name itself has no address at all');
});

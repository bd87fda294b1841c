/** Where the gateway may connect to: classes of addresses, their spellings, the lists, and what a resolver may answer. */
import fc from 'fast-check';
import t from 'tap';
import { createPolicy, type PolicyParts, type PolicySettings } from '../../lib/outbound/policy.ts';

const SETTINGS: PolicySettings = {
  allowLoopback: false,
  allowPrivate: true,
  allowNetworks: [],
  denyNetworks: [],
  allowPorts: [],
  denyPorts: [],
};

const policy = (settings: Partial<PolicySettings> = {}, parts: Partial<PolicyParts> = {}) =>
  createPolicy({
    settings: { ...SETTINGS, ...settings },
    resolve: async (host) => [host],
    ownAddresses: () => ['127.0.0.1', '::1', '192.168.7.2', 'fe80::2%eth0', '2001:db8::2'],
    ...parts,
  });

const passes = async (address: string, settings: Partial<PolicySettings> = {}, port = 2255) =>
  (
    await policy(settings)
      .addresses(address, port)
      .catch(() => [])
  ).length > 0;

t.test('the networks where meters live pass by default', async (t) => {
  const usual = ['10.0.0.8', '172.16.4.4', '192.168.7.1', '100.64.0.9', '203.0.113.5', '8.8.8.8'];
  for (const address of [...usual, 'fd00::5', '2001:db8::1', '2a00:1450::1', '::ffff:10.0.0.8', '64:ff9b::a00:8'])
    t.ok(await passes(address), address);
});

/** Every kind in every form in which a resolver or a caller can write it. */
const REFUSED = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::7f00:1'],
  translated: [
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '::ffff:0:127.0.0.1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
  ],
  'link-local': ['169.254.0.1', '169.254.255.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.1.1'],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '::ffff:a9fe:a9fe',
  ],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1', '::ffff:224.0.0.1'],
  'no address': ['0.0.0.0', '0.1.2.3', '::', '255.255.255.255', '240.0.0.1', '::ffff:0.0.0.0', '2001::1'],
  'this machine': ['192.168.7.2', '2001:db8::2', '::ffff:192.168.7.2'],
};

for (const [kind, addresses] of Object.entries(REFUSED)) {
  t.test(`refused by default: ${kind}`, async (t) => {
    for (const address of addresses) {
      const refusal = await policy()
        .addresses(address, 2255)
        .catch((error) => error);
      t.match(refusal, { code: 'ADDRESS_REFUSED', status: 403 }, address);
    }
  });
}

t.test('a refusal names the setting that would allow it', async (t) => {
  await t.rejects(policy().addresses('127.0.0.1', 2255), { message: /setting allow_loopback_meters/ });
  await t.rejects(policy().addresses('192.168.7.2', 2255), { message: /setting allow_loopback_meters/ });
  await t.rejects(policy().addresses('169.254.1.1', 2255), { message: /setting meter_allow_networks/ });
  const denied = policy({ denyNetworks: ['10.0.0.0/8'], denyPorts: ['22'], allowPorts: ['21', '2255'] });
  await t.rejects(denied.addresses('10.1.1.1', 2255), { message: /10\.0\.0\.0\/8 of the setting meter_deny_networks/ });
  await t.rejects(denied.addresses('192.0.2.1', 22), { message: /setting meter_deny_ports/ });
  await t.rejects(denied.addresses('192.0.2.1', 80), { message: /setting meter_allow_ports/ });
});

t.test('loopback meters are a switch, and never the port of the gateway itself', async (t) => {
  const open = policy({ allowLoopback: true }, { ownPort: () => 8100 });
  for (const address of ['127.0.0.1', '::1', '192.168.7.2']) {
    t.same(await open.addresses(address, 2255), [address]);
    await t.rejects(open.addresses(address, 8100), { message: /the gateway itself/ }, address);
  }
  await t.rejects(open.addresses('169.254.1.1', 2255), { code: 'ADDRESS_REFUSED' }, 'and of nothing else');
});

t.test('an allow list lets in what it names; only a narrow entry opens a special network', async (t) => {
  const all = { allowNetworks: ['0.0.0.0/0', '::/0'] };
  t.ok(await passes('10.0.0.1', all));
  for (const address of ['127.0.0.1', '169.254.169.254', '224.0.0.1', '::1', 'fe80::1'])
    t.notOk(await passes(address, all), `${address} is not opened by 0.0.0.0/0`);
  const some = { allowNetworks: ['192.168.7.0/24', '169.254.10.0/24', '127.0.0.9'] };
  for (const address of ['192.168.7.9', '169.254.10.1', '127.0.0.9', '::ffff:192.168.7.9'])
    t.ok(await passes(address, some));
  for (const address of ['192.168.8.1', '169.254.11.1', '127.0.0.1', '10.0.0.1']) t.notOk(await passes(address, some));
  t.notOk(await passes('224.0.0.1', { allowNetworks: ['224.0.0.0/4'] }), 'nobody answers there');
  t.notOk(await passes('0.0.0.0', { allowNetworks: ['0.0.0.0'] }), 'this machine in disguise');
});

t.test('a deny list wins over an allow list, in every spelling', async (t) => {
  const lists = { allowNetworks: ['10.0.0.0/8'], denyNetworks: ['10.9.0.0/16'] };
  t.ok(await passes('10.1.0.1', lists));
  for (const address of ['10.9.0.1', '::ffff:10.9.0.1', '64:ff9b::a09:1'])
    t.notOk(await passes(address, lists), address);
  t.ok(await passes('10.1.0.1', { allowPorts: ['2000-2999'] }, 2255));
  t.notOk(await passes('10.1.0.1', { allowPorts: ['2000-2999'], denyPorts: ['2255'] }, 2255));
});

t.test('of several addresses of a name only the allowed ones are used', async (t) => {
  const resolve = async () => ['127.0.0.1', '10.0.0.5', '169.254.169.254', '10.0.0.6'];
  t.same(await policy({}, { resolve }).addresses('meter.example', 2255), ['10.0.0.5', '10.0.0.6']);
});

t.test(
  'names and odd spellings that the resolver of the system knows are judged by what they resolve to',
  async (t) => {
    const real = createPolicy({ settings: SETTINGS });
    for (const host of ['localhost', 'localhost.', '127.1', '0177.0.0.1', '0x7f.1', '2130706433', '0x7f000001', '0'])
      await t.rejects(real.addresses(host, 2255), host === 'localhost' ? { code: 'ADDRESS_REFUSED' } : Error, host);
  },
);

t.test('no IPv4 address passes in an IPv6 form that is refused as itself', (_t) => {
  const octet = fc.nat({ max: 255 });
  const hex = (a: number, b: number) => (a * 256 + b).toString(16);
  const property = fc.asyncProperty(octet, octet, octet, octet, async (a, b, c, d) => {
    const plain = `${a}.${b}.${c}.${d}`;
    const tail = `${hex(a, b)}:${hex(c, d)}`;
    if (await passes(plain)) return;
    for (const form of [`::ffff:${tail}`, `64:ff9b::${tail}`, `2002:${tail}::1`, `::ffff:0:${tail}`])
      if (await passes(form)) throw new Error(`${plain} passes as ${form}`);
  });
  return fc.assert(property, { numRuns: 300, examples: [[127, 0, 0, 1] as const, [169, 254, 169, 254] as const] });
});

t.test('private networks that are not allowed by default are open where the setting names them', async (t) => {
  const inside = [
    '10.0.0.7',
    '172.16.0.7',
    '192.168.0.7',
    '100.64.0.7',
    'fd00::7',
    '::ffff:10.0.0.7',
    '64:ff9b::a00:7',
  ];
  for (const address of inside) {
    t.equal(await passes(address, { allowPrivate: false }), false, address);
    t.equal(await passes(address, { allowPrivate: false, allowNetworks: ['0.0.0.0/0', '::/0'] }), false, address);
    t.equal(await passes(address), true);
  }
  t.equal(await passes('10.0.0.7', { allowPrivate: false, allowNetworks: ['10.0.0.0/8'] }), true);
  t.equal(await passes('192.0.2.7', { allowPrivate: false }), true);
});

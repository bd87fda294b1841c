/** The commands of docs/evidence.md, run as they stand there: they say yes to a whole package and no to a changed one. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { verifyPackage } from '../../lib/evidence/verify/index.ts';
import type { Report } from '../../lib/evidence/verify/report.ts';
import { pageText } from '../docs/page.ts';
import { fieldsOf, packed, partsOf, sourceOf } from '../support/evidence.ts';
import { unzip } from '../support/unzip.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const cryptography = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '';
const sums = spawnSync('sha256sum', ['--version']).status === 0;
const options = { skip: /^OpenSSL 3/.test(version) && sums ? false : 'no openssl 3 or no sha256sum' };
const folder = mkdtempSync(join(tmpdir(), 'slm-by-hand-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

/** How packages are made is another part of the page. */
const [, BY_HAND = ''] = pageText('docs/evidence.md').split('## By hand, with openssl');
const BLOCKS = [...BY_HAND.matchAll(/```sh( stamp)?\n([\s\S]*?)```/g)].map(([, stamp, text = '']) => ({
  isStamp: stamp !== undefined,
  text,
}));
const shell = (text: string, cwd: string) => spawnSync('sh', ['-ec', text], { cwd, encoding: 'utf8' });

/** Unpacks into a folder of its own. */
function unpacked(name: string, bytes: Buffer): string {
  const place = join(folder, name);
  for (const [path, content] of unzip(bytes)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  return place;
}

t.test('key, signature, manifest and files by openssl', options, async (t) => {
  const commands = BLOCKS.filter(({ isStamp }) => !isStamp).map(({ text }) => text);
  t.equal(commands.length, 4);
  const [key = '', signature = '', manifest = '', files = ''] = commands;
  const place = unpacked('whole', await packed());
  t.match(shell(key, place).stdout, fieldsOf().key.fingerprint.replace('sha256:', ''));
  t.match(shell(signature, place), { status: 0, stdout: /Signature Verified Successfully/ });
  t.match(shell(manifest, place), { status: 0, stdout: /^1\n$/ });
  const all = shell(files, place);
  t.equal(all.status, 0, all.stderr);
  t.equal(
    all.stdout.match(/: OK$/gm)?.length,
    JSON.parse(String(unzip(await packed()).get('manifest.json'))).files.length,
  );

  writeFileSync(join(place, 'settings.json'), '{"weighting":"C"}');
  t.match(shell(files, place), { status: 1, stdout: /^settings\.json: FAILED$/m });
  writeFileSync(join(place, 'manifest.json'), '{}');
  t.match(shell(manifest, place), { status: 1, stdout: /^0\n$/ });
  const other = await packed(partsOf(), { signedAt: '2026-11-23T00:00:00.000Z' });
  writeFileSync(
    join(place, 'signature/envelope.json'),
    String(unzip(other).get('signature/envelope.json')).replace('"sig":"', '"sig":"AAAA'),
  );
  t.not(shell(signature, place).status, 0, 'another signature');
});

/** What a time stamp server of openssl needs. */
const TSA = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:true
[stamper]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = own
[own]
serial = serial
default_policy = 1.2.3.4
digests = sha256
signer_digest = sha256
`;

const both = { skip: options.skip || (cryptography ? false : 'no python3 with cryptography') };
t.test('a time stamp by openssl, of the right signature and of another one', both, async (t) => {
  const office = join(folder, 'office');
  mkdirSync(office);
  writeFileSync(join(office, 'tsa.cnf'), TSA);
  writeFileSync(join(office, 'serial'), '01\n');
  const ssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: office, stdio: 'pipe' });
  ssl('req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -config tsa.cnf -extensions authority');
  ssl('req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj /CN=stamper -config tsa.cnf');
  ssl(
    'x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out tsa.pem -extfile tsa.cnf -extensions stamper',
  );
  const stampOf = (data: Buffer) => {
    writeFileSync(join(office, 'data'), data);
    ssl('ts -query -data data -sha256 -cert -out query.tsq');
    ssl('ts -reply -queryfile query.tsq -inkey tsa.key -signer tsa.pem -config tsa.cnf -section own -out answer.tsr');
    return execFileSync('cat', [join(office, 'answer.tsr')]);
  };
  const [stamp] = BLOCKS.filter(({ isStamp }) => isStamp);
  const [, signature = ''] = BLOCKS.map(({ text }) => text);
  const reports: Report[] = [];
  const checked = async (name: string, of: (signature: Buffer) => Buffer) => {
    const bytes = await packed(partsOf(), { stamp: async (signed) => stampOf(of(signed)) });
    reports.push(await verifyPackage(sourceOf(bytes)), pythonOf(bytes));
    const place = unpacked(name, bytes);
    execFileSync('cp', [join(office, 'ca.pem'), join(place, 'authority.pem')]);
    shell(signature, place);
    return shell(stamp?.text ?? '', place);
  };
  t.match(await checked('stamped', (bytes) => bytes), { status: 0, stdout: /Verification: OK[\s\S]*Time stamp:/ });
  t.match(await checked('foreign', () => Buffer.from('another signature')), {
    status: 1,
    stdout: /Verification: FAILED/,
  });
  for (const report of reports.slice(0, 2)) {
    t.match(report, { outcome: 'unchecked', differences: [], stamped: { at: /^20\d\d-.*Z$/, valid: null } });
    t.match(report.unchecked, [/^who stamped/]);
  }
  for (const report of reports.slice(2, 4)) {
    t.match(report, { outcome: 'differs', stamped: { valid: false } });
    t.strictSame(report.differences, [
      { file: 'signature/timestamp.tsr', what: 'it is the stamp of another signature' },
    ]);
  }
  const none = await packed(partsOf(), { stamp: async () => Buffer.from('0 no stamp') });
  for (const report of [await verifyPackage(sourceOf(none)), pythonOf(none)])
    t.strictSame(report.differences, [{ file: 'signature/timestamp.tsr', what: 'it is no time stamp' }]);
});

/** What verify.py says. */
function pythonOf(bytes: Buffer): Report {
  const path = join(folder, 'python.zip');
  writeFileSync(path, bytes);
  const script = join(ROOT, 'client/python/verify.py');
  return JSON.parse(spawnSync('python3', ['-B', script, path, '--json'], { encoding: 'utf8' }).stdout);
}

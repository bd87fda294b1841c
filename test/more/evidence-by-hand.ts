/** The commands of docs/evidence.md, run without changes: they accept a whole package and refuse a changed package. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { pageText } from '../docs/page.ts';
import { fieldsOf, packed, partsOf, sourceOf } from '../support/evidence.ts';
import { keptForm, NO_OPENSSL, openOffice } from '../support/time-stamp-office.ts';
import { unzip } from '../support/unzip.ts';

const sums = spawnSync('sha256sum', ['--version']).status === 0;
const options = { skip: NO_OPENSSL || (sums ? false : 'no sha256sum') };
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

t.test('openssl confirms key, signature, manifest and files', options, async (t) => {
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

t.test('openssl confirms the time stamp of the right signature, and not of another one', options, async (t) => {
  const office = openOffice(t);
  const [stamp] = BLOCKS.filter(({ isStamp }) => isStamp);
  const [, signature = ''] = BLOCKS.map(({ text }) => text);
  const checked = async (name: string, stampOf: (signature: Buffer) => Buffer, authority: string) => {
    const bytes = await packed(partsOf(), {
      signedAt: '2024-11-22T09:00:00.000Z',
      stamp: async (signed) => keptForm(stampOf(signed)),
    });
    const { outcome } = await verifyPackage(sourceOf(bytes));
    const place = unpacked(name, bytes);
    writeFileSync(join(place, 'authority.pem'), office.pem(authority));
    shell(signature, place);
    return { ...shell(stamp?.text ?? '', place), outcome };
  };
  const good = await checked('stamped', (bytes) => office.stamp(bytes), 'ca');
  t.match(good, { status: 0, outcome: 'whole', stdout: /Verification: OK[\s\S]*Time stamp:/ });
  const foreign = await checked('foreign', () => office.stamp(Buffer.from('another signature')), 'ca');
  t.match(foreign, { status: 1, outcome: 'differs', stdout: /Verification: FAILED/ });
  office.authority('stranger');
  const unknown = await checked('unknown', (bytes) => office.stamp(bytes), 'stranger');
  t.match(unknown, { status: 1, outcome: 'whole', stdout: /Verification: FAILED/ }, 'another authority');
  office.certificate('old', { to: '20210101000000Z' });
  const old = await checked(
    'old',
    (of) => office.madeUp({ of, by: 'old', at: new Date('2020-06-01T00:00:00Z') }),
    'ca',
  );
  t.match(old, { status: 1, stdout: /Verification: FAILED/ }, 'not valid today');
  const then = (stamp?.text ?? '').replace('-CAfile', '-attime 1590969600 -CAfile');
  t.match(shell(then, join(folder, 'old')), { status: 0, stdout: /Verification: OK/ });
});

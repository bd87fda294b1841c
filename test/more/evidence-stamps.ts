/** `slm verify` and `client/python/verify.py` say the same of stamps that are good, foreign, expired, swapped and damaged; each byte of a stamp counts. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { checkStamp } from '../../plugins/evidence/verify/check.ts';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { type Report, reportLines } from '../../plugins/evidence/verify/report.ts';
import { slm } from '../cli/setup.ts';
import { sourceOf } from '../support/evidence.ts';
import { HAS_CRYPTOGRAPHY, needsPython } from '../support/python.ts';
import { stampedPackages } from '../support/stamped-packages.ts';
import { keptForm, NO_OPENSSL, openOffice } from '../support/time-stamp-office.ts';

const FOLDER = fileURLToPath(new URL('../../client/python', import.meta.url));

const PROGRAM = `
import json, sys
if sys.argv[3] == 'without': sys.modules['cryptography'] = None
sys.path.insert(0, sys.argv[1])
import verify
print(json.dumps([[r, list(verify.lines_of(r))] for r in map(verify.verify, json.load(open(sys.argv[2])))]))
`;

const options = { skip: NO_OPENSSL || needsPython.skip };
t.test('both verifiers say the same of stamps, with and without the package cryptography', options, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slm-stamps-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const packages = await stampedPackages(t);
  const files = packages.map((_, n) => join(folder, `${n}.zip`));
  for (const [n, { bytes }] of packages.entries()) writeFileSync(files[n] ?? '', bytes);
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
  const said = (how: string): [Report, string[]][] => {
    const words = ['-B', '-c', PROGRAM, FOLDER, join(folder, 'files.json'), how];
    const { stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8', maxBuffer: 1e8 });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const [reports, without] = [said('with'), said('without')];
  for (const [n, { name, bytes, fault }] of packages.entries()) {
    const ours = await verifyPackage(sourceOf(bytes));
    const [theirs, lines] = reports[n] ?? [];
    if (fault === undefined) t.match(ours, { outcome: 'whole', differences: [] }, name);
    else t.match(ours, { outcome: 'differs', differences: [{ file: 'signature/timestamp.tsr', what: fault }] }, name);
    if (HAS_CRYPTOGRAPHY) {
      t.strictSame(theirs?.stamped?.valid, ours.stamped?.valid, name);
      t.strictSame(theirs?.not_stamped, ours.not_stamped, name);
      // Of a damaged certificate both say that it is damaged; which part they saw first is their own.
      if (fault?.source === '.')
        t.match(theirs, { outcome: 'differs', differences: [{ file: 'signature/timestamp.tsr' }] });
      else t.strictSame(theirs, ours, name);
      if (fault === undefined) t.equal(lines?.[2], reportLines(ours)[2], name);
    }
    t.not(without[n]?.[0].outcome, 'whole', `${name}: without cryptography nothing is said to be whole`);
  }
  const [bare] = without;
  t.match(bare?.[0], { outcome: 'unchecked', stamped: { valid: null, authority: null } });
  t.match(bare?.[0].unchecked, [/^the time stamp: install the package cryptography/, /^the signature: install/]);
  t.match(await slm(undefined, ['verify', files[0] ?? '']), {
    code: 0,
    out: /\nStamped at 20\d\d-\S+ by O=Büro, CN=tsa \(certificate sha256:[0-9a-f]{64}\)\. Whether/,
  });
  t.match(await slm(undefined, ['verify', files[3] ?? '']), {
    code: 0,
    out: /\nNot stamped: no time stamp server is set\.\n/,
  });
  t.match(await slm(undefined, ['verify', files[6] ?? '', '--json']), { code: 1, json: { stamped: { valid: false } } });
  const other = join(folder, 'other.pem');
  const authority = join(folder, 'authority.pem');
  const office = openOffice(t);
  writeFileSync(other, office.pem('ca'));
  writeFileSync(authority, packages[0]?.authority ?? '');
  const script = join(FOLDER, 'verify.py');
  const ran = async (...words: string[]) => {
    const { code, out, err } = await slm(undefined, ['verify', ...words]);
    const theirs = spawnSync('python3', ['-B', script, ...words], { encoding: 'utf8' });
    if (HAS_CRYPTOGRAPHY) t.equal(theirs.status, code, words.join(' '));
    return { code, out, err, theirs: HAS_CRYPTOGRAPHY ? theirs.stdout : out };
  };
  const known = await ran(files[0] ?? '', '--authority', authority);
  t.match(known, { code: 0, out: /, an authority that you named\./, theirs: /, an authority that you named\./ });
  const unknown = await ran(files[0] ?? '', '--authority', other);
  t.match(unknown, {
    code: 1,
    out: /does not lead to an authority that you/,
    theirs: /does not lead to an authority that you/,
  });
  const none = await ran(files[3] ?? '', '--authority', authority);
  t.match(none, {
    code: 1,
    out: /there is no time stamp of an authority/,
    theirs: /there is no time stamp of an authority/,
  });
  t.match(await ran(files[0] ?? '', '--authority', files[0] ?? ''), { code: 2, err: /holds no certificate/ });
  t.match(await ran(files[0] ?? '', '--authority', join(folder, 'none.pem')), { code: 2, err: /ENOENT/ });
});

const SIGNATURE = Buffer.alloc(64, 5);
t.test('each byte of a stamp that is turned over is found', { skip: NO_OPENSSL }, async (t) => {
  const office = openOffice(t);
  office.write('chain.pem', office.pem('ca'));
  const stamp = keptForm(office.stamp(SIGNATURE, 'tsa', '-chain', 'chain.pem'));
  t.equal((await checkStamp(stamp, SIGNATURE)).fault, undefined);
  const missed: number[] = [];
  for (const at of stamp.keys())
    for (const bits of [0xff, 0x01]) {
      const damaged = Buffer.from(stamp);
      damaged[at] = (damaged[at] ?? 0) ^ bits;
      if ((await checkStamp(damaged, SIGNATURE)).fault === undefined) missed.push(at);
    }
  t.strictSame(missed, []);
});

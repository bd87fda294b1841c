/**
 * Packages of evidence in the hands of an opponent: one byte changed at 2,000 places, and what `client/python/verify.py` says of 200 damaged packages
 * and without a network.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import type { Report } from '../../plugins/evidence/verify/report.ts';
import { readDirectory } from '../../plugins/evidence/verify/zip.ts';
import { fieldsOf, packed, partsOf, partsWithUnsealedTable, sourceOf } from '../support/evidence.ts';
import { ATTACKS } from '../support/evidence-attacks.ts';
import { HAS_CRYPTOGRAPHY, needsPython } from '../support/python.ts';
import { keptForm, NO_OPENSSL, openOffice } from '../support/time-stamp-office.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPT = join(ROOT, 'client/python/verify.py');
const PLACES = 2_000;
const run = promisify(execFile);

const unshare = spawnSync('unshare', ['-rn', 'true']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'slm-evidence-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

const whole = await packed();

/** The same bytes with one turned over. */
function flipped(at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
}

/** Places from the first byte to the last. */
const places = (count: number) =>
  Array.from({ length: count }, (_, n) => Math.floor((n * (whole.length - 1)) / (count - 1)));

t.test('one changed byte, at 2,000 places, is found, and its file is named', async (t) => {
  const { entries } = (await readDirectory(sourceOf(whole))) ?? { entries: [] };
  const directory = whole.readUInt32LE(whole.length - 6);
  let unnamed = 0;
  for (const at of places(PLACES)) {
    const { outcome, differences } = await verifyPackage(sourceOf(flipped(at)));
    if (outcome === 'whole' || outcome === 'unchecked' || differences.length === 0) t.fail(`byte ${at} is not found`);
    const owner = at < directory && entries.findLast(({ offset }) => offset <= at)?.path;
    if (typeof owner === 'string' && !differences.some(({ file }) => file === owner)) {
      t.fail(`byte ${at} of ${owner} is found in ${differences.map(({ file }) => file)}`);
      unnamed += 1;
    }
  }
  t.equal(unnamed, 0);
  t.ok(entries.length > 15 && directory > PLACES);
});

t.test(
  'verify.py agrees with slm verify on 200 damaged packages, a whole one and two without their seconds',
  needsPython,
  async (t) => {
    const damaged: Buffer[] = [whole];
    for (const attack of ATTACKS) damaged.push(await attack.on(whole));
    damaged.push(...places(201 - damaged.length).map(flipped));
    t.equal(damaged.length, 201);
    damaged.push(await packed(partsOf({ secondsGone: true })), await packed(partsWithUnsealedTable()));
    const files = damaged.map((_, n) => join(folder, `${n}.zip`));
    for (const [n, bytes] of damaged.entries()) writeFileSync(files[n] ?? '', bytes);
    writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
    const program =
      'import json,sys; sys.path.insert(0, sys.argv[1]); import verify; print(json.dumps([verify.verify(f) for f in json.load(open(sys.argv[2]))]))';
    const args = ['-B', '-c', program, join(ROOT, 'client/python'), join(folder, 'files.json')];
    const { stdout } = await run('python3', args, { maxBuffer: 1e8 });
    const reports: Report[] = JSON.parse(stdout);
    for (const [n, bytes] of damaged.entries()) {
      const ours = await verifyPackage(sourceOf(bytes));
      const theirs = reports[n];
      // Both refuse a damaged ZIP. Which record they saw first, and whether they still take it for a ZIP, is their own.
      if (n > ATTACKS.length && isOfZip(ours)) t.match(theirs?.outcome, /^(differs|not a package)$/, `package ${n}`);
      else if (isOfZip(ours)) t.equal(theirs?.outcome, ours.outcome, `package ${n}`);
      else t.strictSame(comparable(theirs), comparable(ours), `package ${n}`);
    }
  },
);

/** Whether something around the files of the ZIP is not as the gateway writes it. */
const isOfZip = ({ differences }: Report): boolean =>
  differences.some(({ what }) =>
    /ZIP|belong|unpack|packed as|link|password|twice|out of the folder|place of|file is empty/.test(what),
  );

/** Without the signature where it could not be checked. */
function comparable(report: Report | undefined): unknown {
  if (!report || HAS_CRYPTOGRAPHY) return report;
  const { outcome, signed, differences, unchecked, ...others } = report;
  const known = differences.filter(({ what }) => !/signature does not fit/.test(what));
  return { ...others, isWhole: known.length === 0, by: signed.by, at: signed.at, known };
}

t.test('verify.py: exit codes, and what it says to a person', needsPython, async (t) => {
  const path = join(folder, 'whole.zip');
  writeFileSync(path, whole);
  const ran = (...args: string[]) => spawnSync('python3', ['-B', SCRIPT, ...args], { encoding: 'utf8' });
  const code = HAS_CRYPTOGRAPHY ? 0 : 3;
  t.match(ran(path), { status: code, stdout: /fits/ });
  const { fingerprint } = fieldsOf().key;
  t.match(ran(path, '--fingerprint', fingerprint), { status: code, stdout: new RegExp(fingerprint) });
  t.match(ran(path, '--fingerprint', `sha256:${'0'.repeat(64)}`), { status: 1, stdout: /another key/ });
  t.match(ran(join(ROOT, 'package.json')), { status: 2, stdout: /it is no ZIP/ });
  t.match(ran(join(folder, 'none.zip')), { status: 2, stderr: /No such file/ });
  const hidden = join(folder, 'hidden');
  const without = `import sys; sys.modules['cryptography'] = None; sys.argv = ['verify.py', ${JSON.stringify(path)}]; import runpy; runpy.run_path(${JSON.stringify(SCRIPT)}, run_name='__main__')`;
  t.match(
    spawnSync('python3', ['-B', '-c', without], { encoding: 'utf8', cwd: ROOT, env: { ...process.env, HOME: hidden } }),
    {
      status: 3,
      stdout: /NOTHING DIFFERS[\s\S]*Not checked: the signature: install the package cryptography/,
    },
  );
});

t.test(
  'both work in a network namespace that has no network',
  { skip: unshare ? needsPython.skip : 'unshare -rn is not allowed' },
  async (t) => {
    const path = join(folder, 'offline.zip');
    const office = NO_OPENSSL ? undefined : openOffice(t);
    const stamped = office && {
      stamp: async (signature: Buffer) => keptForm(office.stamp(signature)),
      signedAt: '2024-11-22T09:00:00.000Z',
    };
    writeFileSync(path, await packed(partsOf(), stamped));
    const node = [process.execPath, join(ROOT, 'cli/slm.ts'), 'verify', path];
    for (const command of [node, ['python3', '-B', SCRIPT, path]]) {
      const inside = [
        '-rn',
        'sh',
        '-c',
        'ip -o addr 2>/dev/null | grep -q "scope global" && exit 99; exec "$@"',
        'sh',
        ...command,
      ];
      const { status, stdout } = spawnSync('unshare', inside, { encoding: 'utf8', cwd: ROOT });
      t.match(
        { status, stdout },
        {
          status: command === node || HAS_CRYPTOGRAPHY ? 0 : 3,
          stdout: office && (command === node || HAS_CRYPTOGRAPHY) ? /O=Büro, CN=tsa[\s\S]*2026-11-20/ : /2026-11-20/,
        },
        command[0] ?? '',
      );
    }
  },
);

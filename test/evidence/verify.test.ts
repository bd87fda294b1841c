/** Reports of the verifier on whole packages, and on packages that somebody has changed. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { PackagePart } from '../../plugins/evidence/archive.ts';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { differenceText } from '../../plugins/evidence/verify/report.ts';
import { slm } from '../cli/setup.ts';
import {
  fieldsOf,
  packed,
  partsOf,
  partsWithUnsealedTable,
  privateKeyOf,
  SIGNED_AT,
  sourceOf,
} from '../support/evidence.ts';
import { repacked } from '../support/evidence-attacks.ts';

const checked = (bytes: Uint8Array, fingerprint?: string) => verifyPackage(sourceOf(bytes), { fingerprint });
const named = async (bytes: Uint8Array) => (await checked(bytes)).differences.map(differenceText);
const FINGERPRINT = fieldsOf().key.fingerprint;

t.test('a whole package: by whom, when, how many files, which seals fit', async (t) => {
  t.strictSame(await checked(await packed()), {
    outcome: 'whole',
    unit_id: 'roof',
    from: '2026-11-19T23:00:00.000Z',
    to: '2026-11-21T23:00:00.000Z',
    signed: { by: FINGERPRINT, at: SIGNED_AT, valid: true },
    stamped: null,
    not_stamped: null,
    files: 16,
    seals: [
      { day: '2026-11-20', version: 1, result: 'fits' },
      { day: '2026-11-21', version: 1, result: 'fits' },
    ],
    differences: [],
    unchecked: [],
  });
});

t.test('a changed value is named by file, line and field', async (t) => {
  const changed = await repacked(await packed(), (files) => {
    const path = 'levels/2026-11-20/minutes.csv';
    const lines = String(files.get(path)).split('\n');
    lines[17] = lines[17]?.replace(/,5\d\.\d,/, ',49.0,') ?? '';
    files.set(path, Buffer.from(lines.join('\n')));
  });
  t.strictSame(await named(changed), [
    'levels/2026-11-20/minutes.csv, line 18, leq: it is not as it was signed',
    'levels/2026-11-20: the levels do not fit the seal of the day',
  ]);
});

t.test('rows that are added, removed, swapped, and another header', async (t) => {
  const path = 'levels/2026-11-21/minutes.csv';
  const after = async (change: (lines: string[]) => void) => {
    const changed = await repacked(await packed(), (files) => {
      const lines = String(files.get(path)).split('\n');
      change(lines);
      files.set(path, Buffer.from(lines.join('\n')));
    });
    return (await named(changed))[0];
  };
  t.equal(
    await after((lines) => lines.splice(9, 1)),
    `${path}, line 10: it has 120 rows in place of 121; the first that differs is this`,
  );
  t.equal(
    await after((lines) => lines.splice(9, 0, 'x')),
    `${path}, line 10: it has 122 rows in place of 121; the first that differs is this`,
  );
  t.match(
    await after((lines) => lines.splice(9, 2, lines[10] ?? '', lines[9] ?? '')),
    `${path}, line 10, time, leq, lmax: it is in another order`,
  );
  t.match(
    await after((lines) => lines.splice(0, 1, 'time,channel,source,leq,lfmax,flags')),
    `${path}, line 1, lmax, lfmax: the names`,
  );
});

t.test('files that are added, removed, renamed and reordered are named', async (t) => {
  const whole = await packed();
  const added = await repacked(whole, (files) => void files.set('settings2.json', Buffer.from('{}')));
  t.match(await named(added), ['settings2.json: it was not there when it was signed']);
  const removed = await repacked(whole, (files) => void files.delete('settings.json'));
  t.strictSame(await named(removed), ['settings.json: it is missing']);
  const renamed = await repacked(whole, (files) => {
    files.set('settings2.json', files.get('settings.json') ?? Buffer.of());
    files.delete('settings.json');
  });
  t.strictSame((await named(renamed)).sort(), [
    'settings.json: it is missing',
    'settings2.json: it was settings.json when it was signed',
  ]);
  const reordered = await repacked(whole, (files) => {
    const first = files.get('README.txt') ?? Buffer.of();
    files.delete('README.txt');
    files.set('README.txt', first);
  });
  t.match(await named(reordered), ['audit.jsonl: it is not at its place in the order of the files']);
});

t.test('a manifest that was made to fit the changed file is not the signed one', async (t) => {
  const changed = await repacked(await packed(), (files) => {
    const manifest = JSON.parse(String(files.get('manifest.json')));
    const content = Buffer.from('{"weighting":"C"}');
    files.set('settings.json', content);
    const entry = manifest.files.find(({ path }: { path: string }) => path === 'settings.json');
    Object.assign(entry, { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
  });
  t.strictSame(await named(changed), ['manifest.json: it is not the signed manifest']);
});

t.test('manifest, envelope and key of another gateway', async (t) => {
  const whole = await packed();
  const other = await packed(partsOf(), { key: privateKeyOf(Buffer.alloc(32, 8)) });
  const { outcome, signed } = await checked(other);
  t.equal(outcome, 'whole', 'it is whole, by another key');
  t.not(signed.by, FINGERPRINT);
  t.match((await checked(other, FINGERPRINT)).differences, [
    { file: 'signature/public-key.pem', what: /it is another key/ },
  ]);
  t.equal((await checked(whole, FINGERPRINT)).outcome, 'whole');
  for (const path of ['manifest.json', 'signature/envelope.json', 'signature/public-key.pem']) {
    const mixed = await repacked(whole, async (files) => {
      await repacked(other, (others) => void files.set(path, others.get(path) ?? Buffer.of()));
    });
    const report = await checked(mixed);
    t.equal(report.outcome, 'differs', path);
  }
});

t.test('a seal that does not fit the levels, although the package is signed', async (t) => {
  const parts = partsOf().map(
    (part): PackagePart =>
      part.path === 'levels/2026-11-20/minutes.csv'
        ? { ...part, content: String(part.content).replace(',50.0,', ',49.0,') }
        : part,
  );
  const { seals, differences, signed } = await checked(await packed(parts));
  t.equal(signed.valid, true);
  t.strictSame(
    seals.map(({ result }) => result),
    ['differs', 'fits'],
  );
  t.match(differences, [{ file: 'levels/2026-11-20' }]);
});

t.test('seconds that are gone leave the seal to the minutes; a changed minute still differs', async (t) => {
  const parts = partsOf({ secondsGone: true });
  const { outcome, seals } = await checked(await packed(parts));
  t.equal(outcome, 'whole');
  t.strictSame(
    seals.map(({ result }) => result),
    ['minutes', 'minutes'],
  );
  const changed = parts.map(
    (part): PackagePart =>
      part.path === 'levels/2026-11-20/minutes.csv'
        ? { ...part, content: String(part.content).replace(',50.0,', ',49.0,') }
        : part,
  );
  t.match(await checked(await packed(changed)), { outcome: 'differs', differences: [{ file: 'levels/2026-11-20' }] });
});

t.test('a table that was not sealed differs, although the sealed minutes fit and the seconds are gone', async (t) => {
  t.match(await checked(await packed(partsWithUnsealedTable())), {
    outcome: 'differs',
    differences: [{ file: 'levels/2026-11-20' }],
  });
});

t.test('a day that the span cuts has no seal to compare with', async (t) => {
  const fields = fieldsOf();
  const query = { ...fields.query, from: '2026-11-20T00:00:00.000Z' };
  const { outcome, seals } = await checked(await packed(partsOf(), { fields: { ...fields, query } }));
  t.equal(outcome, 'whole');
  t.strictSame(
    seals.map(({ result }) => result),
    ['part', 'fits'],
  );
});

t.test('slm verify: exit codes, a report for a person and one for a program', async (t) => {
  const folder = t.testdir({ 'no.zip': 'hello', 'empty.zip': '' });
  const [whole, other] = [join(folder, 'whole.zip'), join(folder, 'other.zip')];
  writeFileSync(whole, await packed());
  writeFileSync(other, await repacked(await packed(), (files) => void files.set('settings.json', Buffer.from('{}'))));
  const good = await slm(undefined, `verify ${whole} --fingerprint ${FINGERPRINT}`);
  t.match(good, {
    code: 0,
    out: /^WHOLE: [\s\S]*\nSigned by sha256:[0-9a-f]{64}, at 2026-11-22T09:00[\s\S]*\nNot stamped/,
  });
  t.match(good.out, '2026-11-20 fits its seal (version 1).');
  t.match(await slm(undefined, `verify ${other}`), {
    code: 1,
    out: /Differs: settings.json: it is not as it was signed/,
  });
  const json = await slm(undefined, `verify ${other} --json`);
  t.match(json.json, { outcome: 'differs', differences: [{ file: 'settings.json', what: String }] });
  t.match(await slm(undefined, ['verify', join(folder, 'no.zip')]), { code: 2, out: /it is no ZIP/ });
  t.match(await slm(undefined, ['verify', join(folder, 'empty.zip')]), { code: 2, out: /the file is empty/ });
  t.match(await slm(undefined, ['verify', join(folder, 'none.zip')]), { code: 2, err: /cannot be read/ });
  t.match(await slm(undefined, `verify ${folder}`), { code: 2 });
  t.match(await slm(undefined, `verify ${whole} --fingerprint abc`), { code: 2, err: /sha256:/ });
});

/** A package of a meter at work: what happened in its span is in it, and the verifiers find it whole, and name what was changed. `npm run test:more` */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { DAMAGES, damaged, packageOfWork } from '../support/package-of-work.ts';
import { HAS_CRYPTOGRAPHY, HAS_PYTHON } from '../support/python.ts';
import { unzip } from '../support/unzip.ts';

const SCRIPT = fileURLToPath(new URL('../../client/python/verify.py', import.meta.url));
const SLM = fileURLToPath(new URL('../../cli/slm.ts', import.meta.url));

t.test('a package has an alert, flags, changed settings and records of the audit log', async (t) => {
  const bytes = await packageOfWork(t);
  const files = unzip(bytes);
  const fileOf = (name: string) => String(files.get(name));

  const [event] = JSON.parse(fileOf('alerts.json'));
  t.match(event, { rule_name: 'Night', unit_id: 'sim-1' });
  const levels = [...files.keys()].filter((name) => /^levels.*seconds\.csv$/.test(name)).map(fileOf);
  t.match(levels.join('\n'), /over frozen/);
  const settings = JSON.parse(fileOf('settings.json'));
  t.match(
    settings.meter_settings.filter(({ name }: { name: string }) => name === 'lp_interval'),
    [{ value: '100ms' }],
  );
  t.match(
    settings.meter_setting_changes.filter(({ name }: { name: string }) => name === 'lp_interval'),
    [{ value: '1s', before: '100ms' }],
  );
  const records = fileOf('audit.jsonl').trim().split('\n');
  t.match(
    records.map((line) => JSON.parse(line).route),
    ['/{unit_id}/config', '/{unit_id}/lp-interval'],
  );
  t.notMatch(fileOf('settings.json'), /127\.0\.0\.1|port|password/);

  saidByBoth(t, 'whole', bytes);
  for (const damage of DAMAGES) {
    const { difference, bytes: changed } = await damaged(bytes, damage);
    saidByBoth(t, damage.name, changed, difference);
  }
});

/** `slm verify` and `verify.py` find this one difference in these bytes, or none. `test/browser/verify-page.ts` has the page. */
function saidByBoth(t: Test, name: string, bytes: Buffer, difference?: RegExp) {
  const path = join(t.testdir(), 'package.zip');
  writeFileSync(path, bytes);
  const programs: [string, string[]][] = [[process.execPath, [SLM, 'verify', path]]];
  if (HAS_PYTHON) programs.push(['python3', ['-B', SCRIPT, path]]);
  for (const [program, args] of programs) {
    const { stdout, status } = spawnSync(program, args, { encoding: 'utf8' });
    const differs = stdout.split('\n').filter((line) => line.startsWith('Differs'));
    t.match(differs, difference ? [difference] : [], `${name}: ${stdout}`);
    t.equal(differs.length, difference ? 1 : 0, name);
    // Without the package `cryptography` the other program cannot check the signature, and says so by 3.
    const whole = program === 'python3' && !HAS_CRYPTOGRAPHY ? 3 : 0;
    t.equal(status, difference ? 1 : whole, name);
  }
}

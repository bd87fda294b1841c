/** The page that checks packages of evidence, opened from disk in a real browser: it says the same as `slm verify`, and fetches nothing. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { verifyPackage } from '../../plugins/evidence/verify/index.ts';
import { reportLines } from '../../plugins/evidence/verify/report.ts';
import { fieldsOf, packed, sourceOf } from '../support/evidence.ts';
import { ATTACKS, repacked } from '../support/evidence-attacks.ts';
import { DAMAGES, damaged, packageOfWork } from '../support/package-of-work.ts';
import { stampedPackages } from '../support/stamped-packages.ts';
import { NO_OPENSSL } from '../support/time-stamp-office.ts';
import { isFit } from './support/axe.ts';
import { browserFor, inBrowser } from './support/stage.ts';

const PAGE = fileURLToPath(new URL('../../web/dist/verify/verify.html', import.meta.url));

const everyFourth = <T>(items: readonly T[]) => items.filter((_, index) => index % 4 === 0);

/** Ends with the test. */
async function newPage(t: Test) {
  const page = await (await browserFor(t)).newPage();
  t.teardown(() => page.context().close());
  return page;
}

inBrowser(t, 'the page says of whole and damaged packages what slm verify says', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slm-verify-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const page = await newPage(t);
  await page.context().setOffline(true);
  page.setDefaultTimeout(45_000);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => t.fail(`the page threw: ${error.message}`));
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  const address = pathToFileURL(PAGE).href;
  await page.goto(address);

  const said = async (name: string) => {
    await page.getByText(`${name} is checked.`).waitFor();
    return [await page.locator('#verdict').textContent(), ...(await page.locator('#lines li').allTextContents())];
  };
  const checked = async (name: string, bytes: Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await page.getByLabel('Package').setInputFiles(path);
    return said(name);
  };

  const whole = await packed();
  const changed = await repacked(whole, (files) => {
    const path = 'levels/2026-11-20/minutes.csv';
    files.set(path, Buffer.from(String(files.get(path)).replace(/(\n.*\n[^,]*,main,stream,)[^,]*/, '$149.0')));
  });
  // `slm verify`, made of the same files, gets all of them in test/evidence.
  const some = NO_OPENSSL ? [] : everyFourth((await stampedPackages(t)).slice(0, 20));
  const packages = [
    whole,
    changed,
    ...some.map(({ bytes }) => bytes),
    ...(await Promise.all(everyFourth(ATTACKS).map(({ on }) => on(whole)))),
    Buffer.from('no ZIP'),
  ];
  for (const [n, bytes] of packages.entries()) {
    const expected = reportLines(await verifyPackage(sourceOf(bytes)));
    t.strictSame(await checked(`${n}.zip`, bytes), expected, `package ${n}: ${expected[0]}`);
  }
  t.match(
    reportLines(await verifyPackage(sourceOf(changed))).join('\n'),
    'minutes.csv, line 3, leq: it is not as it was signed',
  );

  const [first] = some;
  if (first) {
    const named = join(folder, 'authority.pem');
    writeFileSync(named, first.authority);
    await page.getByLabel('Certificates of the time stamp authority').setInputFiles(named);
    t.match(await checked('known.zip', first.bytes), [
      /^WHOLE/,
      /^Unit/,
      /^Signed/,
      /, an authority that you named\.$/,
    ]);
    const wrong = { name: 'wrong.pem', mimeType: 'text/plain', buffer: Buffer.from('no certificate') };
    await page.getByLabel('Certificates of the time stamp authority').setInputFiles(wrong);
    await page.getByText('The certificates of the authority cannot be read: it holds no certificate').waitFor();
    await page.getByLabel('Certificates of the time stamp authority').setInputFiles([]);
  }
  await checked('again.zip', whole);
  await page.getByLabel('Fingerprint').fill(`sha256:${'0'.repeat(64)}`);
  await page.getByLabel('Fingerprint').press('Tab');
  await page.getByText('it is another key').waitFor();
  await page.getByLabel('Fingerprint').fill(fieldsOf().key.fingerprint);
  await page.getByLabel('Fingerprint').press('Tab');
  await page.getByText('WHOLE: every file').waitFor();

  await isFit(t, page);
  t.strictSame(asked, [address], 'it asks for nothing but itself');
  const text = readFileSync(PAGE, 'utf8');
  t.match(text, /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/);
  t.strictSame(errors, [], 'the browser reports nothing, until the page is made to ask');
  const tried = await page.evaluate(() =>
    fetch('https://192.0.2.1/').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  t.equal(tried, 'refused');
});

inBrowser(t, 'a package that is dropped on the page is checked', async (t) => {
  const page = await newPage(t);
  await page.goto(pathToFileURL(PAGE).href);
  const content = (await packed()).toString('base64');
  await page.evaluate(`{
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob('${content}'), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], 'dropped.zip'));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
  }`);
  await page.getByText('WHOLE: every file').waitFor();
  t.ok(await page.getByText('dropped.zip is checked.').isVisible());
});

inBrowser(t, 'a package of a meter at work is whole, and one changed word of each part is named', async (t) => {
  const page = await newPage(t);
  const bytes = await packageOfWork(t);
  await page.goto(pathToFileURL(PAGE).href);
  const linesOf = async (name: string, buffer: Buffer) => {
    await page.getByLabel('Package').setInputFiles({ name, mimeType: 'application/zip', buffer });
    await page.getByText(`${name} is checked.`).waitFor();
    return [await page.locator('#verdict').textContent(), ...(await page.locator('#lines li').allTextContents())];
  };
  t.match(await linesOf('whole.zip', bytes), [/^WHOLE/]);
  for (const [n, damage] of DAMAGES.entries()) {
    const { difference, bytes: changed } = await damaged(bytes, damage);
    const [verdict, ...lines] = await linesOf(`${n}.zip`, changed);
    t.match(verdict, /^NOT WHOLE/, damage.name);
    const differs = lines.filter((line) => line?.startsWith('Differs'));
    t.match(differs, [difference], damage.name);
    t.equal(differs.length, 1, damage.name);
  }
});

/** Letterheads of reports: lines and a logo in PDF and HTML; the refusal of a bad picture. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { JPEG, pngFrom, squarePng } from '../support/pictures.ts';
import { address, noPoppler, pdfOf, poppler, SPANS } from '../support/reports.ts';
import { openWorld } from '../support/world.ts';

const LINES = ['Büro für Akustik <b>', '騒音測定 1 Example Street', '', '=1+1'];

t.test('a report has the letterhead that it names, and keeps it over a restart', noPoppler, async (t) => {
  const world = await openWorld(t);
  const path = '/_reports/letterheads/office';
  const logo = squarePng(40);
  const made = await world.put(path, { lines: LINES, logo: logo.toString('base64') });
  const sha256 = createHash('sha256').update(logo).digest('hex');
  t.match(made, { status: 201, body: { data: { name: 'office', lines: LINES, logo: sha256 } } });
  const { data } = (await world.get(path)).body;
  t.equal(data.logo, logo.toString('base64'));
  t.equal((await world.put(path, data)).status, 200, 'the data of an answer may be sent back');
  await world.restart(1_000);
  t.strictSame((await world.get('/_reports/letterheads')).body.data, [{ name: 'office', lines: LINES, logo: sha256 }]);

  const query = address(SPANS['a week'], '&template=short&letterhead=office');
  t.strictSame((await world.get(query)).body.data.letterhead, { lines: LINES, logo: sha256 });
  const bytes = await pdfOf(t, world, `${query}&format=pdf`);
  t.ok(bytes.equals(await pdfOf(t, world, `${query}&format=pdf`)), 'the same bytes');
  const text = poppler(t, 'pdftotext', bytes, '-');
  for (const line of LINES) t.ok(text.includes(line), line);
  t.ok(text.indexOf('Akustik') < text.indexOf('Noise report'), 'above the title');
  t.match(bytes.toString('latin1'), /\/Subtype \/Image[\s\S]*\/Width 40/, 'the picture is in it');

  const page = await fetch(`${world.base}${query}&format=html`);
  const html = await page.text();
  t.ok(html.includes(`<img src="data:image/png;base64,${logo.toString('base64')}" alt="">`));
  t.ok(html.includes('Büro für Akustik &lt;b&gt;'), 'a line is no markup');
  t.match(page.headers.get('content-security-policy'), /default-src 'none'; .*img-src data:/);
  const plain = await fetch(`${world.base}${address(SPANS['a week'], '&format=html')}`);
  t.notMatch(plain.headers.get('content-security-policy'), 'img-src', 'a page without a picture may show none');
  t.equal((await world.get(address(SPANS['a week'], '&template=short'))).body.data.letterhead, null);

  const kept = await world.post('/_reports', { name: 'Week', units: ['sim-1'], letterhead: 'office' });
  t.match(kept, { status: 201, body: { data: { letterhead: 'office' } } }, 'a kept report names it');
  t.equal((await world.ask('DELETE', path)).status, 200);
  t.match(await world.get(query), { status: 422, body: { errors: [{ path: '/letterhead' }] } });
  const { warnings } = (await world.get('/_reports/1')).body.data;
  t.strictSame(warnings, ['There is no letterhead office any more.'], 'a kept report says so before it is due');
  t.match(await world.get(path), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
});

t.test('when a logo is no picture, broken or too large, the answer names its path, and nothing is kept', async (t) => {
  const world = await openWorld(t);
  const whole = squarePng(40);
  for (const [what, logo] of [
    ['a page', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['the begin of a picture', whole.subarray(0, whole.length - 20)],
    ['more than 1 MB', Buffer.concat([whole, Buffer.alloc(1_000_001 - whole.length)])],
    ['too many pixels', pngFrom([2_001, 40, 8, 0], Buffer.alloc(40 * 2_002))],
    ['no pixels', squarePng(0)],
    ['broken behind its head', Buffer.from(whole).fill(0xff, 45, 55)],
    ['a head without a picture', JPEG.subarray(0, 3)],
    ['a JPEG without a scan', JPEG],
    ['fewer rows than it says', pngFrom([40, 40, 8, 2], Buffer.alloc(100))],
    ['more than it says', pngFrom([10, 10, 8, 6], Buffer.alloc(3_000_000))],
    ['a byte more than it says', pngFrom([1, 1, 8, 0], Buffer.alloc(3))],
    ['seven bits', pngFrom([40, 40, 7, 6], Buffer.alloc(40 * 161))],
    ['colours that it does not have', pngFrom([40, 40, 8, 3], Buffer.alloc(40 * 41))],
    ['two heads', Buffer.concat([whole.subarray(0, 33), squarePng(2_000).subarray(8, 33), whole.subarray(33)])],
    ['a second picture behind the first', Buffer.concat([whole, whole.subarray(8)])],
    ['a filter that nobody knows', pngFrom([4, 4, 8, 2], Buffer.alloc(4 * 13, 9))],
  ] as const) {
    const { status, body } = await world.put('/_reports/letterheads/x', { lines: [], logo: logo.toString('base64') });
    t.match({ status, body }, { status: 422, body: { code: 'INVALID', errors: [{ path: '/logo' }] } }, what);
  }
  for (const [what, logo] of [
    ['one bit', pngFrom([9, 4, 1, 0], Buffer.alloc(4 * 3))],
    ['sixteen bits', pngFrom([4, 4, 16, 6], Buffer.alloc(4 * 33))],
    ['its own colours', pngFrom([4, 4, 2, 3], Buffer.alloc(4 * 2), { PLTE: Buffer.alloc(12) })],
    // Its passes have 4, 0, 4, 8, 7, 12 and 20 bytes.
    ['interlaced', pngFrom([3, 5, 8, 2, 1], Buffer.alloc(55))],
  ] as const) {
    const { status, body } = await world.put('/_reports/letterheads/y', { lines: [], logo: logo.toString('base64') });
    t.match([200, 201].includes(status), true, `${what}: ${JSON.stringify(body)}`);
  }
  await world.ask('DELETE', '/_reports/letterheads/y');
  for (const [body, path] of [
    [{ logo: 'no base64!' }, '/logo'],
    [{ lines: ['a\u0000'] }, '/lines/0'],
    [{ lines: ['x'.repeat(101)] }, '/lines/0'],
    [{ lines: Array(7).fill('x') }, '/lines'],
  ] as const)
    t.match(await world.put('/_reports/letterheads/x', body), { status: 422, body: { errors: [{ path }] } }, path);
  t.strictSame((await world.get('/_reports/letterheads')).body.data, []);
});

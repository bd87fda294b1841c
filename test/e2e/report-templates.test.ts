/** Templates of reports that people write: sections, their order and titles, kept over a restart. */
import t from 'tap';
import { openKeyedGateway } from '../support/keyed-gateway.ts';
import { address, SPANS } from '../support/reports.ts';
import { type Json, openWorld } from '../support/world.ts';

const BODY = { title: 'For the permit', sections: ['charts', 'limits'], titles: { limits: 'Permit 12/345 <b>' } };

t.test("a template of one's own gives its sections in its order, under its titles", async (t) => {
  const world = await openWorld(t);
  const path = '/_reports/templates/permit';
  const made = await world.put(path, BODY);
  t.match(made, { status: 201, body: { data: { name: 'permit', ...BODY, built_in: false } } });
  t.equal((await world.put(path, made.body.data)).status, 200, 'the data of an answer may be sent back');
  await world.restart(1_000);
  t.strictSame((await world.get(path)).body.data, made.body.data, 'it is kept');
  const names = (await world.get('/_reports/templates')).body.data.map(({ name }: Json) => name);
  t.strictSame(names, ['full', 'short', 'levels', 'unit', 'permit']);
  const report: Json = (await world.get(address(SPANS['a week'], '&template=permit&lang=de'))).body.data;
  t.equal(report.template, 'permit');
  t.strictSame(
    report.units[0].sections.map(({ section, title }: Json) => [section, title]),
    [
      ['charts', 'Pegelverlauf'],
      ['limits', 'Permit 12/345 <b>'],
    ],
  );
  const kept = await world.post('/_reports', { name: 'Permit', units: ['sim-1'], template: 'permit' });
  t.equal(kept.status, 201, 'a kept report may name it');
  t.strictSame(kept.body.data.warnings, []);
  t.equal((await world.ask('DELETE', path)).status, 200);
  const { warnings } = (await world.get('/_reports/1')).body.data;
  t.strictSame(warnings, ['There is no template permit any more.'], 'and says before it is due that it is gone');
  t.match(await world.get(path), { status: 404, body: { code: 'REPORT_NOT_FOUND' } });
  const gone = await world.get(address(SPANS['a week'], '&template=permit'));
  t.match(gone, { status: 422, body: { code: 'INVALID', errors: [{ path: '/template' }] } });
});

t.test('when a template is wrong, the answer names the path, and nothing is kept', async (t) => {
  const world = await openWorld(t);
  const path = '/_reports/templates/own';
  for (const [body, wrong] of [
    [{ ...BODY, sections: [] }, '/sections'],
    [{ ...BODY, sections: ['limits', 'limits'] }, '/sections'],
    [{ ...BODY, sections: ['nothing'] }, '/sections/0'],
    [{ ...BODY, title: 'a\u0007b' }, '/title'],
    [{ ...BODY, title: '' }, '/title'],
    [{ ...BODY, titles: { days: 'Days' } }, '/titles/days'],
    [{ ...BODY, titles: { limits: 'x'.repeat(101) } }, '/titles/limits'],
    [{ ...BODY, colour: 'red' }, '/colour'],
    [{ ...BODY, name: 'another' }, '/name'],
  ] as const)
    t.match(await world.put(path, body), { status: 422, body: { code: 'INVALID', errors: [{ path: wrong }] } }, wrong);
  for (const name of ['full', 'short', 'levels', 'unit']) {
    t.match(await world.put(`/_reports/templates/${name}`, BODY), { status: 422, body: { code: 'INVALID' } }, name);
    t.match(await world.ask('DELETE', `/_reports/templates/${name}`), { status: 422, body: { code: 'INVALID' } }, name);
  }
  t.equal((await world.get('/_reports/templates')).body.data.length, 4);
  for (let n = 0; n < 50; n++) t.equal((await world.put(`/_reports/templates/t${n}`, BODY)).status, 201);
  t.match(await world.put(path, BODY), { status: 422, body: { code: 'INVALID' } }, 'fifty are the most');
  t.equal((await world.put('/_reports/templates/t7', BODY)).status, 200, 'one that is there can be changed');
});

t.test('only an admin of all units writes them', async (t) => {
  const keyed = await openKeyedGateway(t);
  const operator = await keyed.key({ name: 'operator', role: 'operator' });
  const roof = await keyed.key({ name: 'roof', units: 'roof' });
  t.equal((await keyed.put('/_reports/templates/own', BODY, operator.headers)).status, 403);
  t.equal((await keyed.ask('GET', '/_reports/templates', roof)).status, 200);
});

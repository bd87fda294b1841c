/** Settings and levels of the log that change while the gateway runs. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { startGateway } from '../../lib/app/gateway.ts';
import { listensLine, readableLog, welcomeText } from '../../lib/app/welcome.ts';
import { createLog } from '../../lib/log.ts';
import { type Settings, settingsFrom } from '../../lib/settings/index.ts';
import { slm } from '../cli/setup.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const folder = t.testdir();
const first: Partial<Settings> = {
  port: 0,
  data_dir: join(folder, 'data'),
  key_file: join(folder, 'key'),
  secret_key: 'a text of sixteen letters and more',
};
let next: Partial<Settings> = first;
const lines: string[] = [];
const gateway = await startGateway(first, {
  log: createLog('info', { write: (line: string) => void lines.push(line) }),
  readAgain: () => settingsFrom(next, { env: process.env, home: '/nobody' }),
});
t.teardown(() => gateway.stop());
const run = (...words: string[]) => slm(undefined, words, { env: { SLM_URL: gateway.baseUrl } });
const put = (body: object) =>
  fetch(`${gateway.baseUrl}/_settings/log-levels`, { method: 'PUT', headers: JSON_TYPE, body: JSON.stringify(body) });

t.test('some settings change at once, and the others say that they need a restart', async (t) => {
  const config = { method: 'PUT', headers: JSON_TYPE, body: JSON.stringify({ host: '127.0.0.1', tcp_enabled: false }) };
  const refused = await fetch(`${gateway.baseUrl}/roof/config`, config);
  t.equal(refused.status, 422, 'meters on this machine are refused');
  t.match(await refused.json(), { detail: /^There is no connection to .* would allow it\.$/ }, 'in a sentence');
  next = { ...first, allow_loopback_meters: true, meter_spacing_ms: 2_000, log_level: 'warn', request_rate: 7 };
  t.match((await run('reload')).out, /Changed: .*allow_loopback_meters.* need a restart: meter_spacing_ms\./);
  t.equal((await fetch(`${gateway.baseUrl}/roof/config`, config)).status, 200, 'and now they are allowed');
  const { json } = await run('settings', '--json');
  const of = (name: string) => json.find((setting: { name: string }) => setting.name === name);
  t.match(of('meter_spacing_ms'), { value: 1_000, takes_effect: 'restart', restart_needed: true });
  t.match(of('allow_loopback_meters'), { value: true, takes_effect: 'reload', restart_needed: false });
  t.match(of('request_rate'), { value: 7, restart_needed: false });
  t.equal(of('secret_key').value, '***');
  next = first;
  t.match((await run('reload')).out, /Changed: .*log_level/);
  t.equal((await run('reload')).out, 'No setting has changed.\n');
});

t.test('names and pages that may call are taken up at once, and given up at once', async (t) => {
  const { port } = new URL(gateway.baseUrl);
  const asked = async (headers: Record<string, string>) => {
    const sent = request({ host: '127.0.0.1', port, path: '/api/nl43/_about', headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return [answer.statusCode, answer.headers['access-control-allow-origin']];
  };
  const byName = { Host: 'noise.example.org' };
  const byPage = { Host: `127.0.0.1:${port}`, Origin: 'https://dash.example.org' };
  t.strictSame(
    [await asked(byName), await asked(byPage)],
    [
      [421, undefined],
      [403, undefined],
    ],
  );
  next = { ...first, allowed_hosts: ['noise.example.org'], allowed_origins: ['https://dash.example.org'] };
  t.match((await run('reload')).out, 'Changed: allowed_hosts, allowed_origins.');
  t.strictSame(
    [await asked(byName), await asked(byPage)],
    [
      [200, undefined],
      [200, 'https://dash.example.org'],
    ],
  );
  next = { ...first, plugin_settings: { log: { keep_days: 3 } } };
  t.match((await run('reload')).out, /allowed_hosts, allowed_origins\. These need a restart: plugin_settings\./);
  t.strictSame(
    [await asked(byName), await asked(byPage)],
    [
      [421, undefined],
      [403, undefined],
    ],
  );
  next = first;
  await run('reload');
});

t.test('settings that are wrong change nothing', async (t) => {
  next = { ...first, port: 70_000, allow_loopback_meters: true };
  t.match(await run('reload'), { code: 2, err: /Nothing was changed: port: 70000/ });
  const { json } = await run('settings', '--json');
  t.match(
    json.find((setting: { name: string }) => setting.name === 'allow_loopback_meters'),
    { value: false },
  );
  next = first;
});

t.test('each part of the gateway has a level of the log of its own', async (t) => {
  const heard = async () => {
    lines.length = 0;
    await fetch(`${gateway.baseUrl}/_about`);
    return lines.some((line) => line.includes('"level":"debug"') && line.includes('_about'));
  };
  t.notOk(await heard(), 'a request that went well is a debug line');
  t.match((await run('log-level', 'http', 'debug')).out, /^http +debug$/m);
  t.ok(await heard());
  t.match((await run('log-level', 'all', 'error')).out, /^all others +error$/m);
  t.notOk(await heard());
  t.equal((await put({ levels: { moon: 'debug' } })).status, 422);
  t.equal((await put({ log_level: 'loud' })).status, 422);
  next = { ...first, log_levels: { http: 'debug' } };
  await run('reload');
  t.ok(await heard(), 'the settings keep it');
  t.match((await run('log-level', '--json')).json.parts.join(), /http,.*meters.*mqtt/);
});

t.test('a line for a person has time, severity and what happened, and nothing that moves the cursor', async (t) => {
  let text = '';
  const keep = (line: string) => {
    text += line;
  };
  const log = createLog('info', readableLog({ write: keep }));
  log.warn({ unit_id: 'roof', detail: 'two words\u001b[2J', password: 'hunter2' }, 'it is so');
  t.match(text, /^\d\d:\d\d:\d\d WARN {2}it is so unit_id=roof detail="two words.*" password=\*\*\*\n$/);
  t.notOk(text.includes('\u001b'));
  text = '';
  log.error({ err: new Error('broken') }, 'a fault');
  t.match(text, /ERROR a fault\n {4}Error: broken\n {8}at /);
});

t.test('after a start at a terminal a person reads the address, and whether a key is needed', async (t) => {
  const about = { ...gateway.about(), version: '1.2.3' };
  t.match(listensLine(about), /^slm-gateway 1\.2\.3 listens on http:\/\/127\.0\.0\.1:\d+\/api\/nl43\n$/);
  const text = welcomeText(about);
  for (const line of [
    /dashboard +http:\S+\/\n/,
    /API key +not needed/,
    /data +\/.*data\n/,
    /meters +1, 1 of them switched off/,
  ])
    t.match(text, line);
  t.match(welcomeText({ ...about, addresses: ['http://192.0.2.7:8100/api/nl43'] }), /NOT NEEDED: everybody/);
  const other = welcomeText({
    ...about,
    needsKey: true,
    meters: { known: 0, enabled: 0 },
    troubles: ['The plugin x failed.'],
  });
  for (const line of [
    /API key +needed; make one with/,
    /meters +none yet; add one in the dashboard, or with: slm add/,
    /TROUBLE +The plugin x/,
  ])
    t.match(other, line);
});

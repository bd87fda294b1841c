import { writeFileSync } from 'node:fs';
import t from 'tap';
import { NO_BROWSER, openStage } from '/work/wt/F/test/browser/support/stage.ts';
t.test('x', async (t) => {
  const stage = await openStage(t);
  await stage.addMeter('roof', {ftpEnabled:false});
  const page = await stage.open('m/roof');
  await page.getByText('live, ten times a second').waitFor();
  const b = Date.now();
  let out = '';
  let done = false;
  const watch = (async () => { while (!done) { const a = await fetch(`${stage.gateway.baseUrl}/roof/session`); const j: any = await a.json(); out += `${Date.now()-b} ${JSON.stringify(j).slice(0,900)}\n`; await new Promise((r) => setTimeout(r, 2000)); } })();
  const a = await fetch(`${stage.gateway.baseUrl}/roof/doctor`);
  out += (await a.text()) + (Date.now()-b) + '\n';
  done = true; await watch;
  out += await (await fetch(`${stage.gateway.baseUrl}/roof/log?limit=200`)).text();
  writeFileSync('/tmp/F-doc.out', out);
});

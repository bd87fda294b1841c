/** FTP clients as the field log shows them, over the card of a meter of every profile. */
import t, { type Test } from 'tap';
import type { VirtualClock } from '../../simulator/index.ts';
import { column } from './clients/columns.ts';
import { EpsvFirst } from './clients/epsv-first.ts';
import { askOnce } from './clients/reconnecting.ts';
import { type ForeignMeter, openMeter, PROFILES } from './meters.ts';

/** In the field log the first login came about 3 s after `FTP,On`. ms */
const FIELD_WAIT_MS = 3_000;

/** Small steps, so that times are known to a few ms. */
const soon = <T>(clock: VirtualClock, work: Promise<T>) => clock.until(work, { stepMs: 5 });

async function withFtp(t: Test, name: string): Promise<ForeignMeter & { open(): Promise<EpsvFirst> }> {
  const made = await openMeter(t, name, { sampleStores: true });
  const { clock, meter } = made;
  await soon(clock, askOnce(meter.tcpPort, 'FTP,On'));
  await clock.advance(FIELD_WAIT_MS);
  const open = async () => {
    const client = await soon(clock, EpsvFirst.open(meter.ftpPort));
    t.teardown(() => client.close());
    return client;
  };
  return { ...made, open };
}

for (const name of PROFILES) {
  t.test(`a client that tries EPSV and PASV first lists and reads: ${name}`, async (t) => {
    const { clock, open } = await withFtp(t, name);
    const client = await open();
    t.match(await soon(clock, client.login()), /^230/);
    t.match(await soon(clock, client.fetch('LIST /')), /NL-43/);
    t.same(client.codes.slice(3, 6), ['200', '502', '502'], 'TYPE I, EPSV, PASV');
    const leq = '/NL-43/Auto_0019/Auto_Leq/NL_0001_SLM_Leq_0019_0001.rnd';
    const file = await soon(clock, client.fetch(`RETR ${leq}`));
    t.ok(column(file, 'Leq').length > 0);
    for (const level of column(file, 'Leq')) t.match(level, /^\d+\.\d$/, 'a reader by prefix finds Leq');
  });

  t.test(`an empty password is a wrong one, and a right one may follow: ${name}`, async (t) => {
    const { clock, open } = await withFtp(t, name);
    const client = await open();
    t.equal(await soon(clock, client.login('')), '530 Login Fail');
    t.match(await soon(clock, client.login()), /^230/);
  });

  t.test(`a session that is closed makes room for the next at once: ${name}`, async (t) => {
    const { clock, open } = await withFtp(t, name);
    for (let time = 0; time < 20; time++) {
      const client = await open();
      t.equal(client.codes[0], '220');
      if (time % 2 === 0) await soon(clock, client.ask('QUIT'));
      client.close();
    }
  });
}

t.test('over LTE a login with LIST takes as long as in the field log, 0.7 to 1.1 s', async (t) => {
  const { clock, meter } = await withFtp(t, 'lte');
  for (let time = 0; time < 4; time++) {
    const began = clock.elapsed();
    const client = await soon(clock, EpsvFirst.open(meter.ftpPort));
    await soon(clock, client.login());
    await soon(clock, client.fetch('LIST /NL-43'));
    const ms = clock.elapsed() - began;
    t.ok(ms >= 700 && ms <= 1_100, `${ms} ms`);
    client.close();
  }
});

t.test('a meter that tries an unreachable PORT address says 425 when the fault says so', async (t) => {
  const { clock, meter, open } = await withFtp(t, 'default');
  meter.faults.on('ftp-no-data-connection', { gives_up_ms: 5_000 });
  const client = await open();
  await soon(clock, client.login());
  const began = clock.elapsed();
  await t.rejects(clock.until(client.fetch('LIST /')), /425/);
  t.ok(clock.elapsed() - began >= 5_000);
});

t.test('the Leq file has no LIeq where the display has none', async (t) => {
  const { clock, meter, open } = await withFtp(t, 'default');
  meter.set('Store Mode', 'Auto');
  meter.set('Leq Calculation Interval Preset', '10s');
  meter.set('Measure', 'Start');
  await clock.advance(60_000);
  const [, display = ''] = await soon(clock, askOnce(meter.tcpPort, 'DOD?'));
  t.equal(display.split(',')[11]?.trim(), '-.-', 'LIeq on the display');
  const client = await open();
  await soon(clock, client.login());
  const store = meter.read('Store Name');
  const file = await soon(clock, client.fetch(`RETR /NL-43/Auto_${store}/Auto_Leq/NL_0001_SLM_Leq_${store}_0001.rnd`));
  t.ok(column(file, 'LIeq').length >= 5);
  t.same(new Set(column(file, 'LIeq')), new Set(['-.-']));
});

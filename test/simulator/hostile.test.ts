/** After any input the meter still works, and does nothing that nobody asked for. */
import fc from 'fast-check';
import t from 'tap';
import { readLine } from '../../simulator/grammar.ts';
import { DEFAULT_PROFILE, loadProfile, profileNames } from '../../simulator/profile.ts';
import { RequestReader } from '../../simulator/request-reader.ts';
import { typing } from './rig.ts';

const bytes = fc.uint8Array({ maxLength: 400 });

t.test('any bytes, cut anywhere, are heard as the same lines', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(bytes, fc.nat(), (all, at) => {
        const whole = new RequestReader(DEFAULT_PROFILE).take(all, 0);
        const reader = new RequestReader(DEFAULT_PROFILE);
        const cut = all.length === 0 ? 0 : at % all.length;
        const parts = [...reader.take(all.subarray(0, cut), 0), ...reader.take(all.subarray(cut), 0)];
        return JSON.stringify(parts) === JSON.stringify(whole);
      }),
      { seed: 43 },
    ),
  );
});

t.test('any printable line is a request or a complaint, under every profile', async (t) => {
  const profiles = profileNames().map(loadProfile);
  const text = fc.oneof(
    fc.string(),
    fc.string().map((end) => `Measure,${end}`),
    fc.string().map((end) => `Clock,${end}`),
    fc.string().map((end) => `Ethernet IP,${end}`),
    fc.string().map((end) => `DRD?${end}`),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(text, (line) =>
        profiles.every((profile) => {
          const request = readLine(line, profile);
          return typeof request !== 'string' || /^R\+000[1-4]$/.test(request);
        }),
      ),
      { seed: 43 },
    ),
  );
});

t.test('a meter that was fed noise still answers, and has not begun to measure', async (t) => {
  const { meter, typist } = await typing(t);
  const noise = fc.sample(fc.uint8Array({ maxLength: 2_000 }), { seed: 43, numRuns: 50 });
  for (const one of noise) typist.type(Buffer.from(one).toString('latin1'));
  typist.type('\r\n\x1a\r\nPause?\r\n');
  t.match(await typist.take('Off\r\n$'), /R\+0000\r\nOff\r\n\$$/);
  t.equal(meter.read('Measure'), 'Stop');
});

t.test('of commands without any pause the first is answered and the rest refused', async (t) => {
  const { clock, typist } = await typing(t, { think_query_ms: [5, 5] });
  typist.type('Pause?\r\n'.repeat(100));
  const heard = await clock.until(typist.take(/(R\+0004\r\n\$){99}/), { stepMs: 1 });
  t.equal(heard, `R+0000\r\nOff\r\n$${'R+0004\r\n$'.repeat(99)}`);
});

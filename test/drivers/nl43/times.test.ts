import fc from 'fast-check';
import t from 'tap';
import { isUnsure, parseTime, planText, planTime } from '../../../lib/drivers/nl43/times.ts';
import { isGatewayError } from '../../../lib/errors.ts';

const PRESETS = ['10s', '1m', '5m', '10m', '15m', '30m', '1h', '8h', '24h', 'Manual'];
const WITH_OFF = ['Off', ...PRESETS];
const invalid = (message: RegExp) => ({ name: 'GatewayError', code: 'INVALID', message });

t.test('a time is seconds, minutes or hours, or HH:MM:SS', async (t) => {
  for (const [text, seconds] of [
    ['90s', 90],
    ['5m', 300],
    ['12h', 43_200],
    ['00:05:30', 330],
    ['24:00:00', 86_400],
    ['1000h', 3_600_000],
    ['1000:00:00', 3_600_000],
    ['010s', 10],
  ] as const)
    t.equal(parseTime(text), seconds, text);
});

t.test('the error for a wrong time says why', async (t) => {
  for (const text of ['', 'Off', 'Manual', '5', '5 m', '5M', '-5m', '1.5h', '5m\r\n', '1:00:00', '00:05', '0x5m', '5d'])
    t.throws(() => parseTime(text), invalid(/is no time: use/), JSON.stringify(text));
  for (const text of ['0s', '0m', '000h', '00:00:00']) t.throws(() => parseTime(text), invalid(/at least 1 s/), text);
  for (const text of ['1001h', '1000:00:01', '3600001s', '9999999h'])
    t.throws(() => parseTime(text), invalid(/at most 1000 h/), text);
  for (const text of ['00:60:00', '00:00:60', '12:99:00'])
    t.throws(() => parseTime(text), invalid(/minutes and seconds go up to 59/), text);
});

t.test('a time equal to a preset is the preset, however it is written', async (t) => {
  for (const [text, word] of [
    ['10m', '10m'],
    ['600s', '10m'],
    ['00:10:00', '10m'],
    ['60s', '1m'],
    ['60m', '1h'],
    ['24:00:00', '24h'],
    ['00:00:10', '10s'],
  ] as const)
    t.same(planTime(text, PRESETS), { kind: 'preset', word }, text);
});

t.test('a time that is no preset is sent as a number and a unit', async (t) => {
  for (const [text, number, unit] of [
    ['45s', 45, 's'],
    ['00:00:45', 45, 's'],
    ['59m', 59, 'm'],
    ['120s', 2, 'm'],
    ['90s', 90, 's'],
    ['00:05:30', 330, 's'],
    ['01:30:00', 90, 'm'],
    ['1000s', 1_000, 's'],
    ['12h', 12, 'h'],
    ['720m', 12, 'h'],
    ['1000h', 1_000, 'h'],
  ] as const)
    t.same(planTime(text, PRESETS), { kind: 'manual', number, unit }, text);
});

t.test('a time beyond any number is refused with its neighbours', async (t) => {
  t.throws(() => planTime('00:16:41', PRESETS), invalid(/"00:16:41" cannot be set.*nearest are 16m and 17m$/));
  t.throws(() => planTime('1001m', PRESETS), invalid(/nearest are 16h and 17h$/));
  t.throws(() => planTime('01:01:01', PRESETS), invalid(/nearest are 1h and 2h$/));
  t.throws(() => planTime('00:59:01', PRESETS), invalid(/nearest are 59m and 1h$/));
  t.throws(() => planTime('999:59:59', PRESETS), invalid(/nearest are 999h and 1000h$/));
});

t.test('Off is a preset where the setting has it, and Manual is never a time', async (t) => {
  t.same(planTime('Off', WITH_OFF), { kind: 'preset', word: 'Off' });
  t.throws(() => planTime('Off', PRESETS), invalid(/is no time/));
  t.throws(() => planTime('Manual', PRESETS), invalid(/is no time/));
});

t.test('the answer of GET, sent back by PUT, is the same time', async () => {
  const times = fc.oneof(
    fc.tuple(fc.integer({ min: 0, max: 4_000 }), fc.constantFrom('s', 'm', 'h')).map(([n, unit]) => `${n}${unit}`),
    fc
      .tuple(fc.nat(1_001), fc.nat(60), fc.nat(60))
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':')),
  );
  fc.assert(
    fc.property(times, (text) => {
      try {
        const plan = planTime(text, PRESETS);
        const again = planText(plan);
        return parseTime(again) === parseTime(text) && planText(planTime(again, PRESETS)) === again;
      } catch (error) {
        return isGatewayError(error, 'INVALID');
      }
    }),
    { numRuns: 500 },
  );
});

t.test('the neighbours that a refusal names can be set, and no meter refuses them', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_600_000 }), (seconds) => {
      try {
        planTime(`${seconds}s`, PRESETS);
        return true;
      } catch (error) {
        const [, below, above] = /nearest are (\w+) and (\w+)$/.exec((error as Error).message) ?? [];
        const plans = [below, above].map((word) => planTime(word ?? '', PRESETS));
        const [less, more] = plans.map((plan) => parseTime(planText(plan)));
        const isSure = plans.every((plan) => plan.kind === 'preset' || !isUnsure(plan));
        return isSure && (less ?? 0) < seconds && seconds < (more ?? 0);
      }
    }),
    { numRuns: 300 },
  );
});

/** The doctor at a meter in trouble: its advice, and that it stops when further checks make no sense. */
import t from 'tap';
import { createFamilies } from '../../lib/drivers/index.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Host } from '../../lib/index.ts';
import { examine, type Finding, type Reach } from '../../plugins/doctor/examination.ts';
import { VirtualClock } from '../../simulator/index.ts';
import { configOf } from '../plugin/doubles.ts';
import { performing } from '../support/families/usual.ts';
import { standIn } from '../support/stand-in.ts';

const CALLER = { signal: new AbortController().signal };

interface Trouble {
  /** Of `mayReach`. */
  readonly way?: Error;
  /** By command; text is an answer. */
  readonly answers?: Readonly<Record<string, string | Error>>;
  readonly offsetMs?: number;
  readonly card?: Error;
  readonly sharedWith?: readonly string[];
  readonly open?: boolean;
}

const ANSWERS: Readonly<Record<string, string>> = {
  Type: 'NL-43',
  'Serial Number': '00112233',
  'System Version': '1.0',
  'Sleep Mode': 'Off',
  'Frequency Weighting': 'A',
  'Time Weighting': 'F',
  Clock: '2026/11/21,12:00:00',
  FTP: 'On',
};

function reach(trouble: Trouble): Reach {
  const answer = async (text: string) => {
    const name = text.replace(/\?.*$/s, '').trim();
    const found = trouble.answers?.[name] ?? ANSWERS[name.replace(/ \(.*\)$/, '')];
    if (found instanceof Error) throw found;
    return found;
  };
  const report = {
    connectedSince: trouble.open ? 1 : null,
    sharedWith: trouble.sharedWith ?? [],
    counters: { connects: 0 },
  };
  return standIn<Host>({
    mayReach: async () => {
      if (trouble.way) throw trouble.way;
    },
    families: createFamilies(),
    meter: () => performing({ send: ({ text }) => answer(text) }).meter,
    report: () => report,
    reachability: () => ({ clock: { offsetMs: trouble.offsetMs ?? 0, at: 0 } }),
    card: () => ({
      list: async () => {
        if (trouble.card) throw trouble.card;
        return [];
      },
    }),
    clock: new VirtualClock(),
  });
}

const look = (trouble: Trouble, config = {}): Promise<Finding[]> =>
  examine(reach(trouble), configOf({ unitId: 'roof', tcpEnabled: true, ...config }), CALLER);
const outcomes = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, outcome }) => [check, outcome]));
const error = (code: ConstructorParameters<typeof GatewayError>[0], detail = 'It is so.') =>
  new GatewayError(code, detail);

t.test('a meter that is well passes every check', async (t) => {
  t.strictSame([...new Set((await look({})).map(({ outcome }) => outcome))], ['ok']);
});

t.test('trouble is named at its place with advice, and later checks are left out', async (t) => {
  const cases: readonly [string, Trouble, object][] = [
    ['name', { way: new Error('getaddrinfo ENOTFOUND') }, { address: 'skipped', port: 'skipped' }],
    ['address', { way: error('ADDRESS_REFUSED') }, { name: 'ok', port: 'skipped' }],
    ['port', { answers: { Type: error('DEVICE_UNREACHABLE') } }, { address: 'ok', reply: 'skipped', ftp: 'skipped' }],
    ['port', { answers: { Type: error('DEVICE_WEDGED') }, open: true }, { reply: 'skipped' }],
    ['reply', { answers: { Type: error('DEVICE_TIMEOUT') }, open: true }, { port: 'ok', identity: 'skipped' }],
    ['reply', { answers: { Type: error('DEVICE_GARBLED') } }, { port: 'ok' }],
    ['ftp', { answers: { FTP: 'Off' } }, { clock: 'ok', 'data connection': 'skipped' }],
    ['ftp', { card: error('FTP_LOGIN_FAILED') }, { 'data connection': 'skipped' }],
    ['data connection', { card: error('FTP_DATA_CONNECTION') }, { ftp: 'ok' }],
  ];
  for (const [check, trouble, others] of cases) {
    const findings = await look(trouble);
    t.match(outcomes(findings), { ...others, [check]: 'failed' }, check);
    for (const { outcome, detail, advice } of findings) {
      t.match(detail, /^[\w].*\.$/s);
      t.notMatch(advice, /slm |POST |GET |tcp_|_enabled/, 'the advice is for a person in the page');
      t.equal(advice === null, outcome === 'ok' || outcome === 'skipped');
    }
  }
  const silent = await look({ answers: { Type: error('DEVICE_TIMEOUT') }, open: true });
  t.match(silent.find(({ check }) => check === 'reply')?.advice, /another client has the meter/);
  const ftp = (await look({ card: error('DEVICE_UNREACHABLE') })).find(({ check }) => check === 'ftp');
  t.match(ftp, { outcome: 'failed', advice: /FTP port/ }, 'the same error has another cure on the way to the card');
  const off = await look({}, { tcpEnabled: false });
  t.match(outcomes(off), { config: 'failed', name: 'skipped' });
  t.match(off[0], { advice: /Use this meter/, command: 'slm edit roof tcp_enabled=true' }, 'a command is apart');
  const [ftpOff] = (await look({ answers: { FTP: 'Off' } })).filter(({ check }) => check === 'ftp');
  t.match(ftpOff, { advice: /page Files/, command: 'slm set roof ftp on' });
});

t.test('a setting that works but looks wrong is a warning, and the other checks go on', async (t) => {
  const cases: readonly [string, Trouble, RegExp][] = [
    ['identity', { answers: { Type: 'NL-62' } }, /NL-62/],
    ['sleep', { answers: { 'Sleep Mode': 'On' } }, /asleep/],
    ['weightings', { answers: { 'Frequency Weighting (Main)': 'C', 'Frequency Weighting': 'C' } }, /C and F/],
    ['clock', { offsetMs: -3_600_000 }, /3600 s behind/],
    ['sharing', { sharedWith: ['cellar'] }, /cellar/],
  ];
  for (const [check, trouble, words] of cases) {
    const findings = await look(trouble);
    t.match(
      findings.find((finding) => finding.check === check),
      { outcome: 'warning', detail: words },
      check,
    );
    t.notMatch(outcomes(findings), { 'data connection': 'skipped' });
  }
});

t.test('a key that does not reach the other unit is not told its name', async (t) => {
  const config = configOf({ unitId: 'roof', tcpEnabled: true });
  const findings = await examine(reach({ sharedWith: ['cellar'] }), config, CALLER, (unitId) => unitId === 'roof');
  const found = findings.find(({ check }) => check === 'sharing');
  t.match(found, { outcome: 'warning', detail: 'This meter is another unit, too.' });
});

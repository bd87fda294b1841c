/** Checks everything between the gateway and one meter, step by step. It only reads. */
import { countOf } from '../../lib/built-in.ts';
import {
  type Caller,
  type DeviceConfig,
  type ErrorCode,
  GatewayError,
  type Host,
  type Meter,
  messageOf,
} from '../../lib/index.ts';

/** In the order of the checks. */
export const CHECKS = [
  'config',
  'name',
  'address',
  'port',
  'reply',
  'identity',
  'sleep',
  'weightings',
  'clock',
  'ftp',
  'data connection',
  'sharing',
] as const;

type CheckName = (typeof CHECKS)[number];
/** `skipped`: an earlier check did not succeed. */
type CheckOutcome = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  readonly detail: string;
  /** A step for a person; null if the check is ok or was skipped. */
  readonly advice: string | null;
  /** A command of `slm` that does it; null: none. */
  readonly command: string | null;
}

/** An advice, and a command of `slm`. `UNIT` in it is the id of the unit. */
type Cure = readonly [advice: string, command?: string];

const finding =
  (outcome: CheckOutcome) =>
  (check: CheckName, detail: string, advice: string | null = null, command: string | null = null): Finding => ({
    check,
    outcome,
    detail,
    advice,
    command,
  });
const ok = finding('ok');
const warning = finding('warning');
const failedCheck = finding('failed');
const skipped = finding('skipped');

const CURES: Partial<Record<ErrorCode, Cure>> = {
  DEVICE_UNREACHABLE: [
    'Check that the meter is on, that TCP is on in its menu, and that the port in its config is the port shown there. Then check the cable, the modem and its port forwarding.',
  ],
  DEVICE_WEDGED: [
    'Check that TCP is on in the menu of the meter. If it is, switch the meter off and on: nothing else helps.',
  ],
  DEVICE_TIMEOUT: [
    'Check that no other program is connected to the meter, because it serves only one. Then check that the meter is on and not asleep, and how good the link is.',
  ],
  DEVICE_GARBLED: [
    'Check that the port in its config is the control port of the meter, not that of its FTP or web server. Then check the converter or modem on the way.',
  ],
  DEVICE_BUSY: ['Many commands wait for this meter. Try again in a minute.'],
  QUEUE_TIMEOUT: ['The meter was in use for too long. Its connection, on the page of the meter, shows what uses it.'],
  FTP_LOGIN_FAILED: [
    'Set FTP user and FTP password in its config as they are in the menu of the meter.',
    'slm edit UNIT ftp_username=USER --ftp-password-file FILE',
  ],
  FTP_DATA_CONNECTION: [
    'The meter connects back to the gateway. Open the firewall of this computer for the ports of the settings ftp_port_first to ftp_port_last. Behind NAT or in a container, set ftp_announced_address.',
  ],
  FTP_FAILED: ['Check the card: take it out, put it in again, or format it after you have saved its files.'],
  FTP_DISABLED: ['Switch on "Fetch files" in the config of this meter.', 'slm edit UNIT ftp_enabled=true'],
};

/** On the way to the card the same errors have other causes. */
const FTP_UNREACHABLE: Cure = [
  'If FTP was switched on just now, try again in some seconds. If not, check that the FTP port in its config is that of the meter, and check the port forwarding for FTP.',
];
const FTP_CURES: typeof CURES = { DEVICE_UNREACHABLE: FTP_UNREACHABLE, DEVICE_TIMEOUT: FTP_UNREACHABLE };

/** For a meter that accepts the connection and sends nothing. */
const REPLY_CURES: typeof CURES = {
  DEVICE_TIMEOUT: [
    'Probably another client has the meter, because it serves only one: end the other program. If no other program is connected, the meter may still have the connection of a computer that lost its power: switch the meter off and on. Check also that it is not asleep, and how good the link is.',
  ],
};

function failureOf(check: CheckName, error: unknown): Finding {
  const isFtp = check === 'ftp' || check === 'data connection';
  const cures = { ...CURES, ...(isFtp && FTP_CURES), ...(check === 'reply' && REPLY_CURES) };
  const cure = error instanceof GatewayError ? cures[error.code] : undefined;
  return failedCheck(check, sentence(messageOf(error)), ...(cure ?? ['See the log of the gateway.']));
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

export type Reach = Pick<Host, 'families' | 'mayReach' | 'meter' | 'report' | 'reachability' | 'card' | 'clock'>;

/** With a larger difference the times of levels and files are wrong, seconds. */
const CLOCK_OFF_S = 5;
/** For the questions beside a stream, if the caller gives no other limit. */
const PATIENCE_MS = 30_000;

/** Findings in the order of `CHECKS`; a check that could not run is `skipped`. `sees`: whether the caller may see a unit. */
export async function examine(
  host: Reach,
  config: DeviceConfig,
  caller: Caller,
  sees: (unitId: string) => boolean = () => true,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const step of [wayThere, askedMeter, overFtp]) {
    const found = await step(host, config, caller, sees);
    findings.push(...found);
    if (step !== overFtp && found.some(({ outcome }) => outcome === 'failed')) break;
  }
  return CHECKS.map((name) => {
    const found =
      findings.find(({ check }) => check === name) ?? skipped(name, 'Not checked: repair the step before it first.');
    return { ...found, command: found.command?.replace('UNIT', config.unitId) ?? null };
  });
}

/** The checks that the gateway can make without the meter: no byte is sent. */
async function wayThere(host: Reach, { host: name, tcpPort, tcpEnabled }: DeviceConfig): Promise<Finding[]> {
  if (!tcpEnabled) {
    return [
      failedCheck(
        'config',
        'This meter is switched off in its config.',
        'Switch on "Use this meter" in the config of this meter.',
        'slm edit UNIT tcp_enabled=true',
      ),
    ];
  }
  const known = ok('config', `The meter is expected at ${name}, port ${tcpPort}.`);
  try {
    await host.mayReach(name, tcpPort);
    return [known, ok('name', `${name} is an address or leads to one.`), ok('address', 'The settings allow it.')];
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'ADDRESS_REFUSED') {
      const advice = 'Change the host of the unit, or ask the person who runs the gateway to change the named setting.';
      return [
        known,
        ok('name', `${name} is an address or leads to one.`),
        failedCheck('address', messageOf(error), advice),
      ];
    }
    const advice =
      'Check the spelling of the name, and whether the name server of this computer knows it. An IP address needs no name server.';
    return [known, failedCheck('name', `The name ${name} leads to no address (${messageOf(error)}).`, advice)];
  }
}

/** The answers of the meter over its control port. */
async function askedMeter(
  host: Reach,
  config: DeviceConfig,
  caller: Caller,
  sees: (unitId: string) => boolean,
): Promise<Finding[]> {
  const { unitId } = config;
  const meter = host.meter(unitId);
  if (isStreaming(host, meter)) return besideStream(host, config, meter, caller, sees);
  const connects = () => host.report(unitId)?.counters.connects ?? 0;
  const wasOpen = typeof host.report(unitId)?.connectedSince === 'number';
  const before = connects();
  const began = host.clock.elapsed();
  const type = await firstAnswer(meter, caller).catch((error: unknown) => ({ error }));
  const opened = ok('port', `The control port ${config.tcpPort} takes connections.`);
  if (typeof type === 'object') {
    const answers = wasOpen || connects() > before || isRefusal(type.error);
    return answers && !isWedged(type.error)
      ? [opened, failureOf('reply', type.error)]
      : [failureOf('port', type.error)];
  }
  const took = ((host.clock.elapsed() - began) / 1_000).toFixed(1);
  const findings = [opened, reply(host, config, `The meter answers in a form that is understood, after ${took} s.`)];
  findings.push(await looked('identity', () => identity(type, meter, caller)));
  findings.push(await looked('sleep', () => sleep(meter, caller)));
  findings.push(await looked('weightings', () => weightings(meter, caller)));
  findings.push(await looked('clock', () => clock(host, config, meter, caller)));
  findings.push(sharing(host.report(unitId)?.sharedWith ?? [], sees));
  return findings;
}

/** A recorded meter that refuses its stream may still answer. */
function reply(host: Reach, { unitId, history }: DeviceConfig, words: string): Finding {
  const refusal = host.reachability(unitId)?.streamRefusal ?? null;
  if (refusal === null || history !== 'stream') return ok('reply', words);
  return warning(
    'reply',
    `${words} It gives no stream, so only its readings are recorded: ${refusal}`,
    'Stop the measurement, then set its Lp store interval to 100ms or its store mode to Manual. Or record only its readings.',
    'slm edit UNIT history=poll',
  );
}

/** Its levels come ten times a second, which proves more than an answer. A stream that a command has interrupted goes on over the same connection. */
function isStreaming(host: Reach, { unitId, feed, deviceState }: Meter): boolean {
  const { watchers = 0, connectedSince = null } = host.report(unitId) ?? {};
  if (watchers === 0 || deviceState.measuring === null) return false;
  return feed.state === 'ok' || (feed.state === 'interrupted' && connectedSince !== null);
}

/** A question beside a watched stream costs frames, and may wait for its turn: known values are not asked. */
async function besideStream(
  host: Reach,
  config: DeviceConfig,
  meter: Meter,
  caller: Caller,
  sees: (unitId: string) => boolean,
): Promise<Finding[]> {
  const { unitId, tcpPort } = config;
  const { model, serialNumber } = meter.identity;
  // All questions share one wait: if other clients leave no turn, the next question gets none either.
  const ends = host.clock.elapsed() + (caller.deadlineMs ?? PATIENCE_MS);
  const looked = (check: CheckName, look: (hurried: Caller) => Promise<Finding>) =>
    lookedInTurn(check, () => look({ ...caller, deadlineMs: Math.max(1, ends - host.clock.elapsed()) }));
  const { frequencyWeighting: frequency, timeWeighting: time } = meter.deviceState;
  const serial = serialNumber !== null && `serial number ${serialNumber}`;
  return [
    ok('port', `The control port ${tcpPort} takes connections.`),
    ok('reply', 'The meter sends its levels as a stream.'),
    await looked('identity', async (hurried) => {
      if (model !== null) return identityFinding(meter, model, [serial]);
      if (!meter.can('model')) return lacking('identity', meter, 'command for the type');
      return identityFinding(meter, await meter.perform('model', hurried), []);
    }),
    meter.can('sleepMode')
      ? skipped('sleep', 'Not checked: the meter is awake, because it streams.')
      : lacking('sleep', meter, 'sleep mode'),
    frequency !== null && time !== null
      ? weightingsFinding(frequency, time)
      : await looked('weightings', (hurried) => weightings(meter, hurried)),
    await looked('clock', (hurried) => clock(host, config, meter, hurried)),
    sharing(host.report(unitId)?.sharedWith ?? [], sees),
  ];
}

/** The type of the meter; empty if its family has no such command, and its values are asked for instead. */
async function firstAnswer(meter: Meter, caller: Caller): Promise<string> {
  if (meter.can('model')) return meter.perform('model', caller);
  await meter.perform('live', caller);
  return '';
}

const lacking = (check: CheckName, { family }: Meter, what: string): Finding =>
  skipped(check, `Not checked: this family of meters (${family.name}) has no ${what}.`);

/** A failed check is a finding, and the other checks go on. */
const looked = (check: CheckName, look: () => Promise<Finding>): Promise<Finding> =>
  look().catch((error: unknown) => failureOf(check, error));

/** Beside a stream other clients may leave no turn, although the meter works. */
const lookedInTurn = (check: CheckName, look: () => Promise<Finding>): Promise<Finding> =>
  look().catch((error: unknown) => (isBusy(error) ? noTurn(check, error) : failureOf(check, error)));

const isBusy = (error: unknown): boolean => ['QUEUE_TIMEOUT', 'DEVICE_BUSY'].includes(codeOf(error));
const noTurn = (check: CheckName, error: unknown): Finding => skipped(check, `Not checked: ${messageOf(error)}`);

const codeOf = (error: unknown): string => (error instanceof GatewayError ? error.code : '');
const isRefusal = (error: unknown): boolean => /^DEVICE_(REFUSED|WRONG|GARBLED)/.test(codeOf(error));
const isWedged = (error: unknown): boolean => codeOf(error) === 'DEVICE_WEDGED';

async function identity(type: string, meter: Meter, caller: Caller): Promise<Finding> {
  if (type === '') return lacking('identity', meter, 'command for the type');
  const serial = meter.can('serialNumber') && `serial number ${await meter.perform('serialNumber', caller)}`;
  const version = meter.can('firmware') && `firmware ${await meter.perform('firmware', caller)}`;
  return identityFinding(meter, type, [serial, version]);
}

/** `more`: further facts about it, in words. */
function identityFinding({ family }: Meter, type: string, more: readonly (string | false)[]): Finding {
  const { isModel, title } = family;
  const words = `The meter is of the ${[`type ${type}`, ...more].filter(Boolean).join(', ')}.`;
  if (isModel?.(type) ?? true) return ok('identity', words);
  return warning(
    'identity',
    words,
    `The family ${family.name} is made for ${title}. Check that the gateway shows the same values as the display.`,
  );
}

async function sleep(meter: Meter, caller: Caller): Promise<Finding> {
  if (!meter.can('sleepMode')) return lacking('sleep', meter, 'sleep mode');
  if (!(await meter.perform('sleepMode', caller))) return ok('sleep', 'The sleep mode is off.');
  return warning(
    'sleep',
    'The sleep mode is on: between measurements the meter may fall asleep, and then only a person at the meter can wake it.',
    'Switch its sleep mode off.',
    'slm set UNIT sleep off',
  );
}

async function weightings(meter: Meter, caller: Caller): Promise<Finding> {
  if (!meter.can('weightings')) return lacking('weightings', meter, 'command for the weightings');
  const { frequency, time } = await meter.perform('weightings', caller);
  return weightingsFinding(frequency, time);
}

function weightingsFinding(frequency: string, time: string): Finding {
  const words = `The main channel measures with the weightings ${frequency} and ${time}.`;
  if (frequency === 'A' && time !== 'I') return ok('weightings', words);
  return warning(
    'weightings',
    words,
    'Most limits are written for A and F or S. Change the weightings, unless you want them like this.',
  );
}

async function clock(host: Reach, { unitId, timezone }: DeviceConfig, meter: Meter, caller: Caller): Promise<Finding> {
  if (!meter.can('clock')) return lacking('clock', meter, 'clock');
  // Frames of a stream contain the time.
  const shown = isStreaming(host, meter) ? '' : await meter.perform('clock', caller);
  const offset = host.reachability(unitId)?.clock;
  if (!offset && isStreaming(host, meter)) return skipped('clock', 'Not checked: its stream does not say the time.');
  if (!offset)
    return failedCheck(
      'clock',
      `The clock of the meter shows ${shown}, which is not a valid time.`,
      'Set the clock of the meter.',
      'slm set UNIT clock now',
    );
  const seconds = Math.round(offset.offsetMs / 1_000);
  if (Math.abs(seconds) <= CLOCK_OFF_S) return ok('clock', `The clock of the meter is right for ${timezone}.`);
  return warning(
    'clock',
    `The clock of the meter ${shown === '' ? 'is' : `shows ${shown}:`} ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the time in ${timezone}.`,
    'Set the clock of the meter. If it is wrong by full hours, check the time zone in its config.',
    'slm set UNIT clock now',
  );
}

const sharing = (others: readonly string[], sees: (unitId: string) => boolean): Finding =>
  others.length === 0
    ? ok('sharing', 'No other unit is this meter.')
    : warning(
        'sharing',
        `This meter is ${others.filter(sees).join(', ') || 'another unit'}, too.`,
        'Remove all units but one: they take turns, and each waits for the others.',
      );

/** The card: FTP switched on, login, and the data connection that the meter opens to the gateway. */
async function overFtp(
  host: Reach,
  { unitId, family, ftpEnabled, ftpPort }: DeviceConfig,
  caller: Caller,
): Promise<Finding[]> {
  const both = (why: string) =>
    (['ftp', 'data connection'] as const).map((check) => skipped(check, `Not checked: ${why}.`));
  if (!host.families.get(family).card) return both(`this family of meters (${family}) has no files`);
  if (!ftpEnabled) return both('the config of this meter says that its files are not fetched');
  const meter = host.meter(unitId);
  if (meter.can('fileServer')) {
    const isOn = await meter.perform('fileServer', caller).catch((error: unknown) => ({ error }));
    if (typeof isOn === 'object') {
      if (isStreaming(host, meter) && isBusy(isOn.error)) return [noTurn('ftp', isOn.error)];
      return [failureOf('ftp', isOn.error)];
    }
    if (!isOn)
      return [
        failedCheck(
          'ftp',
          'FTP is switched off in the meter.',
          'Switch it on: the page Files of this meter has the button.',
          'slm set UNIT ftp on',
        ),
      ];
  }
  try {
    const entries = await host.card(unitId).list('/', { signal: caller.signal, who: caller.who });
    return [
      ok('ftp', `FTP is on and takes the login on port ${ftpPort}.`),
      ok('data connection', `The card was listed: ${countOf(entries.length, 'entry', 'entries')}.`),
    ];
  } catch (error) {
    const isData = codeOf(error) === 'FTP_DATA_CONNECTION';
    if (!isData) return [failureOf('ftp', error)];
    return [ok('ftp', `FTP is on and takes the login on port ${ftpPort}.`), failureOf('data connection', error)];
  }
}

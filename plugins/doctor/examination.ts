/**
 * Checks everything between the gateway and one meter, step by step; a step runs only if the ones before it succeeded. Reads
 * only; nothing at the meter is changed.
 */
import { type Caller, type DeviceConfig, GatewayError, type Host, type Meter, messageOf } from '../../lib/index.ts';
import { CHECKS, type CheckName, type Finding, failedCheck, failureOf, ok, skipped, warning } from './finding.ts';

/** What the checks use of the gateway. */
export type Reach = Pick<Host, 'families' | 'mayReach' | 'meter' | 'report' | 'reachability' | 'card' | 'clock'>;

/** Beyond this difference the times of levels and files are wrong, seconds. */
const CLOCK_OFF_S = 5;

/** Findings in the order of `CHECKS`; what could not be checked is `skipped`. */
/** `sees`: whether the caller may see a unit. */
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
  return CHECKS.map(
    (check) =>
      findings.find((finding) => finding.check === check) ??
      skipped(check, 'Not checked: repair the step before it first.'),
  );
}

/** What the gateway can check without the meter: no byte is sent. */
async function wayThere(host: Reach, { host: name, tcpPort, tcpEnabled }: DeviceConfig): Promise<Finding[]> {
  if (!tcpEnabled) {
    return [
      failedCheck(
        'config',
        'TCP is switched off for this unit.',
        'Set tcp_enabled in the config of the unit (slm edit UNIT tcp_enabled=true).',
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

/** What the meter says about itself, over its control port. */
async function askedMeter(
  host: Reach,
  config: DeviceConfig,
  caller: Caller,
  sees: (unitId: string) => boolean,
): Promise<Finding[]> {
  const { unitId } = config;
  const meter = host.meter(unitId);
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
  const findings = [opened, ok('reply', `The meter answers in a form that is understood, after ${took} s.`)];
  findings.push(await looked('identity', () => identity(type, meter, caller)));
  findings.push(await looked('sleep', () => sleep(meter, caller)));
  findings.push(await looked('weightings', () => weightings(meter, caller)));
  findings.push(await looked('clock', () => clock(host, config, meter, caller)));
  findings.push(sharing(host.report(unitId)?.sharedWith ?? [], sees));
  return findings;
}

/** The type of the meter; empty where its family has no question for that, and its values are asked for instead. */
async function firstAnswer(meter: Meter, caller: Caller): Promise<string> {
  if (meter.can('model')) return meter.perform('model', caller);
  await meter.perform('live', caller);
  return '';
}

const lacking = (check: CheckName, { family }: Meter, what: string): Finding =>
  skipped(check, `Not checked: this family of meters (${family.name}) has no ${what}.`);

/** A check that fails is a finding, and the others go on. */
async function looked(check: CheckName, look: () => Promise<Finding>): Promise<Finding> {
  return look().catch((error: unknown) => failureOf(check, error));
}

const codeOf = (error: unknown): string => (error instanceof GatewayError ? error.code : '');
const isRefusal = (error: unknown): boolean => /^DEVICE_(REFUSED|WRONG|GARBLED)/.test(codeOf(error));
const isWedged = (error: unknown): boolean => codeOf(error) === 'DEVICE_WEDGED';

async function identity(type: string, meter: Meter, caller: Caller): Promise<Finding> {
  const { isModel, title } = meter.family;
  if (type === '') return lacking('identity', meter, 'type that one can ask for');
  const serial = meter.can('serialNumber') && `serial number ${await meter.perform('serialNumber', caller)}`;
  const version = meter.can('firmware') && `firmware ${await meter.perform('firmware', caller)}`;
  const words = `The meter is of the ${[`type ${type}`, serial, version].filter(Boolean).join(', ')}.`;
  if (isModel?.(type) ?? true) return ok('identity', words);
  return warning(
    'identity',
    words,
    `The family ${meter.family.name} is made for ${title}. Check that the gateway shows the same values as the display.`,
  );
}

async function sleep(meter: Meter, caller: Caller): Promise<Finding> {
  if (!meter.can('sleepMode')) return lacking('sleep', meter, 'sleep mode');
  if (!(await meter.perform('sleepMode', caller))) return ok('sleep', 'The sleep mode is off.');
  return warning(
    'sleep',
    'The sleep mode is on: between measurements the meter may fall asleep, and then only a person at the meter can wake it.',
    'Switch it off: slm set UNIT sleep off, or POST wake.',
  );
}

async function weightings(meter: Meter, caller: Caller): Promise<Finding> {
  if (!meter.can('weightings')) return lacking('weightings', meter, 'weightings that one can ask for');
  const { frequency, time } = await meter.perform('weightings', caller);
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
  const shown = await meter.perform('clock', caller);
  const offset = host.reachability(unitId)?.clock;
  if (!offset)
    return failedCheck(
      'clock',
      `The clock of the meter shows ${shown}, which is not a valid time.`,
      'Set the clock of the meter.',
    );
  const seconds = Math.round(offset.offsetMs / 1_000);
  if (Math.abs(seconds) <= CLOCK_OFF_S) return ok('clock', `The clock of the meter is right for ${timezone}.`);
  return warning(
    'clock',
    `The clock of the meter shows ${shown}: ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the time in ${timezone}.`,
    'Set it: slm set UNIT clock now, or POST clock/sync. If it is wrong by full hours, check the timezone of the unit.',
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

/** The card: switched on, logged in, and the data connection that the meter opens to the gateway. */
async function overFtp(
  host: Reach,
  { unitId, family, ftpEnabled, ftpPort }: DeviceConfig,
  caller: Caller,
): Promise<Finding[]> {
  const both = (why: string) =>
    (['ftp', 'data connection'] as const).map((check) => skipped(check, `Not checked: ${why}.`));
  if (!host.families.get(family).card) return both(`this family of meters (${family}) has no files`);
  if (!ftpEnabled) return both('ftp_enabled is off for this unit');
  const meter = host.meter(unitId);
  if (meter.can('fileServer')) {
    const isOn = await meter.perform('fileServer', caller).catch((error: unknown) => ({ error }));
    if (typeof isOn === 'object') return [failureOf('ftp', isOn.error)];
    if (!isOn)
      return [
        failedCheck(
          'ftp',
          'FTP is switched off in the meter.',
          `Switch it on: slm set ${unitId} ftp on, or POST ftp/enable.`,
        ),
      ];
  }
  try {
    const entries = await host.card(unitId).list('/', caller.signal);
    return [
      ok('ftp', `FTP is on and takes the login on port ${ftpPort}.`),
      ok('data connection', `The card was listed: ${entries.length} entries.`),
    ];
  } catch (error) {
    const isData = codeOf(error) === 'FTP_DATA_CONNECTION';
    if (!isData) return [failureOf('ftp', error)];
    return [ok('ftp', `FTP is on and takes the login on port ${ftpPort}.`), failureOf('data connection', error)];
  }
}

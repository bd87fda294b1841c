/** What is wrong with a meter, and what to do, as in docs/operating.md. The worst comes first. */
import type { LastError, Unit } from '../../client/index.ts';
import { clockTime, decibels, span } from './numbers.ts';

/** What is wrong, in words, and what to do. */
export interface Trouble {
  /** `act`: a person has to do something. `wait`: the gateway solves it by itself, or it is only information. */
  readonly kind: 'act' | 'wait';
  readonly what: string;
  readonly todo: string;
  /** Of a rule, as a person wrote it. */
  readonly name?: string;
  /** The page on which something can be done about it. */
  readonly at?: string;
}

const LOW_BATTERY = 30;
const LOW_CARD = 10;

const act = (what: string, todo: string): Trouble => ({ kind: 'act', what, todo });
const wait = (what: string, todo = ''): Trouble => ({ kind: 'wait', what, todo });

/** The fast stream keeps Lp fresh; the other levels are read rarely while it runs. */
export function newestLp({ lp_at, measured_at }: Unit): string | null {
  return lp_at !== null && (measured_at === null || lp_at > measured_at) ? lp_at : measured_at;
}
/** Whether Lp is old; from which age on, the gateway says. `now` in ms UTC. */
export const isLpOld = (unit: Unit, now: number): boolean => isOlder(newestLp(unit), unit.stale_after_s, now);
/** The same of the other levels. They may grow older while a stream brings Lp, and not once Lp is old, too. */
export const areLevelsOld = (unit: Unit, now: number): boolean =>
  isLpOld(unit, now) || isOlder(unit.measured_at, unit.levels_stale_after_s, now);

const isOlder = (at: string | null, seconds: number, now: number): boolean =>
  at === null || now - Date.parse(at) > seconds * 1_000;

/** All that is wrong with a meter. `now` in ms UTC. `said`: what stands above it; a reason that is in it is not said again. */
export function troublesOf(unit: Unit, now: number, said = ''): readonly Trouble[] {
  return [...reach(unit, said), ...levels(unit), ...supplies(unit), ...age(unit, now)].sort((one, other) =>
    one.kind === other.kind ? 0 : one.kind === 'act' ? -1 : 1,
  );
}

function reach({ tcp_enabled, state, last_error }: Unit, said: string): readonly Trouble[] {
  if (!tcp_enabled)
    return [
      wait(
        'Switched off here: the gateway sends nothing to this meter.',
        'To use it, switch on "Use this meter" in its config.',
      ),
    ];
  if (state === 'wedged') {
    return [
      act(
        'The meter takes no more connections: its control port refuses while FTP answers.',
        'Check that TCP is on in its menu, then switch its power off and on. Nothing else helps. You can fetch its files before.',
      ),
    ];
  }
  if (state === 'asleep?')
    return [act('The meter seems to be asleep.', 'Wake it at its keys, then switch its sleep mode off here.')];
  if (state === 'offline') return [away(last_error, said)];
  if (state === 'degraded')
    return [
      wait(
        `The last command failed. ${last_error?.detail ?? ''}`,
        'Nothing to do. Check the link if it happens often.',
      ),
    ];
  return [];
}

const TODO: Readonly<Record<string, string>> = {
  DEVICE_TIMEOUT:
    'Check its power and its link. If both are well, another client has the meter, which serves only one: close that program. If there is none, switch the meter off and on.',
  DEVICE_UNREACHABLE: 'Check its power, its link, and that TCP is on in its menu.',
  DEVICE_REFUSED_COMMAND: 'Check that it is a meter of this family, and its firmware.',
  ADDRESS_REFUSED: 'The settings of the gateway do not allow this address.',
  DEVICE_GARBLED: 'Check cable, converter and modem, and whether another program talks to the meter.',
};

function away(error: LastError | null, said: string): Trouble {
  const detail = error && error.resolved_at === null && !said.includes(error.detail) ? `${error.detail} ` : '';
  return act('The meter cannot be reached.', `${detail}${TODO[error?.code ?? ''] ?? 'Check its power and its link.'}`);
}

function levels({ frozen, implausible, over_range, warning }: Unit): readonly Trouble[] {
  return [
    ...(frozen
      ? [
          act(
            'The levels do not change although the meter says that it measures.',
            'Stop and start the measurement. If it stays so, switch the power of the meter off and on.',
          ),
        ]
      : []),
    ...(implausible ? [act('The meter showed an impossible level.', 'Check the microphone and its cable.')] : []),
    ...(over_range
      ? [
          act(
            'Over range: it was louder than the range of the meter.',
            'The levels of this measurement are too low. Choose a higher range.',
          ),
        ]
      : []),
    ...(warning ? [wait(warning)] : []),
  ];
}

function supplies({ battery_level, power_source, sd_free_ratio }: Unit): readonly Trouble[] {
  const onBattery = power_source === 'Battery' || power_source === null;
  return [
    ...(battery_level !== null && battery_level <= LOW_BATTERY && onBattery
      ? [act(`The battery is at ${battery_level} %.`, 'Change the batteries or connect a supply.')]
      : []),
    ...(sd_free_ratio !== null && sd_free_ratio < LOW_CARD
      ? [act(`Only ${decibels(sd_free_ratio)} % of the card is free.`, 'Fetch the files and change the card.')]
      : []),
  ];
}

function age(unit: Unit, now: number): readonly Trouble[] {
  // With the fast stream Lp is fresh; it is no problem that the other levels are not read meanwhile.
  if (!isLpOld(unit, now) || !unit.tcp_enabled) return [];
  if (unit.measured_at === null) return unit.state === 'online' ? [] : [wait('No levels were read yet.')];
  const old = span((now - Date.parse(unit.measured_at)) / 1_000);
  const why = unit.poll_enabled ? '' : ' Background readings are switched off.';
  return [wait(`The levels are from ${clockTime(unit.measured_at, unit.timezone)}, ${old} ago.${why}`)];
}

/** What the meter does, in one or two words. */
export function stateWord(unit: Unit): { readonly word: string; readonly look: string } {
  if (!unit.tcp_enabled) return { word: 'Off', look: '' };
  if (unit.state === 'offline') return { word: 'Unreachable', look: 'away' };
  if (unit.state === 'wedged') return { word: 'Needs a power cycle', look: 'away wedged' };
  if (unit.state === 'asleep?') return { word: 'Asleep?', look: 'away asleep' };
  if (unit.frozen) return { word: 'Stands still', look: 'away frozen' };
  if (unit.measurement_state === 'Measure') return { word: 'Measuring', look: 'measuring' };
  if (unit.measurement_state === 'Stop') return { word: 'Stopped', look: '' };
  return { word: unit.state === 'unknown' ? 'Not tried yet' : 'Not known', look: '' };
}

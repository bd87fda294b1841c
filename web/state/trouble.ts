/** Troubles of a meter, and what to do, as in docs/operating.md. The worst comes first. */
import type { LastError, Unit } from '../../client/index.ts';
import { say } from '../words/say.ts';
import { clockTime, dayAndTime, decibels, span } from './numbers.ts';

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

/** Per cent: at or below it the battery needs a person. */
export const LOW_BATTERY = 30;
/** Per cent of the card that is free: below it the card needs a person. */
export const LOW_CARD = 10;
const DATED_MS = 43_200_000;

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

/** All troubles of a meter. `now` in ms UTC. `said`: the text above the list; a reason that is in it is not repeated. */
export function troublesOf(unit: Unit, now: number, said = ''): readonly Trouble[] {
  return [...reach(unit, said), ...levels(unit), ...supplies(unit), ...age(unit, now)].sort((one, other) =>
    one.kind === other.kind ? 0 : one.kind === 'act' ? -1 : 1,
  );
}

function reach({ tcp_enabled, state, last_error }: Unit, said: string): readonly Trouble[] {
  if (!tcp_enabled)
    return [
      wait(
        say('Switched off here: the gateway sends nothing to this meter.'),
        say('To use it, switch on "Use this meter" in its config.'),
      ),
    ];
  if (state === 'wedged') {
    return [
      act(
        say('The meter takes no more connections: its control port refuses while FTP answers.'),
        say(
          'Check that TCP is on in its menu, then switch its power off and on. Nothing else helps. You can fetch its files before.',
        ),
      ),
    ];
  }
  if (state === 'asleep?')
    return [
      act(say('The meter seems to be asleep.'), say('Wake it at its keys, then switch its sleep mode off here.')),
    ];
  if (state === 'offline') return [away(last_error, said)];
  if (state === 'degraded')
    return [
      wait(
        `${say('The last command failed.')} ${last_error?.detail ?? ''}`,
        say('Nothing to do. Check the link if it happens often.'),
      ),
    ];
  return [];
}

/** By the code of the error. */
function todoOf(code: string | undefined): string {
  if (code === 'DEVICE_TIMEOUT')
    return say(
      'Check its power and its link. If both are well, another client has the meter, which serves only one: close that program. Without such a program, switch the meter off and on.',
    );
  if (code === 'DEVICE_UNREACHABLE') return say('Check its power, its link, and that TCP is on in its menu.');
  if (code === 'DEVICE_REFUSED_COMMAND') return say('Check that it is a meter of this family, and its firmware.');
  if (code === 'ADDRESS_REFUSED') return say('The settings of the gateway do not allow this address.');
  if (code === 'DEVICE_GARBLED')
    return say('Check cable, converter and modem, and whether another program talks to the meter.');
  return say('Check its power and its link.');
}

function away(error: LastError | null, said: string): Trouble {
  const detail = error && error.resolved_at === null && !said.includes(error.detail) ? `${error.detail} ` : '';
  return act(say('The meter cannot be reached.'), `${detail}${todoOf(error?.code)}`);
}

function levels({ frozen, implausible, over_range, warning }: Unit): readonly Trouble[] {
  const found: Trouble[] = [];
  const add = (what: string, todo: string) => found.push(act(what, todo));
  if (frozen)
    add(
      say('The levels do not change although the meter says that it measures.'),
      say('Stop and start the measurement. If it stays so, switch the power of the meter off and on.'),
    );
  if (implausible) add(say('The meter showed an impossible level.'), say('Check the microphone and its cable.'));
  if (over_range)
    add(
      say('Over range: it was louder than the range of the meter.'),
      say('The levels of this measurement are too low. Choose a higher range.'),
    );
  if (warning) found.push(wait(warning));
  return found;
}

function supplies({ battery_level: level, power_source, sd_free_ratio: free }: Unit): readonly Trouble[] {
  const found: Trouble[] = [];
  const onBattery = power_source === 'Battery' || power_source === null;
  if (level !== null && level <= LOW_BATTERY && onBattery)
    found.push(act(say('The battery is at {level} %.', { level }), say('Change the batteries or connect a supply.')));
  if (free !== null && free < LOW_CARD) {
    const share = decibels(free);
    found.push(act(say('Only {share} % of the card is free.', { share }), say('Fetch the files and change the card.')));
  }
  return found;
}

function age(unit: Unit, now: number): readonly Trouble[] {
  // With the fast stream Lp is fresh; it is no problem that the other levels are not read meanwhile.
  if (!isLpOld(unit, now) || !unit.tcp_enabled) return [];
  if (unit.measured_at === null) return unit.state === 'online' ? [] : [wait(say('No levels were read yet.'))];
  const old = span((now - Date.parse(unit.measured_at)) / 1_000);
  const why = unit.poll_enabled ? '' : ` ${say('Background readings are switched off.')}`;
  const isToday = now - Date.parse(unit.measured_at) < DATED_MS;
  const time = (isToday ? clockTime : dayAndTime)(unit.measured_at, unit.timezone);
  return [wait(`${say('The levels are from {time}, {length} ago.', { time, length: old })}${why}`)];
}

export function stateWord(unit: Unit): { readonly word: string; readonly look: string } {
  if (!unit.tcp_enabled) return { word: say('Off'), look: '' };
  if (unit.state === 'offline') return { word: say('Unreachable'), look: 'away' };
  if (unit.state === 'wedged') return { word: say('Needs a power cycle'), look: 'away wedged' };
  if (unit.state === 'asleep?') return { word: say('Asleep?'), look: 'away asleep' };
  if (unit.frozen) return { word: say('Stands still'), look: 'away frozen' };
  if (unit.measurement_state === 'Measure') return { word: say('Measuring'), look: 'measuring' };
  if (unit.measurement_state === 'Stop') return { word: say('Stopped'), look: '' };
  return { word: unit.state === 'unknown' ? say('Not tried yet') : say('Not known'), look: '' };
}

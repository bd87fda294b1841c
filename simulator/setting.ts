/** Settings and actions: whether the state allows them, and what they do. The parameter is already known to be right. */
import type { CommandFact } from '../lib/nl43/spec/commands.ts';
import { type Answer, done, refused } from './answer.ts';
import { unlessCardProblem } from './auto-store.ts';
import { parseDeviceTime } from './device-time.ts';
import type { Machine } from './machine.ts';

type Change = (machine: Machine, value: string, fact: CommandFact) => Answer;

/** Commands that do more than keep a value. */
const SPECIAL: Readonly<Record<string, Change>> = Object.freeze({
  Measure: (machine, value) => (value === 'Start' ? start(machine) : stop(machine)),
  Pause: (machine, value) => (value === 'On' ? pause(machine) : resume(machine)),
  Reset: reset,
  'Manual Store': storeManual,
  Clock: setClock,
  'Sleep Mode': setSleep,
  FTP: setFtp,
});

export function change(machine: Machine, fact: CommandFact, value: string): Answer {
  return (SPECIAL[fact.name] ?? keep)(machine, value, fact);
}

function start(machine: Machine): Answer {
  const { measurement, parts } = machine;
  if (measurement.running) {
    if (parts.profile.start_while_measuring === 'refused') return refused('R+0004');
    measurement.stop();
  }
  return machine.begin() ? done('start') : refused('R+0004');
}

/** Stopping a meter that does not measure is R+0004: captured, four times. */
function stop({ measurement }: Machine): Answer {
  if (!measurement.running) return refused('R+0004');
  measurement.stop();
  return done('stop');
}

function pause({ measurement, parts }: Machine): Answer {
  if (measurement.state === 'stopped') return refused('R+0004');
  if (measurement.state === 'paused' && parts.profile.pause_repeated === 'refused') return refused('R+0004');
  if (measurement.state === 'measuring') parts.note('state', 'paused');
  measurement.pause();
  return done();
}

function resume({ measurement, parts }: Machine): Answer {
  if (measurement.state === 'stopped') return refused('R+0004');
  if (measurement.state === 'measuring' && parts.profile.pause_repeated === 'refused') return refused('R+0004');
  if (measurement.state === 'paused') parts.note('state', 'measuring');
  measurement.resume();
  return done();
}

/** Only where the profile knows the command at all. */
function reset(machine: Machine): Answer {
  if (!machine.measurement.running) return refused('R+0004');
  machine.measurement.stop();
  return machine.begin() ? done() : refused('R+0004');
}

/** Refused in Auto mode and while measuring: captured. Needs a result (inferred) and a card. */
function storeManual(machine: Machine): Answer {
  const { measurement, parts, settings } = machine;
  const { card, instrument, profile } = parts;
  const ready = !measurement.running && measurement.finished && settings.get('Store Mode') === 'Manual';
  if (!ready) return refused('R+0004');
  const write = () => card.storeManual(machine.label(), instrument.measuredMs, measurement.result());
  if (unlessCardProblem(write) === 'refused') return refused('R+0004');
  if (profile.address_advances) advanceAddress(machine);
  parts.note('state', 'stored');
  return done('store');
}

function advanceAddress({ settings }: Machine): void {
  const next = Number(settings.get('Manual Address')) + 1;
  if (next <= 1_000) settings.set('Manual Address', String(next));
}

function setClock(machine: Machine, value: string): Answer {
  const { measurement, parts, time } = machine;
  if (measurement.running && parts.profile.clock_while_measuring === 'refused') return refused('R+0004');
  const moment = parseDeviceTime(value);
  if (moment === null) return refused('R+0002');
  time.set(moment);
  return done();
}

/** A setting, not an action: the meter falls asleep later. On is refused while measuring: captured. */
function setSleep({ measurement, parts, reach, settings }: Machine, value: string): Answer {
  const refuses = value === 'On' || parts.profile.sleep_off_while_measuring === 'refused';
  if (measurement.running && refuses) return refused('R+0004');
  settings.set('Sleep Mode', value);
  reach.stir();
  return done();
}

/** The flag follows at once, the server after a while. Repeating is fine: captured. */
function setFtp({ parts, settings }: Machine, value: string): Answer {
  if (settings.set('FTP', value)) parts.reachChanged();
  return done();
}

function keep(machine: Machine, value: string, fact: CommandFact): Answer {
  const { measurement, parts, settings } = machine;
  if (!fitsUserTime(machine, fact.name, value)) return refused('R+0002');
  const locked = measurement.running && parts.profile.settings_while_measuring === 'refused';
  if (fact.stoppedOnly && locked) return refused('R+0004');
  const changed = settings.set(fact.name, value);
  if (changed) parts.instrument.configure(settings.instrument);
  return fact.cutsBranch && changed ? { ...done(), cuts: true } : done();
}

/** A number comes before its unit, so only the unit can tell whether the two go together. */
function fitsUserTime({ parts, settings }: Machine, name: string, value: string): boolean {
  const part = /^(.*) \((Num|Unit)\)$/.exec(name);
  if (!part) return true;
  if (parts.profile.user_time_words === 'refused') return false;
  if (part[2] === 'Num' || parts.profile.user_time_range === 'any') return true;
  return value === 'h' || Number(settings.get(`${part[1]} (Num)`)) <= 59;
}

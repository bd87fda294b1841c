/** Settings and actions: whether the state allows them, and their effects. The parameter has been checked before. */
import type { CommandFact } from '../lib/drivers/nl43/spec/commands.ts';
import { type Answer, done, refusal } from './answer.ts';
import { parseDeviceTime } from './device-time.ts';
import { type Machine, unlessCardProblem } from './machine.ts';

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

/** `value`: canonical spelling, as `readParameter` gives it. */
export function change(machine: Machine, fact: CommandFact, value: string): Answer {
  return (SPECIAL[fact.name] ?? keep)(machine, value, fact);
}

function start(machine: Machine): Answer {
  const { measurement, busyPeriod, parts, timer } = machine;
  if (busyPeriod.active) return refusal('R+0004');
  if (measurement.running) {
    if (parts.profile.start_while_measuring === 'refused') return refusal('R+0004');
    measurement.stop();
  }
  return timer.start() || machine.launch() ? done('start') : refusal('R+0004');
}

/** Stopping a meter that does not measure is R+0004: captured, four times. A start that still waits can be stopped, too. */
function stop({ measurement, busyPeriod, timer }: Machine): Answer {
  const waited = timer.stop() || busyPeriod.cancel();
  if (!measurement.running) return waited ? done('stop') : refusal('R+0004');
  measurement.stop();
  return done('stop');
}

function pause({ measurement, parts }: Machine): Answer {
  if (measurement.state === 'stopped') return refusal('R+0004');
  if (measurement.state === 'paused' && parts.profile.pause_repeated === 'refused') return refusal('R+0004');
  if (measurement.state === 'measuring') parts.note('state', 'paused');
  measurement.pause();
  return done();
}

function resume({ measurement, parts }: Machine): Answer {
  if (measurement.state === 'stopped') return refusal('R+0004');
  if (measurement.state === 'measuring' && parts.profile.pause_repeated === 'refused') return refusal('R+0004');
  if (measurement.state === 'paused') parts.note('state', 'measuring');
  measurement.resume();
  return done();
}

function reset(machine: Machine): Answer {
  if (!machine.measurement.running) return refusal('R+0004');
  machine.measurement.stop();
  return machine.begin() ? done() : refusal('R+0004');
}

/** Refused in Auto mode and while measuring: captured. Needs a result (inferred) and a card. */
function storeManual(machine: Machine): Answer {
  const { measurement, busyPeriod, occupied, parts, settings } = machine;
  const { card, instrument, profile } = parts;
  const ready = !occupied && measurement.finished && settings.get('Store Mode') === 'Manual';
  if (!ready) return refusal('R+0004');
  const write = () => card.storeManual(machine.label(), instrument.measuredMs, measurement.result());
  if (unlessCardProblem(write) === 'refused') return refusal('R+0004');
  if (profile.address_advances) advanceAddress(machine);
  if (profile.storing_ms > 0) parts.note('state', 'storing');
  busyPeriod.begin(profile.storing_ms, () => {
    parts.note('state', 'stored');
    machine.network.noteActivity();
  });
  return done('store');
}

function advanceAddress({ settings }: Machine): void {
  const next = Number(settings.get('Manual Address')) + 1;
  if (next <= 1_000) settings.set('Manual Address', String(next));
}

function setClock(machine: Machine, value: string): Answer {
  const { occupied, parts, time, timer } = machine;
  if (occupied && parts.profile.clock_while_measuring === 'refused') return refusal('R+0004');
  const moment = parseDeviceTime(value);
  if (moment === null) return refusal('R+0002');
  time.set(moment);
  timer.replan();
  return done();
}

/** A setting, not an action: the meter falls asleep later. On is refused while measuring: captured. */
function setSleep({ occupied, parts, network, settings }: Machine, value: string): Answer {
  const refuses = value === 'On' || parts.profile.sleep_off_while_measuring === 'refused';
  if (occupied && refuses) return refusal('R+0004');
  settings.set('Sleep Mode', value);
  network.noteActivity();
  return done();
}

/** The flag follows at once, the server after a while. Repeating is fine: captured. */
function setFtp({ parts, settings }: Machine, value: string): Answer {
  if (settings.set('FTP', value)) parts.networkChanged();
  return done();
}

function keep(machine: Machine, value: string, fact: CommandFact): Answer {
  const { occupied, parts, settings, timer } = machine;
  if (!fitsUserTime(machine, fact.name, value)) return refusal('R+0002');
  const locked = occupied && parts.profile.settings_while_measuring === 'refused';
  if (fact.stoppedOnly && locked) return refusal('R+0004');
  const changed = settings.set(fact.name, value);
  if (changed) parts.instrument.configure(settings.instrument);
  if (changed && steersTimer(fact.name)) timer.replan();
  return fact.cutsBranch && changed ? { ...done(), cuts: true } : done();
}

export const steersTimer = (name: string) => name === 'Store Mode' || name.startsWith('Timer Auto ');

/** A number comes before its unit, so only the unit can tell whether the two go together. */
function fitsUserTime({ parts, settings }: Machine, name: string, value: string): boolean {
  const part = /^(.*) \((Num|Unit)\)$/.exec(name);
  if (!part) return true;
  if (parts.profile.user_time_words === 'refused') return false;
  if (part[2] === 'Num' || parts.profile.user_time_range === 'any') return true;
  return value === 'h' || Number(settings.get(`${part[1]} (Num)`)) <= 59;
}

/**
 * Decides on a command that is well-formed. A request shows something and changes nothing; all other commands change something.
 */
import { type Answer, done, refusal, says } from './answer.ts';
import { change } from './changes.ts';
import { formatDeviceTime } from './device-time.ts';
import type { Command } from './grammar.ts';
import type { Machine } from './machine.ts';

/** The form of this reply was not seen; firmware of the family is named `x.x`. */
const SYSTEM_VERSION = '1.5';

type RequestCommand = Extract<Command, { kind: 'request' }>;

/** R+0004 where there is nothing to show, as the profile says. */
export function answerRequest(machine: Machine, { fact, status }: RequestCommand): Answer {
  const { parts, time } = machine;
  switch (fact.name) {
    case 'Measure':
      return says(measureWord(machine));
    case 'Pause':
      return says(machine.measurement.state === 'paused' ? 'On' : 'Off');
    case 'Overwrite':
      return overwrite(machine);
    case 'Clock':
      return says(formatDeviceTime(time.now()));
    case 'Type':
      return says(parts.model);
    case 'Serial Number':
      return says(parts.serial);
    case 'System Version':
      return says(SYSTEM_VERSION);
    case 'Battery Level':
      return says(machine.battery);
    case 'SD Card Total Size':
    case 'SD Card Free Size':
    case 'SD Card Percentage':
      return cardFigure(machine, fact.name);
    case 'DOD':
      return { ...done(), data: { kind: 'display', values: machine.measurement.display() } };
    case 'DLC':
      return lastResult(machine);
    case 'DRD':
      return stream(machine, status);
    default:
      return says(machine.settings.get(fact.name));
  }
}

/** After a start the state may show late: a public client asks up to three times. */
function measureWord(machine: Machine): string {
  const { measurement, parts } = machine;
  if (measurement.state === 'stopped') return 'Stop';
  if (measurement.state === 'paused') return parts.profile.measure_in_pause;
  return machine.uptime() - measurement.startedAt < parts.profile.start_visible_ms ? 'Stop' : 'Start';
}

function overwrite(machine: Machine): Answer {
  const { card, profile } = machine.parts;
  if (machine.measurement.running && profile.overwrite_while_measuring === 'refused') return refusal('R+0004');
  const { mode, storeName, address } = machine.label();
  return says(card.exists(mode, storeName, address) ? 'Exist' : 'None');
}

function cardFigure({ parts: { card, profile } }: Machine, name: string): Answer {
  if (!card.inserted) return profile.no_card === 'zero' ? says('0') : refusal('R+0004');
  if (name === 'SD Card Total Size') return says(String(Math.floor(card.totalMb)));
  if (name === 'SD Card Free Size') return says(String(Math.floor(card.freeMb)));
  const free = Math.floor((card.freeMb / card.totalMb) * 100);
  return says(String(profile.sd_percentage === 'free' ? free : 100 - free));
}

function lastResult({ measurement, parts }: Machine): Answer {
  if (!measurement.finished && parts.profile.result_before_first === 'refused') return refusal('R+0004');
  return { ...done(), data: { kind: 'display', values: measurement.result() } };
}

/** NL-42 manual p.61: in Auto store mode only with an Lp store interval of 100 ms. */
function stream({ settings, parts }: Machine, status: boolean): Answer {
  const bound = parts.profile.auto_stream_interval === '100ms' && settings.storeMode === 'Auto';
  if (bound && settings.get('Lp Store Interval') !== '100ms') return refusal('R+0004');
  return { ...done(), stream: status ? 'status' : 'plain' };
}

export function execute(machine: Machine, command: Command): Answer {
  machine.measurement.advance();
  return command.kind === 'request' ? answerRequest(machine, command) : change(machine, command.fact, command.value);
}

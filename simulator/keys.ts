/** The meter from its front side: what its display shows and what its keys set. No state is checked, no connection needed. */
import type { CommandFact } from '../lib/drivers/nl43/spec/commands.ts';
import { change, steersTimer } from './changes.ts';
import { parseDeviceTime } from './device-time.ts';
import { findCommand, readParameter } from './grammar.ts';
import type { Machine } from './machine.ts';
import { dataLine } from './reply-writer.ts';
import { answerRequest } from './requests.ts';

/** No command asks for it; `DRD?status` shows its letter. */
const POWER_SOURCES = ['Battery', 'External', 'USB'] as const;

/** The value that a request would show. Throws a TypeError on a name that cannot be asked, or not now. */
export function readValue(machine: Machine, name: string): string {
  if (name.toLowerCase() === 'power source') return machine.powerSource;
  const fact = findCommand(name);
  if (!fact?.request || fact.name === 'DRD') throw new TypeError(`the meter shows no ${JSON.stringify(name)}`);
  machine.measurement.advance();
  const answer = answerRequest(machine, { kind: 'request', fact, status: false });
  if (!answer.data) throw new TypeError(`the meter shows no ${fact.name} now (${answer.result})`);
  return dataLine(answer.data, machine.parts.profile);
}

/** Sets a value. A key wakes the meter. Throws a TypeError on a name or value that the meter does not have. */
export function setValue(machine: Machine, name: string, value: string): void {
  const turn = turnOf(machine, name, value);
  machine.measurement.advance();
  turn();
  machine.network.wake();
  machine.parts.networkChanged();
}

/** The returned function sets the value. Nothing is changed before it is called. */
export function turnOf(machine: Machine, name: string, typed: string): () => void {
  if (name.toLowerCase() === 'power source') return powerSourceTurn(machine, typed);
  const fact = findCommand(name);
  const value = fact && readParameter(fact.values, typed, machine.parts.profile);
  if (!fact || value === null || value === undefined) {
    throw new TypeError(`the meter has no ${name} of ${JSON.stringify(typed)}`);
  }
  return () => turnCommand(machine, fact, value);
}

function powerSourceTurn(machine: Machine, value: string): () => void {
  const source = POWER_SOURCES.find((one) => one.toLowerCase() === value.toLowerCase());
  if (!source) throw new TypeError(`Power Source takes ${POWER_SOURCES.join(', ')}, not ${JSON.stringify(value)}`);
  return () => {
    machine.powerSource = source;
  };
}

function turnCommand(machine: Machine, fact: CommandFact, value: string): void {
  if (fact.name === 'Battery Level') machine.battery = value;
  else if (fact.name === 'Clock') turnClock(machine, value);
  else if (fact.initial === undefined || fact.name === 'Measure' || fact.name === 'Pause') press(machine, fact, value);
  else keep(machine, fact, value);
}

/** Keys that act: here the state does decide. */
function press(machine: Machine, fact: CommandFact, value: string): void {
  const answer = change(machine, fact, value);
  if (answer.result !== 'R+0000') throw new TypeError(`${fact.name} of ${value} is not possible now`);
}

function turnClock({ time, timer }: Machine, value: string): void {
  time.set(parseDeviceTime(value) ?? time.now());
  timer.replan();
}

function keep({ parts, settings, timer }: Machine, fact: CommandFact, value: string): void {
  settings.set(fact.name, value);
  parts.instrument.configure(settings.instrument);
  if (steersTimer(fact.name)) timer.replan();
}

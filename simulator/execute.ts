/** A command that asks shows something; all others change something. */
import type { Answer } from './answer.ts';
import { change } from './changes.ts';
import type { Command } from './grammar.ts';
import type { Machine } from './machine.ts';
import { answerRequest } from './requests.ts';

/** Decides on a command that is well-formed. */
export function execute(machine: Machine, command: Command): Answer {
  machine.measurement.advance();
  return command.kind === 'request' ? answerRequest(machine, command) : change(machine, command.fact, command.value);
}

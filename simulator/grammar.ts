/**
 * A line becomes a request, or the complaint that the meter makes about its form. Complaints come in this order: the name
 * (R+0001), setting or request (R+0003), the parameter (R+0002). Whether the state allows it (R+0004) is the machine's.
 */
import { COMMANDS, type CommandFact, DRD_STATUS_REQUEST } from '../lib/drivers/nl43/spec/commands.ts';
import type { RefusalCode } from '../lib/drivers/nl43/spec/framing.ts';
import { readParameter } from './parameter.ts';
import type { Profile } from './profile.ts';

/** A line that is well-formed. */
export type Command =
  | { readonly kind: 'request'; readonly fact: CommandFact; readonly status: boolean }
  | { readonly kind: 'setting'; readonly fact: CommandFact; readonly value: string };

const BY_NAME: ReadonlyMap<string, CommandFact> = new Map(COMMANDS.map((fact) => [fact.name.toLowerCase(), fact]));

/** The command of this name. Case does not matter, spaces inside a name do (captured: `ManualStore` is R+0001). */
export const findCommand = (name: string): CommandFact | undefined => BY_NAME.get(name.toLowerCase());

/** The command, or the result code of the complaint. */
export function readLine(text: string, profile: Profile): Command | RefusalCode {
  if (text.toLowerCase() === 'reset') return readReset(profile);
  const mark = text.search(/[?,]/);
  // Only a name is no command: `Manual Store` without parameter was R+0001.
  const fact = mark < 0 ? undefined : findCommand(text.slice(0, mark));
  if (!fact || fact.name === 'Reset') return 'R+0001';
  if (fact.option) return profile.absent_option;
  return text[mark] === '?' ? readRequest(fact, text, mark) : readSetting(fact, text.slice(mark + 1), profile);
}

function readReset(profile: Profile): Command | RefusalCode {
  const fact = findCommand('Reset');
  return fact && profile.reset === 'restarts' ? { kind: 'setting', fact, value: '' } : 'R+0001';
}

function readRequest(fact: CommandFact, text: string, mark: number): Command | RefusalCode {
  const status = text.toLowerCase() === DRD_STATUS_REQUEST.toLowerCase();
  if (mark !== text.length - 1 && !status) return 'R+0001';
  return fact.request ? { kind: 'request', fact, status } : 'R+0003';
}

function readSetting(fact: CommandFact, typed: string, profile: Profile): Command | RefusalCode {
  if (!fact.set) return 'R+0003';
  const text = profile.spaces_after_comma === 'any' ? typed.replace(/^ +/, '') : typed;
  const value = readParameter(fact.values, text, profile);
  return value === null ? 'R+0002' : { kind: 'setting', fact, value };
}

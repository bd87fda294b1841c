/** `npm run keys -- person ...`: the people. The sessions of a changed or removed person end. */
import {
  type CommandIo,
  choiceOf,
  columns,
  nameIn,
  nothingMore,
  reach,
  roleIn,
  shortReach,
  type Words,
  WrongWords,
} from '../commands.ts';
import { type PersonChange, Refused, refusePerson } from '../key-admin.ts';
import { sameName } from './live-people.ts';
import { hashPassword, passwordFault } from './sign-in.ts';

export interface PersonIo extends CommandIo {
  /** Does not show the input. */
  secret(question: string): Promise<string>;
}

export interface PersonWords extends Words {
  readonly 'no-password'?: boolean | undefined;
}

const COMMANDS = { add, list, role, password, remove };

export async function person({ rest: [command = '', ...rest], ...words }: PersonWords, io: PersonIo): Promise<void> {
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command as keyof typeof COMMANDS] : undefined;
  if (!known) throw new WrongWords(`person takes one of ${Object.keys(COMMANDS).join(', ')}`);
  await known({ ...words, rest }, io);
}

async function add(words: PersonWords, io: PersonIo): Promise<void> {
  const name = nameIn(words.name);
  const wanted = { name, role: roleIn(words.role), ...choiceOf(words), until: null };
  nothingMore(words.rest);
  const { isFirst } = await inWords(async () => {
    // Checked before somebody types a password in vain.
    refusePerson(await io.admin.people(), name);
    const password = words['no-password'] ? null : await hashPassword(await newPassword(io, name));
    return io.admin.addPerson({ ...wanted, password });
  });
  io.note(`${name} can sign in: ${wanted.role}, ${reach(wanted)}.`);
  if (isFirst) io.note('From now on the gateway asks everybody to sign in or for an API key, also on this computer.');
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new WrongWords(error.about === 'name' ? `--name: ${error.message}` : error.message);
  }
}

async function list({ rest }: PersonWords, { admin, say, note }: PersonIo): Promise<void> {
  nothingMore(rest);
  const people = await admin.people();
  if (people.length === 0) return note('There is nobody.');
  const rows = people.map((person) => [
    ...[person.id, person.name, person.role, shortReach(person), person.password === null ? 'no' : 'yes'],
    ...[person.created_at, person.until ?? 'never'],
  ]);
  for (const line of columns([['ID', 'NAME', 'ROLE', 'UNITS', 'PASSWORD', 'CREATED', 'ENDS'], ...rows])) say(line);
}

async function role({ rest: [name, ...rest], ...words }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  const wanted = roleIn(words.role);
  const isSame = words.units === undefined && words.tags === undefined;
  // Without these words the units stay as they are: nobody gets more rights by mistake.
  const change: PersonChange = isSame ? { role: wanted } : { role: wanted, ...choiceOf(words) };
  const changed = await io.admin.changePerson(given(name), change);
  if (!changed) throw nobody(name);
  io.note(`${name} is now ${wanted}, ${reach(changed)}, and has to sign in again.`);
}

async function password({ rest: [name, ...rest] }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  const people = await io.admin.people();
  if (!people.some((one) => sameName(one.name) === sameName(given(name)))) throw nobody(name);
  const stored = await hashPassword(await newPassword(io, given(name)));
  if (!(await io.admin.changePerson(given(name), { password: stored }))) throw nobody(name);
  io.note(`${name} has a new password. Sessions from before have ended.`);
}

async function remove({ rest: [name, ...rest] }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  if (!(await io.admin.removePerson(given(name)))) throw nobody(name);
  io.note(`${name} is removed, and every session of ${name} has ended.`);
}

function given(name: string | undefined): string {
  if (name === undefined) throw new WrongWords('the NAME of a person is missing; person list shows them');
  return name;
}

const nobody = (name: string | undefined): Error => new Error(`there is no ${name} among the people`);

async function newPassword({ secret }: PersonIo, name: string): Promise<string> {
  const given = await secret(`Password of ${name}`);
  const fault = passwordFault(name, given);
  if (fault !== undefined) throw new WrongWords(`the password ${fault}`);
  return given;
}

/**
 * `npm run keys -- person add|list|role|password|remove`: changes `people.json` of a data folder. A gateway may run on that folder: it
 * notices the change within a second, and ends the sessions of a person who was changed or removed.
 */
import type { Clock } from '../../clock.ts';
import {
  type CommandIo,
  columns,
  nameIn,
  nothingMore,
  reach,
  roleIn,
  unitsIn,
  type Words,
  WrongWords,
} from '../command-words.ts';
import { hashPassword, LONGEST, SHORTEST } from './passwords.ts';
import {
  changePeople,
  isReserved,
  MOST_PEOPLE,
  newId,
  newStamp,
  type Person,
  personFileIn,
  readPeople,
  sameName,
} from './person-file.ts';

/** Also asks for a password. */
export interface PersonIo extends CommandIo {
  /** What the person types, without showing it. */
  secret(question: string): Promise<string>;
}

/** Also whether the person has a password. */
export interface PersonWords extends Words {
  readonly 'no-password'?: boolean | undefined;
}

/** All units, where none would mean that they stay as they are. */
const ALL = '*';

const COMMANDS = { add, list, role, password, remove };

/** Throws WrongWords. */
export async function person({ rest: [command = '', ...rest], ...words }: PersonWords, io: PersonIo): Promise<void> {
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command as keyof typeof COMMANDS] : undefined;
  if (!known) throw new WrongWords(`person takes one of ${Object.keys(COMMANDS).join(', ')}`);
  await known({ ...words, rest }, io);
}

async function add(words: PersonWords, io: PersonIo): Promise<void> {
  const name = nameIn(words.name);
  const wanted = { name, role: roleIn(words.role), units: unitsIn(words.units) };
  nothingMore(words.rest);
  const path = personFileIn(io.dataDir);
  const refuse = (people: readonly Person[]) => {
    if (people.length >= MOST_PEOPLE) throw new WrongWords(`there are ${MOST_PEOPLE} people, which is the limit`);
    if (isReserved(name)) throw new WrongWords('--name: this is what callers are called who need no sign-in');
    if (people.some((other) => sameName(other.name) === sameName(name)))
      throw new WrongWords(`--name: there is a person of this name`);
  };
  const before = readPeople(path);
  refuse(before);
  const stored = words['no-password'] ? null : await hashPassword(await newPassword(io, name));
  const made: Person = { id: newId(), ...wanted, password: stored, stamp: newStamp(), created_at: timeText(io.clock) };
  await changePeople(path, io.clock, (people) => {
    refuse(people);
    return [...people, made];
  });
  io.note(`${name} can sign in: ${wanted.role}, ${reach(wanted)}.`);
  if (before.length === 0)
    io.note('From now on the gateway asks everybody to sign in or for an API key, also on this computer.');
}

async function list({ rest }: PersonWords, { dataDir, say, note }: PersonIo): Promise<void> {
  nothingMore(rest);
  const people = readPeople(personFileIn(dataDir));
  if (people.length === 0) return note(`There is nobody in ${personFileIn(dataDir)}.`);
  const rows = people.map(({ id, name, role, units, password, created_at }) => [
    ...[id, name, role, units?.join(',') ?? 'all', password === null ? 'no' : 'yes', created_at],
  ]);
  for (const line of columns([['ID', 'NAME', 'ROLE', 'UNITS', 'PASSWORD', 'CREATED'], ...rows])) say(line);
}

async function role({ rest: [name, ...rest], ...words }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  const wanted = roleIn(words.role);
  const given = words.units === ALL ? null : unitsIn(words.units);
  let units = given;
  await change(name, io, (before) => {
    // Without a word about units they stay as they are: nobody gets more by a slip.
    units = words.units === undefined ? before.units : given;
    return { ...before, role: wanted, units, stamp: newStamp() };
  });
  io.note(`${name} is now ${wanted}, ${reach({ units })}, and has to sign in again.`);
}

async function password({ rest: [name, ...rest] }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  await change(name, io, (before) => before);
  const stored = await hashPassword(await newPassword(io, name ?? ''));
  await change(name, io, (before) => ({ ...before, password: stored, stamp: newStamp() }));
  io.note(`${name} has a new password. Sessions from before have ended.`);
}

async function remove({ rest: [name, ...rest] }: PersonWords, io: PersonIo): Promise<void> {
  nothingMore(rest);
  await change(name, io, () => undefined);
  io.note(`${name} is removed, and every session of ${name} has ended.`);
}

async function change(
  name: string | undefined,
  { dataDir, clock }: PersonIo,
  to: (before: Person) => Person | undefined,
): Promise<void> {
  if (name === undefined) throw new WrongWords('the NAME of a person is missing; person list shows them');
  const path = personFileIn(dataDir);
  await changePeople(path, clock, (people) => {
    if (!people.some((one) => sameName(one.name) === sameName(name))) throw new Error(`there is no ${name} in ${path}`);
    return people.flatMap((one) => (sameName(one.name) === sameName(name) ? (to(one) ?? []) : one));
  });
}

async function newPassword({ secret }: PersonIo, name: string): Promise<string> {
  const given = await secret(`Password of ${name}`);
  const length = [...given].length;
  if (length < SHORTEST || length > LONGEST)
    throw new WrongWords(`a password has ${SHORTEST} to ${LONGEST} characters; several words are easier to remember`);
  if (sameName(given) === sameName(name)) throw new WrongWords('the password is the name');
  return given;
}

const timeText = (clock: Clock): string => new Date(clock.now()).toISOString();

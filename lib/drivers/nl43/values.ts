/**
 * Reads the data line of a request with one value. Strict: a value that the fact does not allow is a DecodeError. So a
 * reply of another command, or half a reply, never becomes a value. Only spaces around the value are removed.
 */
import { isClockText } from '../../domain/zone.ts';
import { DecodeError } from '../wire/contract.ts';
import { COMMANDS, type CommandFact, type CommandValues } from './spec/commands.ts';
import { REQUEST_MARK, SEPARATOR } from './spec/framing.ts';

/** Given to the codec as a parameter, so that a test can change a fact and see which test fails. */
export interface Dialect {
  readonly commands: readonly CommandFact[];
  readonly separator: string;
  readonly requestMark: string;
}

export const NL43_DIALECT: Dialect = Object.freeze({
  commands: COMMANDS,
  separator: SEPARATOR,
  requestMark: REQUEST_MARK,
});

/** Throws Error for a name that the facts do not hold: a bug, because callers do not write names. */
export function factOf(name: string, dialect: Dialect = NL43_DIALECT): CommandFact {
  const fact = dialect.commands.find((each) => each.name === name);
  if (!fact) throw new Error(`The meter has no command ${JSON.stringify(name)}.`);
  return fact;
}

const DIGITS = /^\d{1,9}$/;
const DECIMAL = /^\d{1,9}(?:\.\d{1,3})?$/;
const QUAD = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** A line of text is printable ASCII. A misplaced prompt or result line is refused. */
const TEXT = /^(?!\$|R\+\d)[\x21-\x7e][\x20-\x7e]{0,79}$/;

const PROMPTS = /^(?:\$ *)+/;

export const withoutPrompts = (line: string): string => line.replace(PROMPTS, '');

/** The line without the spaces around it. Not `trim()`: a tab or a NUL must not occur in a reply. */
export function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === ' ') from++;
  while (to > from && text[to - 1] === ' ') to--;
  return text.slice(from, to);
}

/** The value as the meter wrote it; integers with a fixed width are padded to it. Throws DecodeError. */
export function decodeValue(fact: Pick<CommandFact, 'name' | 'values'>, line: string): string {
  const text = trimSpaces(line);
  if (!reads(fact.values, text)) throw new DecodeError(`the reply to ${fact.name}? cannot be read`, line);
  return fact.values.kind === 'integer' ? String(Number(text)).padStart(fact.values.digits ?? 0, '0') : text;
}

export const textOf = <W extends string = string>(name: string): ((line: string) => W) => {
  const fact = factOf(name);
  return (line) => decodeValue(fact, line) as W;
};

export const numberOf = (name: string): ((line: string) => number) => {
  const fact = factOf(name);
  return (line) => Number(decodeValue(fact, line));
};

export const isValueOf = ({ values }: Pick<CommandFact, 'values'>, line: string): boolean =>
  reads(values, trimSpaces(line));

function reads(values: CommandValues, text: string): boolean {
  switch (values.kind) {
    case 'word':
      return values.words.includes(text);
    case 'integer':
      return (
        (values.decimals ? DECIMAL : DIGITS).test(text) && Number(text) >= values.min && Number(text) <= values.max
      );
    case 'clock':
      return isClockText(text);
    case 'timer':
      // Its seconds must be 0 (VM manual p.166).
      return isClockText(text) && text.endsWith(':00');
    case 'address':
      return QUAD.test(text);
    case 'text':
      return TEXT.test(text);
    case 'data':
      return false;
  }
}

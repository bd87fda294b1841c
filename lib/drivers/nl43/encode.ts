/**
 * The only place that makes command text. A name comes from the facts, and a value is checked against the values of the
 * fact. So no text of a caller is sent unchecked. Adds no line end, no `$` (a meter refuses it: field log) and no space
 * after the comma. Sends nothing and knows no reply.
 */
import { isClockText } from '../../domain/zone.ts';
import { GatewayError } from '../../errors.ts';
import type { CommandFact, CommandValues } from './spec/commands.ts';
import { type Dialect, factOf, NL43_DIALECT } from './values.ts';

/** Printable ASCII without the comma: excludes CR, LF, NUL, SUB and everything full-width (VM manual p.152). */
const CLEAN = /^[\x20-\x2b\x2d-\x7e]*$/;
const DIGITS = /^\d{1,9}$/;

/** `Name,Value`, or `Name` alone. Throws Error for a name that cannot be set, GatewayError INVALID for a bad value. */
export function setting(name: string, value?: string | number, dialect: Dialect = NL43_DIALECT): string {
  const fact = factOf(name, dialect);
  if (!fact.set) throw new Error(`The command ${name} cannot be set.`);
  if (fact.cutsBranch) {
    throw new GatewayError(
      'INVALID',
      `The command ${name} is never sent: it would cut the connection that it is sent over.`,
    );
  }
  if (value === undefined) return withoutValue(fact);
  return `${name}${dialect.separator}${encodeValue(fact, String(value))}`;
}

/** `Name?`. Throws Error for a name that is unknown or that cannot be requested. */
export function request(name: string, dialect: Dialect = NL43_DIALECT): string {
  if (!factOf(name, dialect).request) throw new Error(`The command ${name} cannot be requested.`);
  return `${name}${dialect.requestMark}`;
}

function withoutValue({ name, values }: CommandFact): string {
  if (values.kind === 'word' && values.words.length === 0) return name;
  throw new GatewayError('INVALID', `The command ${name} needs a value.`);
}

function encodeValue({ name, values }: CommandFact, value: string): string {
  const shown = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (!CLEAN.test(value))
    throw new GatewayError('INVALID', `The value ${shown} of ${name} contains a character that is not allowed.`);
  if (!fits(values, value))
    throw new GatewayError('INVALID', `The value ${shown} of ${name} is not ${describe(values)}.`);
  return values.kind === 'integer' ? String(Number(value)).padStart(values.digits ?? 0, '0') : value;
}

function fits(values: CommandValues, value: string): boolean {
  switch (values.kind) {
    case 'word':
      return values.words.includes(value);
    case 'integer':
      return DIGITS.test(value) && Number(value) >= values.min && Number(value) <= values.max;
    case 'clock':
      return isClockText(value);
    default:
      // Times of a timer, addresses and free texts: the gateway does not set these.
      return false;
  }
}

function describe(values: CommandValues): string {
  switch (values.kind) {
    case 'word':
      return values.words.length > 0 ? `one of ${values.words.join(', ')}` : 'allowed here: it takes no value';
    case 'integer':
      return `a whole number from ${values.min} to ${values.max}`;
    case 'clock':
      return 'a date and time YYYY/MM/DD HH:MM:SS that exists';
    default:
      return 'a value that the gateway sets';
  }
}

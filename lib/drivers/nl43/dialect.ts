/** The facts of one meter's command language, as the two directions of the codec look them up. */
import { COMMANDS, type CommandFact } from './spec/commands.ts';
import { REQUEST_MARK, SEPARATOR } from './spec/framing.ts';

/** Given to the codec as a parameter, so that a test can change a fact and see which test fails. */
export interface Dialect {
  readonly commands: readonly CommandFact[];
  readonly separator: string;
  readonly requestMark: string;
}

/** The commands and marks of NL-43 and NL-53. */
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

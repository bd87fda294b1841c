/** Parts of a command of `slm`. Help, completion and the reading of the command line come from these. */
import type { Client } from '../client/index.ts';

/** How a word is completed by the shell. */
export type Completion = 'unit' | 'file' | readonly string[];

/** A word after the command, in its place. */
export interface Word {
  /** `UNIT`: capitals in the help. */
  readonly name: string;
  readonly optional?: true;
  /** The last one may come several times. */
  readonly many?: true;
  readonly completion?: Completion;
}

/** An option of a command, `--name`. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The word for its value in the help; without one it is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly completion?: Completion;
}

/** One command of `slm`, with all that help and completion need. */
export interface Command {
  /** `live`, `cycle start`. */
  readonly name: string;
  readonly summary: string;
  readonly words?: readonly Word[];
  readonly options?: readonly Option[];
  /** Whole lines; the first word is `slm`. */
  readonly examples: readonly string[];
  /** Further sentences of the help. */
  readonly notes?: readonly string[];
  /** Throws GatewayProblem, WrongWords or Stopped; resolves with an exit code where it is not 0. */
  run(call: CommandCall): Promise<number | undefined>;
}

/** By name; a switch is true, and a missing option is undefined. */
export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** A command as it was typed, and its tools. */
export interface CommandCall {
  readonly words: Readonly<Record<string, string>>;
  /** All of a word that may come several times. */
  readonly rest: readonly string[];
  readonly options: Options;
  /** Made at the first use: a command that needs no gateway needs no address of one. */
  readonly client: () => Client;
  readonly terminal: Terminal;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  readonly json: boolean;
}

/** The person or program at the other end. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Columns of a screen that can be written over; undefined: output goes to a file or a pipe. */
  readonly columns: number | undefined;
  now(): number;
  write(text: string): void;
  /** A line to standard error: progress and errors, no results. */
  note(line: string): void;
}

/** Wrong command line; the message is for the person who typed. */
export class WrongWords extends Error {}

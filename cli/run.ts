/** One command, from its words to its exit code. The process and the screen are parameters. */
import { GatewayProblem } from '../client/index.ts';
import manifest from '../package.json' with { type: 'json' };
import { readCommandLine } from './command-line.ts';
import { COMMANDS } from './commands/index.ts';
import { type Terminal, WrongWords } from './contract.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { clientFor } from './gateway-address.ts';
import { helpOf, helpOfAll } from './help.ts';
import { harmless } from './output.ts';

/** Runs one command to its end. Resolves with the exit code and never rejects. */
export async function run(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  let name = '';
  try {
    const { command, group, words, rest, options } = readCommandLine(argv, COMMANDS);
    if (options.version === true) return say(terminal, `${manifest.version}\n`);
    if (!command) {
      const whole = helpOfAll(COMMANDS, group);
      if (options.help === true || argv.length === 0) return say(terminal, whole);
      throw new WrongWords(
        group === ''
          ? 'name a command; slm --help lists them'
          : `name a command of ${group}; slm ${group} --help lists them`,
      );
    }
    if (options.help === true) return say(terminal, helpOf(command));
    name = command.name;
    let client: ReturnType<typeof clientFor> | undefined;
    const code = await command.run({
      words,
      rest,
      options,
      client: () => {
        client ??= clientFor(options, terminal, signal);
        return client;
      },
      terminal,
      signal,
      json: options.json === true,
    });
    return signal.aborted ? EXIT.interrupted : (code ?? EXIT.done);
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    // A lack of a family of meters is about this command, not about the gateway.
    const isLacking = error instanceof GatewayProblem && error.code === 'NOT_SUPPORTED';
    const who = isLacking ? `slm ${name}` : 'slm';
    for (const line of linesOf(error)) terminal.note(`${who}: ${harmless(line)}`);
    return exitCodeOf(error);
  }
}

const say = ({ write }: Terminal, text: string): number => {
  write(text);
  return EXIT.done;
};

function linesOf(error: unknown): string[] {
  if (!(error instanceof GatewayProblem)) return [error instanceof Error ? error.message : String(error)];
  // A single error is in the sentence already.
  const more = error.errors.length > 1 ? error.errors.map(({ path, message }) => `  ${path} ${message}`) : [];
  const retry = error.retryAfterS === undefined ? [] : [`  Try again in ${error.retryAfterS} s.`];
  return [`${error.message} (${error.code})`, ...more, ...retry, ...hints(error)];
}

/** Things that a person can do about it at this computer. */
function hints({ code, message }: GatewayProblem): string[] {
  if (code === 'UNAUTHENTICATED') return ['  slm takes the key from ~/.config/slm/key, --key-file or SLM_API_KEY.'];
  if (code !== 'NO_GATEWAY') return [];
  if (/CERT|SIGNATURE/.test(message)) return ['  For a certificate of your own set NODE_EXTRA_CA_CERTS to its file.'];
  return ['  Set its address with --url or SLM_URL; use https:// if it has a certificate.'];
}

/** `npm run simulate -- record` and `-- replay`: their words, and what runs until somebody stops it. */
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { realClock } from '../clock.ts';
import { speed, understood, WrongCommandLine } from '../command-line.ts';
import { readScript, startReplay } from './player.ts';
import { createRecorder, startProxy } from './proxy.ts';
import { formatBytes, parseTranscript } from './transcript.ts';

/** Where the words for people go: the address to standard output, the rest to standard error. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

/** Rejects with a WrongCommandLine, and where the port or the file cannot be had. */
export async function record(words: readonly string[], output: Output, stopAsked: Promise<void>): Promise<void> {
  const { to, out, port } = split(words, 0).values;
  if (!to || !out) throw new WrongCommandLine('record takes --to HOST:PORT and --out FILE');
  const options = { to: address(to), port: portOf('--port', port ?? '0') };
  const file = createWriteStream(out, { flags: 'wx' });
  await new Promise<void>((resolve, reject) => {
    file.once('open', () => resolve());
    file.once('error', reject);
  });
  const recorder = createRecorder(file, realClock(), `Recorded ${new Date().toISOString()} from ${to}.`, (reason) =>
    output.err(`the recording has a gap: ${reason.message}`),
  );
  const proxy = await startProxy({ ...options, recorder }).catch(async (error: unknown) => {
    await recorder.close();
    rmSync(out, { force: true });
    throw error;
  });
  output.out(`recording ${to} to ${out}: connect to 127.0.0.1:${proxy.port}`);
  await stopAsked;
  await proxy.close();
  await recorder.close();
}

export async function replay(words: readonly string[], output: Output, stopAsked: Promise<void>): Promise<void> {
  const { values, positionals } = split(words, 1);
  const [path] = positionals;
  if (path === undefined) throw new WrongCommandLine('replay takes the FILE of a transcript');
  const script = readScript(parseTranscript(readFileSync(path, 'utf8')));
  const server = await startReplay({
    script,
    clock: realClock(speed(values.speed ?? '1')),
    port: portOf('--port', values.port ?? '0'),
    unknown: (message) => output.err(`not in the transcript: ${formatBytes(message)}`),
  });
  output.out(`replaying ${path}: connect to 127.0.0.1:${server.port}`);
  await stopAsked;
  await server.close();
}

function split(words: readonly string[], files: number) {
  const text = { type: 'string' } as const;
  const own = files > 0 ? { speed: text } : { to: text, out: text };
  return understood(() => {
    const parsed = parseArgs({ args: [...words], options: { port: text, ...own }, allowPositionals: files > 0 });
    if (parsed.positionals.length > files) throw new Error(`too many words: ${parsed.positionals.join(' ')}`);
    return parsed as { values: Record<'to' | 'out' | 'port' | 'speed', string | undefined>; positionals: string[] };
  });
}

/** `meter.lan:2255`, `192.0.2.7:2255`, `[2001:db8::7]:2255`. */
function address(word: string): { host: string; port: number } {
  const [, six, host, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(word) ?? [];
  const name = six ?? host;
  if (!name || !port) throw new WrongCommandLine(`--to takes HOST:PORT, not ${JSON.stringify(word)}`);
  return { host: name, port: portOf('--to', port) };
}

function portOf(flag: string, word: string): number {
  const port = /^\d{1,5}$/.test(word) ? Number(word) : Number.NaN;
  if (port <= 65_535) return port;
  throw new WrongCommandLine(`${flag} takes a port from 0 to 65535, not ${JSON.stringify(word)}`);
}

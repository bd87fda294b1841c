/** The process: words, signals, exit code. */
import { homedir } from 'node:os';
import { run } from './run.ts';

const leaving = new AbortController();
const { stdout, stderr, env } = process;

/** The first Ctrl-C ends the command cleanly, the second one at once. */
process.on('SIGINT', () => {
  if (leaving.signal.aborted) process.exit(130);
  leaving.abort();
});
process.on('SIGTERM', () => leaving.abort());
/** A reader such as `head` may end: then there is nothing more to print. A full disk is a failure. */
for (const stream of [stdout, stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
    if (stream === stdout) stderr.write(`slm: the output cannot be written: ${message}\n`);
    process.exit(1);
  });

process.exitCode = await run(
  process.argv.slice(2),
  {
    env,
    home: homedir(),
    columns: stdout.isTTY ? stdout.columns : undefined,
    now: () => Date.now(),
    write: (text) => void stdout.write(text),
    note: (line) => void stderr.write(`${line}\n`),
  },
  leaving.signal,
);

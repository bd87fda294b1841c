/** Downloads a file from the gateway: with progress, goes on after a break, and an incomplete file never has its final name. */
import { createWriteStream, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { type Download, GatewayProblem, type Query } from '../client/index.ts';
import { moveOver } from '../lib/system.ts';
import { type CommandCall, type Option, type Terminal, WrongWords } from './contract.ts';
import { printed, size } from './output.ts';

interface Target {
  readonly target: string;
  readonly force: boolean;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly mode?: number;
}

const SHOWN_EVERY_MS = 200;

export const FORCE: Option = { name: 'force', help: 'replace a file that is there' };

/** Downloads to `target`, and says how much it was. Throws WrongWords, GatewayProblem. */
export async function saveFile(call: CommandCall, target: string, path: string, query: Query = {}): Promise<undefined> {
  const { terminal, signal } = call;
  const open = (from: number, etag: string | undefined) => call.client().open(path, { query, from, etag, signal });
  const bytes = await download(open, { target, force: call.options.force === true, terminal, signal });
  return printed(call, { file: target, bytes }, () => `${target}: ${size(bytes)}`);
}

/** Resolves with the bytes of the whole file. */
export async function download(
  open: (from: number, etag: string | undefined) => Promise<Download>,
  { target, force, terminal, signal, mode }: Target,
): Promise<number> {
  if (existsSync(target) && !force) throw new WrongWords(`${target} exists already: add --force to replace it`);
  const part = `${target}.part`;
  // The ETag of the file is stored next to the bytes. It says later whether the file is still the same.
  const mark = `${part}.etag`;
  const begun = existsSync(part) && existsSync(mark) ? statSync(part).size : 0;
  const file = await open(begun, begun > 0 ? readFileSync(mark, 'utf8') : undefined).catch((error: unknown) => {
    if (!(error instanceof GatewayProblem && error.code === 'RANGE_NOT_SATISFIABLE')) throw error;
    // The download was complete, but the file was not renamed before the end.
    return open(0, undefined);
  });
  if (file.start > 0) terminal.note(`Going on at ${size(file.start)}.`);
  if (file.etag) writeFileSync(mark, file.etag);
  else rmSync(mark, { force: true });
  const progress = new Progress(terminal, file.size, file.start);
  const source = Readable.fromWeb(file.bytes as NodeReadableStream<Uint8Array>);
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      progress.add(chunk.length);
      yield chunk;
    }
  };
  try {
    await pipeline(source, counted, createWriteStream(part, { flags: file.start > 0 ? 'a' : 'w', mode }), { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`the download broke off at ${size(progress.done)}: repeat the command to go on from there`, {
      cause: error,
    });
  } finally {
    progress.end();
  }
  if (file.size !== undefined && progress.done !== file.size)
    throw new Error(
      `the download ended at ${progress.done} of ${file.size} bytes: repeat the command to go on from there`,
    );
  await moveOver(part, target);
  rmSync(mark, { force: true });
  return progress.done;
}

/** One line that moves, only on a screen. */
class Progress {
  done: number;
  readonly #terminal: Terminal;
  readonly #total: number | undefined;
  readonly #start: number;
  readonly #began: number;
  #shownAt = 0;

  constructor(terminal: Terminal, total: number | undefined, start: number) {
    this.#terminal = terminal;
    this.#total = total;
    this.#start = start;
    this.done = start;
    this.#began = terminal.now();
  }

  add(bytes: number): void {
    this.done += bytes;
    const now = this.#terminal.now();
    if (this.#terminal.columns === undefined || now - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = now;
    this.#terminal.write(`\r\x1b[K${this.#line(now)}`.slice(0, this.#terminal.columns + 3));
  }

  end(): void {
    if (this.#terminal.columns !== undefined) this.#terminal.write('\r\x1b[K');
  }

  #line(now: number): string {
    const rate = (this.done - this.#start) / Math.max(0.001, (now - this.#began) / 1_000);
    const total = this.#total;
    if (total === undefined) return `${size(this.done)}  ${size(Math.round(rate))}/s`;
    const left = rate > 0 ? Math.ceil((total - this.done) / rate) : 0;
    const percent = Math.floor((this.done / Math.max(1, total)) * 100);
    return `${percent} %  ${size(this.done)} of ${size(total)}  ${size(Math.round(rate))}/s  ${left} s left`;
  }
}

/** Answers that are no JSON. A file is streamed, whole or visibly broken; its name comes from a device and is not trusted. */
import { pipeline, Transform } from 'node:stream';
import { messageOf } from '../errors.ts';
import type { Context } from './context.ts';
import type { FileAnswer, TextAnswer } from './contract.ts';

const LONGEST_NAME = 200;

export const isFileAnswer = (answer: object): answer is FileAnswer => 'file' in answer;

export const isTextAnswer = (answer: object): answer is TextAnswer => 'text' in answer;

export function sendText(context: Context, { text, contentType }: TextAnswer): void {
  context.set('Content-Type', contentType);
  context.body = text;
}

export function sendFile(context: Context, { file }: FileAnswer): void {
  const name = harmless(file.name);
  context.attachment(name, { fallback: ascii(name) });
  context.type = 'application/octet-stream';
  const { log } = context.state;
  const body = counted(file.size);
  pipeline(file.stream, body, (error) => {
    if (error) log.warn({ file: name, reason: messageOf(error) }, 'file transfer broke');
  });
  context.body = body;
  if (file.size !== undefined) context.length = file.size;
}

/** Ends in an error when the stream is not as long as announced: a short file never has a proper end. */
function counted(size: number | undefined): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (size !== undefined && passed > size) done(new Error(`more than the ${size} bytes that were announced`));
      else done(null, chunk);
    },
    flush(done) {
      done(size !== undefined && passed < size ? new Error(`ended after ${passed} of ${size} bytes`) : null);
    },
  });
}

/** The last segment, without control and direction characters, not longer than a file system takes. */
function harmless(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');
  return [...plain].slice(0, LONGEST_NAME).join('') || 'file';
}

const ascii = (name: string): string => name.replaceAll(/[^\x20-\x7e]/gu, '_');

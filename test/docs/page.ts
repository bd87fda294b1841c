/** A page of the documentation: its blocks of code, with the language above each. */
import { readFileSync } from 'node:fs';

export interface Block {
  readonly language: string;
  readonly text: string;
}

export const pageText = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

export const blocksIn = (text: string): Block[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));

/**
 * Finds sentences that somebody who learned English at school has to read twice: `npm run words -- FILE...` lists them, or all
 * without a file. It reads Markdown, comments, titles of tests, and texts in quotes. A test keeps the number down.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Words in a sentence of the docs, the log and of errors; and of a comment or a title. */
const MOST_WORDS = { text: 25, comment: 20 };

/** A clause as the subject hides what the sentence is about; the other words have a plainer one. */
const RULES: readonly (readonly [string, RegExp])[] = [
  [
    'a sentence begins with a clause',
    /(?:^|[.:;!?]\s+)(?:(?:Who|What|Whose|Whoever|Whatever)\s+(?!(?:is|are|was|were|does|do|did|can|will|has|happens)\b[^.]*\?)[a-z]|(?:One|Those) (?:that|of which|of)\b|That which|Of (?:which|these|those|both)\b)/,
  ],
  ['"is told", "tells of"', /\b(?:is|are|was|were|be|been) told\b|\btells? of\b|\btold of\b/],
  ['"by way of", "of which", "anew"', /\bby way of\b|\bof which\b|\banew\b|\bas if for\b|\bbe it\b|\bcomes? away\b/],
  ['"in order" for regularly', /\b(?:stop|stops|stopped|ends?|ended) in order\b|\bin good order\b/],
  [
    '"nothing ... any more", "there is none"',
    /\b(?:nothing|nobody|none)\b[^.]{0,40}\bany more\b|\bthere (?:is|are) none\b/,
  ],
  ['a noun is missing', /\b(?:the one (?:that|which|with|of|before)|the other one|that one|by one that|of one that)\b/],
  ['"who is no", "what has none"', /\b(?:what|who) (?:is|has|was) (?:no|none|nothing)\b/],
  [
    '"stands" for is',
    /\b(?:it|they|this|that|there) stands?\b|\bstands? (?:in|at|below|above|beside|before|for itself)\b/,
  ],
];
const HEADING = /^#+ (?:How|What|Who|Whose|When|Where|Why|Which|If)\b(?!.*\?$)/;
const PLACES = /`[^`]*`|https?:\/\/\S+|\[[^\]]*\]\([^)]*\)/g;
const QUOTED = /'((?:[^'\\]|\\.){25,})'|"((?:[^"\\]|\\.){25,})"|`((?:[^`\\]|\\.){25,})`/g;
const TITLE = /\b(?:t\.test|test)\(\s*(['"`])(.+?)\1/;

/** A text for people, and how long its sentences may be. */
interface Piece {
  readonly line: number;
  readonly text: string;
  readonly most: number;
}

/** A sentence to look at. */
export interface Doubt {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly text: string;
}

function markdownPieces(lines: readonly string[]): Piece[] {
  let isCode = false;
  return lines.flatMap((text, at) => {
    if (text.trimStart().startsWith('```')) isCode = !isCode;
    return isCode ? [] : { line: at + 1, text, most: MOST_WORDS.text };
  });
}

function quotedTexts(line: string): string[] {
  if (line.trimStart().startsWith('import')) return [];
  const texts = [...line.matchAll(QUOTED)].map(([, one, two, three]) => one ?? two ?? three ?? '');
  return texts.filter((text) => text.split(' ').length > 5 && !/[<>{}=;]\s*[a-z]+[(:]/.test(text));
}

function codePieces(lines: readonly string[]): Piece[] {
  let isComment = false;
  return lines.flatMap((raw, at) => {
    const text = raw.trim();
    const piece = (of: string, most: number) => ({ line: at + 1, text: of, most });
    if (isComment || text.startsWith('/*')) {
      isComment = !text.includes('*/');
      return piece(text.replaceAll(/^[/* ]+|[/* ]+$/g, ''), MOST_WORDS.comment);
    }
    const comment = /(?:^|\s)\/\/\s?(.*)$/.exec(raw)?.[1];
    if (comment !== undefined && !raw.includes('://')) return piece(comment, MOST_WORDS.comment);
    const title = TITLE.exec(raw)?.[2];
    if (title !== undefined) return piece(title, MOST_WORDS.comment);
    return quotedTexts(raw).map((quoted) => piece(quoted, MOST_WORDS.text));
  });
}

const isTooLong = (text: string, most: number) =>
  text.split(/(?<=[.!?;:])\s+|\s\|\s/).some((sentence) => sentence.split(/\s+/).length > most);

/** Doubtful sentences in the text of one file. */
export function doubtsIn(path: string, source: string): Doubt[] {
  const lines = source.split('\n');
  const pieces = path.endsWith('.md') ? markdownPieces(lines) : codePieces(lines);
  return pieces.flatMap(({ line, text, most }) => {
    const plain = text.replaceAll(PLACES, 'x');
    const rules = RULES.filter(([, pattern]) => pattern.test(plain)).map(([rule]) => rule);
    if (isTooLong(plain, most)) rules.push(`more than ${most} words`);
    if (path.endsWith('.md') && HEADING.test(text)) rules.push('a heading is a clause');
    return rules.map((rule) => ({ path, line, rule, text: text.trim() }));
  });
}

const READ = [
  'lib',
  'plugins',
  'simulator',
  'cli',
  'web',
  'client',
  'docs',
  'test',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

/** Doubtful sentences in the files that git tracks; `paths`: files or folders. */
export function doubts(paths: readonly string[] = READ): Doubt[] {
  const tracked = execFileSync('git', ['ls-files', ...paths], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const read = tracked.filter((path) => /\.(md|ts|tsx|cjs|css)$/.test(path) && path !== 'client/schemas.ts');
  return read.flatMap((path) => doubtsIn(path, readFileSync(`${ROOT}${path}`, 'utf8')));
}

if (import.meta.main) {
  const found = doubts(process.argv.length > 2 ? process.argv.slice(2) : READ);
  for (const { path, line, rule, text } of found) console.log(`${path}:${line}: ${rule}: ${text.slice(0, 150)}`);
  console.log(`${found.length} sentences to look at`);
}

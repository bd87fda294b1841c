/**
 * The texts for people, read from the sources: texts that go through `say`. In the dashboard also texts that people seem to
 * read without `say`.
 */
import { type AnyNode, type CallExpression, parse } from 'acorn';
import { transformSync } from 'esbuild';
import { type SourceFile, sourceFiles } from './source.ts';

/** A text and its file. */
export interface Said {
  readonly text: string;
  readonly path: string;
}
/** The texts of one file. */
export interface Speech {
  readonly said: readonly Said[];
  /** Not through `say`. */
  readonly bare: readonly Said[];
  /** Calls that the page makes before it has its words, or whose text is put together. */
  readonly wrong: readonly Said[];
}

/** Pages and programs of their own, without words of other languages. */
const APART = /^web\/(docs|verify|worker|words)\//;
/** Every file of the dashboard. */
export const pageFiles = (): SourceFile[] => sourceFiles('web').filter(({ path }) => !APART.test(path));

/** Properties whose texts nobody reads. */
const UNREAD =
  /^(class|className|href|to|id|for|type|rel|role|key|look|view|d|viewBox|transform|points|style|target|method|autoComplete|preserveAspectRatio|headers|stroke|fill|font|xmlns|pattern|credentials|cache)$/;
/** Calls whose texts nobody reads. */
const UNREAD_CALLS =
  /^(querySelector(All)?|closest|matches|matchMedia|addEventListener|removeEventListener|setAttribute|removeAttribute|dispatchEvent|Event|CustomEvent|RegExp|URL|getContext|getPropertyValue|createElement|call|fetch|blob|split|join|startsWith|endsWith|includes|replaceAll|replace)$/;
/** Two words, or one that begins with a capital letter. */
const PROSE = /\p{L}[,.:]? +\p{L}|^\p{Lu}\p{Ll}+/u;
/** Of elements also single words, unless they are units. */
const WORD = /\p{L}{2,}/u;
const UNIT = /^[^\p{L}]*(dB|Hz|kHz|ms|min|kB|MB|UTC)?[^\p{L}]*$/u;

const isSay = ({ callee }: CallExpression): boolean =>
  callee.type === 'Identifier' && (callee.name === 'say' || callee.name === 'sayWith');
const nameOf = (node: AnyNode): string =>
  node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? nameOf(node.property as AnyNode) : '';
/** The texts that a node may be; undefined: something else. */
function textsOf(node: AnyNode | undefined): readonly string[] | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return [node.value];
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return [node.quasis[0]?.value.cooked ?? ''];
  if (node?.type !== 'ConditionalExpression') return undefined;
  const [one, other] = [textsOf(node.consequent), textsOf(node.alternate)];
  return one && other && [...one, ...other];
}

/** Where the walk is: in a function that runs later, in a property, among what an element shows. */
interface Place {
  readonly isLater: boolean;
  readonly isShown: boolean;
}

/** Reads one file. */
export function speechIn(path: string, source: string): Speech {
  const { code } = transformSync(source, { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact' });
  const [said, bare, wrong]: [Said[], Said[], Said[]] = [[], [], []];
  const hear = (call: CallExpression, { isLater }: Place) => {
    const texts = textsOf(call.arguments[0] as AnyNode);
    for (const text of texts ?? []) (isLater ? said : wrong).push({ text, path });
    if (!texts) wrong.push({ text: code.slice(call.start, call.end), path });
  };
  const see = (text: string, { isShown }: Place) => {
    if (PROSE.test(text) || (isShown && WORD.test(text) && !UNIT.test(text))) bare.push({ text, path });
  };
  /** The parts of a node that are to be looked at, each with its place. */
  const below = (node: AnyNode, place: Place): readonly (readonly [AnyNode, Place])[] => {
    if (node.type === 'Literal' && typeof node.value === 'string') see(node.value, place);
    if (node.type === 'TemplateElement') see(node.value.cooked ?? '', place);
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return [];
    if (node.type === 'BinaryExpression' && /^([!=]==|in)$/.test(node.operator)) return [];
    if (node.type === 'CallExpression' && isSay(node)) {
      hear(node, place);
      return node.arguments.slice(1).map((each) => [each, place]);
    }
    if (node.type === 'Property') {
      const name = node.key.type === 'Literal' ? String(node.key.value) : nameOf(node.key);
      return UNREAD.test(name) ? [] : [[node.value, { ...place, isShown: name === 'children' }]];
    }
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const name = nameOf(node.callee as AnyNode);
      const given = UNREAD_CALLS.test(name) ? node.arguments.filter((each) => !textsOf(each)) : node.arguments;
      return [node.callee as AnyNode, ...given].map((each) => [each, { ...place, isShown: false }]);
    }
    const isFunction = /Function(Expression|Declaration)$/.test(node.type);
    const children = Object.values(node)
      .flat()
      .filter((each): each is AnyNode => typeof each?.type === 'string');
    return children.map((each) => [each, isFunction ? { isLater: true, isShown: false } : place]);
  };
  const walk = (node: AnyNode, place: Place): void => {
    for (const [each, there] of below(node, place)) walk(each, there);
  };
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), { isLater: false, isShown: false });
  return { said, bare, wrong };
}

/** Calls of plugins that name texts, and which of their arguments does. */
const NAMING: Readonly<Record<string, number>> = { say: 0, texts: 0, wordsFor: 1 };

/** Texts of a file of a plugin: in `say('...')`, in `texts({ ... })`, and in `wordsFor(language, '...')`. */
export function pluginTexts(path: string, source: string): readonly Said[] {
  const { code } = transformSync(source, { loader: 'ts' });
  const said: Said[] = [];
  const walk = (node: AnyNode, isText: boolean): void => {
    if (isText && node.type === 'Literal' && typeof node.value === 'string' && node.value !== '')
      said.push({ text: node.value, path });
    const named = node.type === 'CallExpression' ? NAMING[nameOf(node.callee as AnyNode)] : undefined;
    for (const [key, value] of Object.entries(node))
      for (const [index, each] of [value].flat().entries()) {
        const isNamed = key === 'arguments' && index === named;
        // In a condition, the texts are its two outcomes.
        const isCompared =
          node.type === 'BinaryExpression' || (node.type === 'ConditionalExpression' && key === 'test');
        if (typeof each?.type === 'string') walk(each, (isText && !isCompared && key !== 'callee') || isNamed);
      }
  };
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), false);
  return said;
}

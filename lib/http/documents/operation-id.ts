/** What programs call an operation: `getLive`, `setClock`, `createAlertRule`, `ackAlertEvent`. */
import type { Route, SocketRoute } from '../contract.ts';

const VERBS = { GET: 'get', PUT: 'set', DELETE: 'delete' } as const;

/**
 * From the words of the path. A POST is named by its last word, which says what is done, or creates where the route answers
 * 201; a word that others follow, or a parameter, is in the singular. A route may have a name of its own.
 */
export function operationId({ operation, method, path, statuses }: Omit<Route, 'handle'>): string {
  if (operation !== undefined) return operation;
  const words = wordsOf(path);
  if (method !== 'POST') return VERBS[method] + words.join('');
  if (statuses?.includes(201)) return `create${[...words.slice(0, -1), singular(words.at(-1) ?? '')].join('')}`;
  return small(words.at(-1) ?? '') + words.slice(0, -1).map(singular).join('');
}

/** `watchLive` for `/{unit_id}/live`. */
export const socketOperationId = ({ operation, path }: Pick<SocketRoute, 'operation' | 'path'>): string =>
  operation ?? `watch${wordsOf(path).join('')}`;

/** `/_alerts/rules/{id}` is Alert, Rule; `/{unit_id}/index-number` is IndexNumber. */
function wordsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '{unit_id}');
  return segments.flatMap((segment, index) => {
    if (segment.startsWith('{')) return [];
    const word = segment.split(/[-_.]/).map(capital).join('');
    return [index < segments.length - 1 ? singular(word) : word];
  });
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
const small = (word: string): string => word.slice(0, 1).toLowerCase() + word.slice(1);
/** Of the words of paths: not of `status` and the like. */
const singular = (word: string): string => word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');

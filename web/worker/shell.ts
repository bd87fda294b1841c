/** The files of one build of the dashboard, kept together: a page never meets the scripts of another build. */
import { languageFor } from '../words/languages.ts';

declare const self: ServiceWorkerGlobalScope;

/** Written by the build: the hash of all its files, and their names; those with a hash in their name never change. */
declare const SHELL: {
  readonly version: string;
  readonly hashed: readonly string[];
  readonly others: readonly string[];
  /** The tables of words, by language: only those in use are kept. */
  readonly words: Readonly<Record<string, readonly string[]>>;
};

const PREFIX = 'shell-';
const CACHE = `${PREFIX}${SHELL.version}`;
const PAGE = './';

/**
 * Fetches the files of this build past the cache of the browser, and only the words of its languages. Rejects when a file is
 * missing: then this worker is not used.
 */
export async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  const fresh = (path: string) => new Request(new URL(path, self.registration.scope), { cache: 'reload' });
  const words = SHELL.words[languageFor(null, navigator.languages)] ?? [];
  await cache.addAll([PAGE, ...SHELL.hashed, ...SHELL.others, ...words].map(fresh));
}

export async function discardOthers(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** A file of this build, by its path from the root; undefined: it is none of those that are kept. Other files than hashed ones come from the network where there is one. */
export function keptFile(path: string): Promise<Response | undefined> | undefined {
  if (SHELL.hashed.includes(path)) return kept(path);
  if (Object.values(SHELL.words).flat().includes(path)) return keptOnceUsed(path);
  if (!SHELL.others.includes(path)) return undefined;
  return fetch(new URL(path, self.registration.scope)).catch(() => kept(path));
}

/** The words of a language that a person chose. */
async function keptOnceUsed(path: string): Promise<Response> {
  const known = await kept(path);
  if (known) return known;
  const address = new URL(path, self.registration.scope);
  const response = await fetch(address);
  if (response.ok) await (await caches.open(CACHE)).put(address, response.clone());
  return response;
}

/** The page of this build, marked as kept; it knows its root at every address. */
export async function keptPage(): Promise<Response | undefined> {
  const page = await kept(PAGE);
  if (!page) return undefined;
  const text = await page.text();
  const { pathname } = new URL(self.registration.scope);
  const marked = text.replace('<html ', '<html data-kept ').replace(/<base href="[^"]*">/, `<base href="${pathname}">`);
  const headers = new Headers(page.headers);
  for (const name of ['content-encoding', 'content-length', 'etag']) headers.delete(name);
  return new Response(marked, { headers });
}

async function kept(path: string): Promise<Response | undefined> {
  const cache = await caches.open(CACHE);
  return cache.match(new URL(path, self.registration.scope), { ignoreVary: true });
}

/** Who uses this page: the key, kept as long as a tab is open, and what it may do. */
import { computed, signal } from '@preact/signals';
import { type About, Client, GatewayProblem, type Role, suffices } from '../../client/index.ts';
import { ROOT } from './address.ts';
import { forgetKey, keepKey, keptKey, keyOfOthers, shareKey, tellSignedOut } from './shared-key.ts';

const apiBase = document.querySelector('meta[name="api-base"]')?.getAttribute('content') ?? '';
/** Where the API is; the page names it. */
export const BASE_URL = new URL(apiBase, ROOT);

/** The gateway and the caller; undefined before a key is accepted. */
export const about = signal<About | undefined>(undefined);
/** `wanted`: a key is needed; `why` says why the last key was refused. */
export const login = signal<{ readonly state: 'trying' | 'in' } | { readonly state: 'wanted'; readonly why: string }>({
  state: 'trying',
});
/** The typed client, with the key of this tab. */
export const client = signal(clientWith(keptKey()));
/** Whether this tab has a key. */
export const hasKey = signal(keptKey() !== undefined);

const reaches = (role: Role) => computed(() => suffices(about.value?.caller.role ?? 'viewer', role));
/** Whether the caller may control meters. */
export const mayOperate = reaches('operator');
/** Whether the caller may change configs, rules and keys. */
export const mayAdminister = reaches('admin');

function clientWith(key: string | undefined): Client {
  return new Client({ baseUrl: BASE_URL, key });
}

/** Asks the gateway who this is. Tries again while there is no gateway. */
export async function enter(given?: string): Promise<void> {
  const key = given ?? keptKey();
  login.value = { state: 'trying' };
  try {
    const fresh = clientWith(key);
    about.value = await fresh.about();
    if (key !== undefined) keepKey(key);
    hasKey.value = key !== undefined;
    client.value = fresh;
    login.value = { state: 'in' };
  } catch (error) {
    const isRefused = error instanceof GatewayProblem && (error.status === 401 || error.status === 403);
    const other = isRefused && key === undefined ? await keyOfOthers() : undefined;
    if (other !== undefined) await enter(other);
    else if (isRefused) askForKey(key === undefined ? '' : error.message);
    else setTimeout(() => void enter(key), 3_000);
  }
}

/** Forgets the key, in the other tabs too. */
export function signOut(): void {
  tellSignedOut();
  askForKey('');
}

/** Forgets the key of this tab and shows the form for another one; `why` says what was wrong with it. */
export function askForKey(why: string): void {
  forgetKey();
  about.value = undefined;
  login.value = { state: 'wanted', why };
}
shareKey(() => askForKey(''));

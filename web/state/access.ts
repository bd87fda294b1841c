/**
 * The user of this page and their rights. A key is kept as long as a tab is open; for a session the browser keeps a cookie.
 * The key is shared between the open tabs: each tab keeps it for itself, and a new tab asks the others.
 */
import { computed, signal } from '@preact/signals';
import { type About, Client, GatewayProblem, type Role, type schemas, suffices } from '../../client/index.ts';
import { say } from '../words/say.ts';
import { BASE_URL } from './address.ts';
import { forgetValues, isKeptPage, keptValues, replaceKeptPage } from './kept.ts';

const KEY = 'gateway key';
/** Another tab answers within some milliseconds. */
const WAIT_MS = 200;

type Message = { readonly kind: 'asks' | 'signed in' | 'signed out' } | { readonly kind: 'has'; readonly key: string };

const channel = new BroadcastChannel(KEY);
const tell = (message: Message) => channel.postMessage(message);

const keptKey = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined;
const forgetKey = (): void => sessionStorage.removeItem(KEY);

function keyOfOthers(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (key?: string) => {
      clearTimeout(timer);
      channel.removeEventListener('message', hear);
      resolve(key);
    };
    const hear = ({ data }: MessageEvent<Message>) => data.kind === 'has' && end(data.key);
    const timer = setTimeout(end, WAIT_MS);
    channel.addEventListener('message', hear);
    tell({ kind: 'asks' });
  });
}

/** Answers other tabs, and calls when somebody signs in or out in one of them. */
function shareKey({ signedIn, signedOut }: { signedIn(): void; signedOut(): void }): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const key = keptKey();
    if (data.kind === 'asks' && key !== undefined) tell({ kind: 'has', key });
    if (data.kind === 'signed in') signedIn();
    if (data.kind === 'signed out') signedOut();
  });
}

/** The gateway and the caller; undefined before a key is accepted. */
export const about = signal<About | undefined>(undefined);
/** Somebody has to sign in. `why`: what was wrong with the last key, or that the session has ended; `byKey`: it was by a key. */
interface Wanted {
  readonly state: 'wanted';
  readonly why: string;
  readonly byKey: boolean;
}

export const login = signal<{ readonly state: 'trying' | 'in' } | Wanted>({ state: 'trying' });
/** The typed client, with the key of this tab. */
export const client = signal(clientWith(keptKey()));
export const hasKey = signal(keptKey() !== undefined);
/** Whether there is something to sign out of: a key, or a session. */
export const isSignedIn = signal(hasKey.peek());

const reaches = (role: Role) => computed(() => suffices(about.value?.caller.role ?? 'viewer', role));
export const mayOperate = reaches('operator');
export const mayAdminister = reaches('admin');
/** Whether the caller may change what is for all units, such as stations and templates: not with a key of some units. */
export const mayAdministerAll = computed(() => mayAdminister.value && about.value?.caller.units == null);

function clientWith(key: string | undefined): Client {
  return new Client({ baseUrl: BASE_URL, key });
}

/** Whether this is the caller of a gateway without keys: everybody may do everything there. */
export const isOpen = ({ name, role, units }: About['caller']): boolean =>
  name === 'anybody' && role === 'admin' && units === null;

export async function enter(given?: string): Promise<void> {
  const key = given ?? keptKey();
  if (!isKeptPage() || login.value.state !== 'in') login.value = { state: 'trying' };
  try {
    const fresh = clientWith(key);
    about.value = await fresh.about();
    isSignedIn.value = key !== undefined || about.value.caller.session;
    if (key !== undefined) sessionStorage.setItem(KEY, key);
    hasKey.value = key !== undefined;
    client.value = fresh;
    login.value = { state: 'in' };
    void replaceKeptPage();
    // By the page of an issuer, or in the form: the cookie is for the other tabs, too, and they wait for it.
    if (isSignedIn.peek() && key === undefined) tell({ kind: 'signed in' });
  } catch (error) {
    const isRefused = error instanceof GatewayProblem && (error.status === 401 || error.status === 403);
    const other = isRefused && key === undefined ? await keyOfOthers() : undefined;
    if (other !== undefined) await enter(other);
    else if (isRefused) askForKey(key === undefined ? '' : error.message, key !== undefined);
    else {
      if (isKeptPage()) enterWithKept();
      setTimeout(() => void enter(key), 3_000);
    }
  }
}

/** Without a gateway: who it was before, so that the last values are shown. */
function enterWithKept(): void {
  const kept = keptValues();
  if (!kept) return;
  about.value = kept.about;
  login.value = { state: 'in' };
}

/** Signs in by name and password; what is wrong with them is for the caller. */
export async function enterAs(name: string, password: string): Promise<void> {
  await clientWith(undefined).signIn({ name, password });
  forgetKey();
  await enter();
}

/** Uses an invitation, or the code for the first admin; what is wrong is for the caller. */
export async function enterInvited(body: schemas.AcceptInvitationBody): Promise<void> {
  await clientWith(undefined).acceptInvitation(body);
  forgetKey();
  await enter();
}

/** Ends the session and forgets the key, in the other tabs too. */
export async function signOut(): Promise<void> {
  // A session that has ended by itself needs no end.
  const answer = hasKey.value ? undefined : await client.value.signOut().catch(() => undefined);
  tell({ kind: 'signed out' });
  askForKey('');
  // The issuer would let the next person in without a question.
  if (answer?.issuer_sign_out) location.assign(answer.issuer_sign_out);
}

/** Forgets the key of this tab and shows the form to sign in; `why` says what was wrong with it. */
export function askForKey(why: string, byKey = hasKey.value && why !== ''): void {
  const hasEnded = isSignedIn.value && !byKey && why !== '';
  forgetKey();
  forgetValues();
  hasKey.value = false;
  about.value = undefined;
  isSignedIn.value = false;
  login.value = { state: 'wanted', why: hasEnded ? say('The session has ended: sign in again.') : why, byKey };
}
shareKey({
  signedOut: () => isSignedIn.value && askForKey(''),
  signedIn: () => login.value.state === 'wanted' && void enter(),
});

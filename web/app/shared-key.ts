/**
 * The API key, shared between the open tabs of this browser and forgotten when the last of them is closed: each tab keeps it for itself, and
 * a new one asks the others.
 */
const KEY = 'gateway key';
/** Another tab answers within some milliseconds. */
const WAIT_MS = 200;

type Message = { readonly kind: 'asks' | 'signed in' | 'signed out' } | { readonly kind: 'has'; readonly key: string };

const channel = new BroadcastChannel(KEY);
const tell = (message: Message) => channel.postMessage(message);

/** The key of this tab. */
export const keptKey = (): string | undefined => sessionStorage.getItem(KEY) ?? undefined;
/** Keeps a key in this tab. */
export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key);

/** Forgets the key of this tab. */
export const forgetKey = (): void => sessionStorage.removeItem(KEY);
/** Tells the other tabs that somebody signed out. */
export const tellSignedOut = (): void => tell({ kind: 'signed out' });

/** Undefined: no tab has one. */
export function keyOfOthers(): Promise<string | undefined> {
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

/** Tells the other tabs that somebody signed in by name and password: the cookie is for them, too. */
export const tellSignedIn = (): void => tell({ kind: 'signed in' });

/** Answers other tabs, and calls when somebody signs in or out in one of them. */
export function shareKey({ signedIn, signedOut }: { signedIn(): void; signedOut(): void }): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const key = keptKey();
    if (data.kind === 'asks' && key !== undefined) tell({ kind: 'has', key });
    if (data.kind === 'signed in') signedIn();
    if (data.kind === 'signed out') signedOut();
  });
}

/**
 * For the time without a gateway this browser keeps the page, by its service worker, and the last values. The last values are
 * kept only for people with a session, until they sign out: a person with an API key leaves nothing behind.
 */
import type { About, Unit } from '../../client/index.ts';
import { BASE_URL, ROOT } from './address.ts';

const NAME = 'last values';
/** Older values are of no use, and are not shown. ms */
const LONGEST_MS = 7 * 86_400_000;

interface KeptValues {
  /** When the gateway last answered, ms of this machine. */
  readonly at: number;
  readonly about: About;
  readonly units: readonly Unit[];
}

/** Whether the service worker has shown this page in place of a gateway that does not answer. */
export const isKeptPage = (): boolean => document.documentElement.dataset.kept !== undefined;

export function keepValues(values: KeptValues): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(values));
  } catch {
    forgetValues();
  }
}

/** At the end of a sign-in. */
export const forgetValues = (): void => localStorage.removeItem(NAME);

export function keptValues(): KeptValues | undefined {
  const text = localStorage.getItem(NAME);
  if (text === null) return undefined;
  const values: KeptValues = JSON.parse(text);
  return Date.now() - values.at <= LONGEST_MS ? values : undefined;
}

/** The gateway answers again, and may be a newer one than a kept page: the present page takes its place. */
export async function replaceKeptPage(): Promise<void> {
  if (!isKeptPage()) return;
  const { ok } = await fetch(ROOT, { cache: 'no-store' }).catch(() => ({ ok: false }));
  if (ok) location.reload();
}

/** It fetches all files: the page comes first. ms */
const LATER_MS = 5_000;

/** Browsers have it for https and for this computer alone. */
export const hasWorker = (): boolean => 'serviceWorker' in navigator;

/** Registers it some seconds later. Without it the page works as before. */
export function registerLater(): void {
  if (hasWorker()) setTimeout(() => void register().catch(() => {}), LATER_MS);
}

/** The registration of this page; makes a missing one. Rejects with the reason of the browser. */
export function register(): Promise<ServiceWorkerRegistration> {
  const worker = new URL('sw.js', ROOT);
  worker.searchParams.set('api', BASE_URL.pathname.slice(ROOT.pathname.length));
  return navigator.serviceWorker.register(worker, { updateViaCache: 'none' });
}

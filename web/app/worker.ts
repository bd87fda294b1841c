/** The service worker of this page, registered when the page is done. */
import { BASE_URL, ROOT } from './address.ts';

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

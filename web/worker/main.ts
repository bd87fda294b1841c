/**
 * The service worker of the dashboard (`sw.js`): the page without a gateway, and notifications. A page comes from the network wherever there is
 * one: a kept page is shown only where no gateway answers, and says so (`data-kept`). It keeps no answer of the API.
 */
import { PAGES } from '../pages.ts';
import { renew, showPush, useNotification } from './notifications.ts';
import { discardOthers, keepShell, keptFile, keptPage } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

/** The addresses of the dashboard, as `web/state/address.ts` reads them, from its root. */
const PAGE = new RegExp(`^(index\\.html|(${PAGES.map(({ address }) => address).join('|')})/?|m/.+)?$`);
/** Answers of a proxy while the gateway behind it is gone. */
const NO_GATEWAY: readonly number[] = [502, 503, 504];
/**
 * The browser has to ask by itself. 401, 407: a proxy asks the person for a password. 403: a link on another site was
 * followed, as after a sign-in there; the gateway sees that only in a request of the browser itself.
 */
const OF_BROWSER: readonly number[] = [401, 403, 407];
const passed = new Set<string>();

self.addEventListener('install', (event) => {
  // The old worker would go on with old files until the last tab is closed.
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => {
  event.waitUntil(discardOthers().then(() => self.clients.claim()));
});
self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)));
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));
self.addEventListener('notificationclick', (event) => event.waitUntil(useNotification(event)));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const scope = self.registration.scope;
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return;
  const path = new URL(request.url).pathname.slice(new URL(scope).pathname.length);
  if (request.mode === 'navigate') {
    if (PAGE.test(path) && !passed.delete(request.url)) event.respondWith(pageOf(request));
    return;
  }
  const kept = keptFile(path);
  if (kept) event.respondWith(kept.then((response) => response ?? fetch(request)));
});

async function pageOf(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (OF_BROWSER.includes(response.status)) {
      // An answer from here would be shown as it is. After a redirect the browser asks again.
      passed.add(request.url);
      return Response.redirect(request.url);
    }
    if (!NO_GATEWAY.includes(response.status)) return response;
    return (await keptPage()) ?? response;
  } catch (error) {
    const kept = await keptPage();
    if (kept) return kept;
    throw error;
  }
}

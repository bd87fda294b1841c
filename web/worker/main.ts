/**
 * The service worker of the dashboard (`sw.js`): the page without a gateway, and notifications. A page comes from the network wherever there is
 * one: a kept page is shown only where no gateway answers, and says so (`data-kept`). It keeps no answer of the API.
 */
import { OWN_PAGES } from '../app/page-names.ts';
import { showPush, useNotification } from './notifications.ts';
import { renew } from './renewal.ts';
import { discardOthers, keepShell, keptFile, keptPage } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

/** The addresses of the dashboard, as `web/app/address.ts` reads them, from its root. */
const PAGE = new RegExp(`^(index\\.html|(${OWN_PAGES.join('|')})/?|m/.+)?$`);
/** What a proxy answers while the gateway behind it is gone. */
const NO_GATEWAY: readonly number[] = [502, 503, 504];

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
    if (PAGE.test(path)) event.respondWith(pageOf(request));
    return;
  }
  const kept = keptFile(path);
  if (kept) event.respondWith(kept.then((response) => response ?? fetch(request)));
});

async function pageOf(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (!NO_GATEWAY.includes(response.status)) return response;
    return (await keptPage()) ?? response;
  } catch (error) {
    const kept = await keptPage();
    if (kept) return kept;
    throw error;
  }
}

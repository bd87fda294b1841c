/**
 * Alerts as notifications: shown, opened, and what their buttons do. A browser may renew or end its subscription by itself: the
 * gateway or the person is informed, so that alerts do not end in silence.
 */

declare const self: ServiceWorkerGlobalScope;

interface PushText {
  readonly version: 1;
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly open: string;
  readonly actions: readonly { readonly title: string; readonly body: unknown }[];
}
type Remembered = Pick<PushText, 'title' | 'tag' | 'open' | 'actions'>;

/** Browsers know more of notifications than the types of the language. */
interface Options extends NotificationOptions {
  readonly actions: readonly { readonly action: string; readonly title: string }[];
  readonly renotify: boolean;
}

const ALERTS = 'alerts';
const UNKNOWN: PushText = {
  version: 1,
  title: 'An alert',
  body: 'Open the dashboard to see it.',
  tag: 'unknown',
  open: ALERTS,
  actions: [],
};

/** Browsers want every message shown: one that cannot be read, too. */
export async function showPush(data: PushMessageData | null): Promise<void> {
  const { title, body, tag, open, actions } = textOf(data);
  await show(title, body, { title, tag, open, actions });
}

/** Says something of its own, which opens a page of the dashboard. */
function tell(title: string, body: string, about: Pick<Remembered, 'tag' | 'open'>): Promise<void> {
  return show(title, body, { title, ...about, actions: [] });
}

/** A tap opens the event; a button does what it says, and the outcome takes the place of the notification. */
export async function useNotification({ notification, action }: NotificationEvent): Promise<void> {
  const { title, tag, open, actions }: Remembered = notification.data;
  notification.close();
  const button = action === '' ? undefined : actions[Number(action)];
  if (button === undefined) return openPage(open);
  const said = await send(button.body);
  await show(title, said, { title, tag, open, actions: [] });
}

function show(title: string, body: string, data: Remembered): Promise<void> {
  const place = (path: string) => new URL(path, self.registration.scope).href;
  const options: Options = {
    body,
    tag: data.tag,
    data,
    renotify: true,
    icon: place('icon-192.png'),
    badge: place('icon-192.png'),
    actions: data.actions.map((button, index) => ({ action: String(index), title: button.title })),
  };
  return self.registration.showNotification(title, options);
}

function textOf(data: PushMessageData | null): PushText {
  try {
    const text: PushText | undefined = data?.json();
    return text?.version === 1 ? text : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** To the API, with the session of this browser where there is one. Rejects where the gateway is not reached. */
function post(path: string, body: unknown): Promise<Response> {
  const api = new URL(location.href).searchParams.get('api') ?? '';
  return fetch(new URL(`${api}/${path}`, self.registration.scope), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function send(body: unknown): Promise<string> {
  try {
    const response = await post('_push/actions', body);
    const { message, detail }: { readonly message?: string; readonly detail?: string } = await response.json();
    return message ?? detail ?? `The gateway answered ${response.status}.`;
  } catch {
    return 'The gateway could not be reached: nothing was done. Open the alert and try again.';
  }
}

async function openPage(path: string): Promise<void> {
  const address = new URL(path, self.registration.scope).href;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const own = windows.find(({ url }) => url.startsWith(self.registration.scope));
  const shown = await own?.navigate(address).catch(() => null);
  if (shown) await shown.focus();
  else await self.clients.openWindow(address);
}

type Change = Pick<PushSubscriptionChangeEvent, 'oldSubscription' | 'newSubscription'>;

/** The session of this browser is the permission. Without one, or where the phone is not known any more, a person has to turn alerts on again. */
export async function renew(change: Change): Promise<void> {
  const isTold = await tellGateway(change).catch(() => false);
  if (isTold) return;
  const body = 'The browser has ended its subscription. Open the settings of the dashboard and turn them on again.';
  // Where the person has forbidden notifications, they know it.
  await tell('This telephone gets no alerts any more', body, { tag: 'renewal', open: 'settings/targets' }).catch(
    () => {},
  );
}

async function tellGateway({ oldSubscription, newSubscription }: Change): Promise<boolean> {
  if (!oldSubscription) return false;
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options));
  const { endpoint, keys } = subscription.toJSON();
  const response = await post('_push', { endpoint, keys, replaces: oldSubscription.endpoint });
  return response.ok;
}

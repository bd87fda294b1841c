/** Switches alerts on and off in this browser: its subscription at the push service, and the entry in the gateway. */

import { say } from '../words/say.ts';
import { client } from './access.ts';
import { hasWorker, register } from './worker.ts';

const NAME = 'phone';
/** Browsers may wait for their push service without an end. ms */
const SERVICE_MS = 20_000;
const noService = (): string =>
  say(
    'The push service of this browser does not answer. It needs a way to the internet; some networks and browsers block it.',
  );

/** The id under which the gateway knows this browser; null: it gets no alerts. */
export const thisPhone = (): string | null => localStorage.getItem(NAME);

/** Why this browser cannot get alerts, in a sentence; undefined: it can. */
export function whyNot(): string | undefined {
  if (!isSecureContext) return say('Browsers allow notifications only for pages that come by https.');
  if (hasWorker() && 'PushManager' in window && 'Notification' in window) return undefined;
  return say(
    'This browser takes no notifications here. On an iPhone, add the dashboard to the home screen first, and open it from there.',
  );
}

/** Answer of the gateway. Rejects with the reason of the browser, the push service or the gateway. */
export async function turnOn(name: string): Promise<string> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error(say('Notifications are not allowed for this page. The settings of the browser can allow them.'));
  const { public_key } = await client.value.pushKey();
  const { endpoint = '', keys = {} } = (await subscribed(public_key)).toJSON();
  const { p256dh = '', auth = '' } = keys;
  const { message, data } = await client.value.addPhone({ endpoint, keys: { p256dh, auth }, name });
  localStorage.setItem(NAME, data.id);
  return message;
}

/** For another phone, only the entry in the gateway is removed. */
export async function turnOff(id: string): Promise<string> {
  const { message } = await client.value.removePhone(id);
  if (id !== thisPhone()) return message;
  localStorage.removeItem(NAME);
  const registration = await register();
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  return message;
}

/** A subscription with the key of another gateway is of no use to this one. */
async function subscribed(key: string): Promise<PushSubscription> {
  await register();
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(noService())), SERVICE_MS);
  });
  return Promise.race([pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late]);
}

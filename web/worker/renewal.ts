/**
 * A browser may renew or end its subscription by itself. This informs the gateway, or the person, so that alerts do not end
 * in silence.
 */
import { post, tell } from './notifications.ts';

declare const self: ServiceWorkerGlobalScope;

type Change = Pick<PushSubscriptionChangeEvent, 'oldSubscription' | 'newSubscription'>;

/** The session of this browser is the permission. Without one, or where the phone is not known any more, a person has to turn alerts on again. */
export async function renew(change: Change): Promise<void> {
  const isTold = await tellGateway(change).catch(() => false);
  if (isTold) return;
  const body = 'The browser has ended its subscription. Open the settings of the dashboard and turn them on again.';
  // Where the person has forbidden notifications, they know it.
  await tell('This telephone gets no alerts any more', body, { tag: 'renewal', open: 'settings' }).catch(() => {});
}

async function tellGateway({ oldSubscription, newSubscription }: Change): Promise<boolean> {
  if (!oldSubscription) return false;
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options));
  const { endpoint, keys } = subscription.toJSON();
  const response = await post('_push', { endpoint, keys, replaces: oldSubscription.endpoint });
  return response.ok;
}

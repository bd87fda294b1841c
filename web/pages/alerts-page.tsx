/** Alerts are a page of its own as soon as the gateway has them. */
import { signal } from '@preact/signals';

export const hasAlerts = signal(false);

export function AlertsPage() {
  return null;
}

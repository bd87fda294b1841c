/**
 * The last values, kept in this browser for the time without a gateway. Only for people whose sign-in stays in the browser, too, and until they sign out:
 * who uses an API key leaves nothing behind.
 */
import type { About, Unit } from '../../client/index.ts';
import { ROOT } from './address.ts';

const NAME = 'last values';
/** Older values are of no use, and are not shown. ms */
const LONGEST_MS = 7 * 86_400_000;

/** The last values of all meters that the caller may see. */
export interface KeptValues {
  /** When the gateway last answered, ms of this machine. */
  readonly at: number;
  readonly about: About;
  readonly units: readonly Unit[];
}

/** Whether the service worker has shown this page in place of a gateway that does not answer. */
export const isKeptPage = (): boolean => document.documentElement.dataset.kept !== undefined;

/** Does nothing where the browser has no room. */
export function keepValues(values: KeptValues): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(values));
  } catch {
    forgetValues();
  }
}

/** At the end of a sign-in. */
export const forgetValues = (): void => localStorage.removeItem(NAME);

/** Undefined without kept values, or when they are too old. */
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

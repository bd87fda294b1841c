/** The data connection in active mode: the meter connects to the address given with PORT or EPRT. There is no other mode. */
import { connect, isIPv4, isIPv6, type Socket } from 'node:net';
import type { Clock } from '../contract.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `h1,h2,h3,h4,p1,p2`; null for anything else. */
export function parsePort(text: string): Target | null {
  const numbers = text.split(',').map((part) => (/^\d{1,3}$/.test(part.trim()) ? Number(part) : 256));
  if (numbers.length !== 6 || numbers.some((number) => number > 255)) return null;
  const [high = 0, low = 0] = numbers.slice(4);
  return high + low > 0 ? { host: numbers.slice(0, 4).join('.'), port: high * 256 + low } : null;
}

/** `|1|127.0.0.1|51000|` or `|2|::1|51000|`; null for anything else. */
export function parseExtendedPort(text: string): Target | null {
  const [, family, host, port] = /^(.)([12])\1([^|]+)\1(\d{1,5})\1$/.exec(text)?.slice(1) ?? [];
  if (!host || !(family === '1' ? isIPv4(host) : isIPv6(host))) return null;
  return Number(port) > 0 && Number(port) < 65_536 ? { host, port: Number(port) } : null;
}

/**
 * Connects to the client. Null if it refuses, cannot be reached within `ms` on the clock, or the
 * signal aborts. Leaves no socket behind then.
 */
export function openData(target: Target, clock: Clock, ms: number, signal: AbortSignal): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(target);
    const settle = (found: Socket | null) => {
      cancel();
      signal.removeEventListener('abort', abandon);
      socket.removeListener('connect', arrive);
      if (!found) socket.destroy();
      resolve(found);
    };
    const arrive = () => settle(socket);
    const abandon = () => settle(null);
    const cancel = clock.after(ms, abandon);
    socket.once('connect', arrive);
    socket.on('error', abandon); // stays on: an error after the connection shows as its close
    signal.addEventListener('abort', abandon, { once: true });
    if (signal.aborted) abandon();
  });
}

/** Waits `ms` on the clock, or until the signal aborts; never rejects. */
export function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

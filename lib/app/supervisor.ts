/**
 * Reports the state of the process to systemd (`Type=notify`, `WatchdogSec=`; sd_notify(3)). systemd listens on a local
 * datagram socket, which Node cannot write to. So the program `systemd-notify` does it; the unit needs
 * `NotifyAccess=all` for that. Without systemd it does nothing.
 */
import { execFile } from 'node:child_process';
import type { Clock } from '../clock.ts';

export interface Supervisor {
  /** The gateway answers; `systemctl status` shows `status`. From now on the watchdog gets its signs of life. */
  ready(status: string): void;
  /** The stop has begun. */
  stopping(): void;
}

type Env = Readonly<Record<string, string | undefined>>;
type Notify = (assignments: readonly string[]) => void;

/** Signs of life in each watchdog interval. */
const TIMES_AN_INTERVAL = 3;

/** Does nothing if systemd did not start the process (no `NOTIFY_SOCKET`). */
export function createSupervisor(env: Env, clock: Clock, notify: Notify = bySystemdNotify): Supervisor {
  if (!env.NOTIFY_SOCKET) return { ready() {}, stopping() {} };
  const intervalMs = watchdogMs(env);
  let cancel = () => {};
  // A loop that hangs sends nothing: then systemd starts the process again.
  const feed = () => {
    notify(['WATCHDOG=1']);
    cancel = clock.after(intervalMs, feed);
  };
  return {
    ready(status) {
      notify(['READY=1', `STATUS=${status.replaceAll('\n', ' ')}`]);
      if (intervalMs > 0) cancel = clock.after(intervalMs, feed);
    },
    stopping() {
      cancel();
      notify(['STOPPING=1']);
    },
  };
}

/** 0: the watchdog is off, or it is for another process. */
function watchdogMs({ WATCHDOG_USEC: interval, WATCHDOG_PID: pid }: Env): number {
  if (!interval || !/^\d+$/.test(interval) || (pid && pid !== String(process.pid))) return 0;
  return Math.floor(Number(interval) / 1_000 / TIMES_AN_INTERVAL);
}

/** systemd itself reports a failure: it waits for a message that does not come. */
function bySystemdNotify(assignments: readonly string[]): void {
  execFile('systemd-notify', [...assignments], () => {});
}

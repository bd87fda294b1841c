/** The power of a meter, and that of its servers with it: ports open and close as the machine can be reached. */
import type { Clock } from './contract.ts';
import type { FtpServer } from './ftp/index.ts';
import type { Listener } from './listener.ts';
import type { Machine } from './machine.ts';

export class Power {
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #listener: Listener;
  readonly #ftp: FtpServer;
  #stopped = false;
  #backOn: (() => void) | null = null;

  constructor(clock: Clock, machine: Machine, listener: Listener, ftp: FtpServer) {
    this.#clock = clock;
    this.#machine = machine;
    this.#listener = listener;
    this.#ftp = ftp;
  }

  /** Brings both ports to what the machine wants of them. Resolves when the control port has followed. */
  async follow(): Promise<void> {
    if (this.#stopped) return;
    const ftp = this.#machine.reach.ftp === 'served' ? this.#ftp.on() : this.#ftp.off();
    // A port that is taken shows as a server that refuses; FTP has a start delay that nobody here waits for.
    ftp.catch(() => {});
    await this.#listener.refresh();
  }

  /** Resolves when the meter is back. A cut during a cut begins the wait anew. */
  async cycle(afterMs: number): Promise<void> {
    this.#backOn?.();
    this.#machine.powerOff();
    this.#listener.forget();
    await this.follow();
    if (afterMs > 0) await this.#wait(afterMs);
    if (this.#stopped || this.#machine.reach.powered) return;
    this.#machine.powerOn();
    await this.follow();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#backOn?.();
    this.#machine.close();
    await Promise.all([this.#listener.stop(), this.#ftp.stop()]);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        cancel();
        if (this.#backOn === over) this.#backOn = null;
        resolve();
      };
      const cancel = this.#clock.after(ms, over);
      this.#backOn = over;
    });
  }
}

/** The power of a meter, and that of its servers with it: ports open and close as the machine can be reached. */
import type { Clock } from './contract.ts';
import type { WireFaults } from './faults/contract.ts';
import type { FtpServer } from './ftp/index.ts';
import type { MeterListener } from './listener.ts';
import type { Machine } from './machine.ts';

interface Parts {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly listener: MeterListener;
  readonly ftp: FtpServer;
  readonly faults: WireFaults;
}

/** On at first. */
export class Power {
  readonly #parts: Parts;
  #stopped = false;
  #backOn: (() => void) | null = null;
  #cuts = 0;
  #latest: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Brings both ports to what the machine wants of them. Resolves when the control port has followed. */
  async follow(): Promise<void> {
    if (this.#stopped) return;
    const { machine, listener, ftp } = this.#parts;
    const switched = machine.network.ftp === 'served' ? ftp.on() : ftp.off();
    // If the port is taken, clients see a server that refuses. Nothing here waits for the start delay of FTP.
    switched.catch(() => {});
    await listener.refresh();
  }

  /** Resolves when the meter is back. A cut during a cut begins the wait again, for both. */
  cycle(afterMs: number): Promise<void> {
    this.#latest = this.#cut(afterMs, ++this.#cuts);
    return this.#latest;
  }

  async #cut(afterMs: number, number: number): Promise<void> {
    const { machine, listener, faults } = this.#parts;
    this.#backOn?.();
    machine.powerOff();
    listener.forget();
    faults.powerCycled();
    await this.follow();
    if (afterMs > 0) await this.#wait(afterMs);
    if (number !== this.#cuts) return this.#latest;
    if (this.#stopped) return;
    machine.powerOn();
    await this.follow();
  }

  async stop(): Promise<void> {
    const { machine, listener, ftp, faults } = this.#parts;
    this.#stopped = true;
    this.#backOn?.();
    faults.close();
    machine.close();
    await Promise.all([listener.stop(), ftp.stop()]);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = () => {
        cancel();
        if (this.#backOn === over) this.#backOn = null;
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, over);
      this.#backOn = over;
    });
  }
}

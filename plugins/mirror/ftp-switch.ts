/**
 * FTP of the meter during a run of the mirror: switched on if it is off, and off again afterwards. The job stores that it
 * was off, so that a run that goes on after a restart still switches it off.
 */
import { type Caller, type DeviceConfig, type Host, type JobRun, messageOf, untilServed } from '../../lib/index.ts';

interface Checkpoint {
  readonly ftpWasOff?: boolean;
}

/** `byPerson`: a person waits for the run. */
type Run = JobRun<{ readonly byPerson?: true }>;

/** Leaves the FTP server in its earlier state. */
export class FtpSwitch {
  readonly #host: Pick<Host, 'meter' | 'card'>;
  readonly #job: Run;
  readonly #config: DeviceConfig;
  #wasOff: boolean;

  constructor(host: Pick<Host, 'meter' | 'card'>, job: Run, config: DeviceConfig) {
    this.#host = host;
    this.#job = job;
    this.#config = config;
    this.#wasOff = (job.checkpoint as Checkpoint | undefined)?.ftpWasOff ?? false;
  }

  /** A run that began by itself lets operators go first, also with the commands that start a measurement. */
  get #caller(): Caller {
    return { ...this.#job.caller, priority: this.#job.input.byPerson ? 'operator' : 'background' };
  }

  /** A meter that does not answer commands may still serve FTP: then nothing is switched. */
  async on(): Promise<void> {
    const { unitId, tcpEnabled } = this.#config;
    if (!tcpEnabled) return;
    const { signal, log, clock, caller } = this.#job;
    try {
      if (!(await this.#switchOn())) return;
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ unit_id: unitId, reason: messageOf(error) }, 'FTP of the meter could not be switched on');
      return;
    }
    await untilServed(this.#host.card(unitId), clock, caller);
  }

  /** False: FTP is on already, or this meter has no such switch. */
  async #switchOn(): Promise<boolean> {
    const { save, say } = this.#job;
    const caller = this.#caller;
    const meter = this.#host.meter(this.#config.unitId);
    if (!meter.can('fileServer', 'setFileServer') || (await meter.perform('fileServer', caller))) return false;
    say('FTP of the meter is switched on.');
    this.#wasOff = true;
    await save({ ftpWasOff: true } satisfies Checkpoint);
    await meter.perform('setFileServer', caller, true);
    return true;
  }

  /** Also after a failed or cancelled run. If the gateway stops, the next start does it. */
  async asBefore(): Promise<void> {
    if (!this.#wasOff) return;
    const { unitId } = this.#config;
    try {
      // The signal of the job may have aborted.
      const caller = { ...this.#caller, signal: new AbortController().signal };
      await this.#host.meter(unitId).perform('setFileServer', caller, false);
    } catch (error) {
      this.#job.log.warn({ unit_id: unitId, reason: messageOf(error) }, 'FTP of the meter stays on');
    }
  }
}

/** The functions that control one simulated meter, and its events as JSON: for the library and for the control API. */
import type { MeterEvent, SimulatedMeter } from '../contract.ts';
import { formatBytes } from '../replay/transcript.ts';

/**
 * A scenario by name, a steady level in dB(A), or a sound calibrator on the microphone: 1 kHz at 94.0 or 114.0 dB. `errorDb`: how far
 * the meter shows it wrong. Default: its own error, -0.3 to 0.3 dB by its serial number.
 */
export type SoundChoice =
  | { readonly scenario: string }
  | { readonly steadyDb: number }
  | { readonly calibratorDb: 94 | 114; readonly errorDb?: number };

export class MeterControl {
  readonly unitId: string;
  readonly meter: SimulatedMeter;
  readonly #unfollow: () => void;
  #sound: SoundChoice;
  #power: 'on' | 'off' | 'asleep' = 'on';
  /** Events so far. */
  #count = 0;

  constructor(unitId: string, meter: SimulatedMeter, sound: SoundChoice) {
    this.unitId = unitId;
    this.meter = meter;
    this.#sound = sound;
    for (const event of meter.log.events) this.#note(event);
    this.#unfollow = meter.log.follow((event) => this.#note(event));
  }

  state() {
    const { card, faults, host, instrument, tcpPort, ftpPort } = this.meter;
    const measuring = this.meter.read('Measure') === 'Start';
    const lp = instrument.display().main?.lp ?? null;
    return {
      unit_id: this.unitId,
      host,
      tcp_port: tcpPort,
      ftp_port: ftpPort,
      power: this.#power,
      measuring,
      measured_ms: instrument.measuredMs,
      // To 0.1 dB.
      lp_db: lp === null ? null : Math.round(lp * 10) / 10,
      sound: this.#shownSound(),
      clock: this.meter.read('Clock'),
      battery: this.meter.read('Battery Level'),
      power_source: this.meter.read('Power Source'),
      card: { inserted: card.inserted, free_mb: card.freeMb, total_mb: card.totalMb },
      faults: faults.active.map(({ id }) => id),
    };
  }

  /** Throws a RangeError on a scenario that is not there. */
  play(sound: SoundChoice): void {
    // This read ends the measured time under the old sound.
    this.meter.read('Measure');
    if ('calibratorDb' in sound) {
      const own = ((Number(this.meter.read('Serial Number')) % 7) - 3) / 10;
      this.meter.instrument.play({ steadyDb: sound.calibratorDb + (sound.errorDb ?? own) });
    } else this.meter.instrument.play(sound);
    this.#sound = sound;
  }

  #shownSound() {
    const sound = this.#sound;
    if ('scenario' in sound) return sound;
    return 'calibratorDb' in sound ? { calibrator_db: sound.calibratorDb } : { steady_db: sound.steadyDb };
  }

  /** Events with a number above `since`, oldest first, of these kinds (all kinds by default). `lost`: no longer kept. */
  events(since: number, kinds: readonly string[], limit: number) {
    const { events } = this.meter.log;
    const before = this.#count - events.length;
    const found: NumberedEvent[] = [];
    let next = Math.max(since, before);
    for (const [index, event] of events.slice(Math.max(0, since - before)).entries()) {
      if (found.length >= limit) break;
      next = Math.max(since, before) + index + 1;
      if (kinds.length === 0 || kinds.includes(event.kind)) found.push(numbered(next, event));
    }
    return { events: found, next: Math.min(next, this.#count), lost: Math.max(0, before - since) };
  }

  /** Of the events that are kept. `restMs` is the rest between a reply and the next command. */
  counts(restMs: number) {
    const { log } = this.meter;
    const of = (kind: MeterEvent['kind']) => log.events.filter((event) => event.kind === kind).length;
    return {
      connections: of('connect'),
      // These two were not served: reset at once, or held without a word.
      refused: of('refused'),
      held: of('held'),
      commands: of('command'),
      replies: of('reply'),
      spacing_violations: log
        .spacingViolations(restMs)
        .map(({ command, gapMs }) => ({ command, gap_ms: Math.round(gapMs * 1_000) / 1_000 })),
    };
  }

  close(): void {
    this.#unfollow();
  }

  #note(event: MeterEvent): void {
    this.#count += 1;
    if (event.kind !== 'power') return;
    if (event.text === 'off' || event.text === 'asleep') this.#power = event.text;
    else if (event.text === 'on' || event.text === 'awake') this.#power = 'on';
  }
}

export type NumberedEvent = ReturnType<typeof numbered>;

/** Bytes are in the notation of transcripts, `DOD?<CR><LF>`. */
function numbered(n: number, event: MeterEvent) {
  return {
    n,
    at_ms: event.at,
    kind: event.kind,
    ...('connection' in event && { connection: event.connection }),
    ...('client' in event && { client: event.client }),
    ...('text' in event && { text: event.text === '\x1a' ? '<SUB>' : event.text }),
    ...('bytes' in event && { bytes: formatBytes(event.bytes) }),
  };
}

/** The functions that control one simulated meter, and its events as JSON: for the library and for the control API. */
import type { EventLog, MeterEvent, SimulatedMeter, When } from '../contract.ts';
import { formatBytes } from '../replay/transcript.ts';

/** One meter as the control API shows it. */
export interface MeterState {
  readonly unit_id: string;
  readonly host: string;
  readonly tcp_port: number;
  readonly ftp_port: number;
  readonly power: 'on' | 'off' | 'asleep';
  readonly measuring: boolean;
  readonly measured_ms: number;
  /** Lp of the main channel, dB, to 0.1. */
  readonly lp_db: number | null;
  readonly sound: { readonly scenario: string } | { readonly steady_db: number } | { readonly calibrator_db: number };
  readonly clock: string;
  readonly battery: string;
  readonly power_source: string;
  readonly card: { readonly inserted: boolean; readonly free_mb: number; readonly total_mb: number };
  /** Ids of the faults that are on. */
  readonly faults: readonly string[];
}

/**
 * A scenario by name, a steady level in dB(A), or a sound calibrator on the microphone: 1 kHz at 94.0 or 114.0 dB. `errorDb`: how far
 * the meter shows it wrong. Default: its own error, -0.3 to 0.3 dB by its serial number.
 */
export type SoundChoice =
  | { readonly scenario: string }
  | { readonly steadyDb: number }
  | { readonly calibratorDb: 94 | 114; readonly errorDb?: number };

/** How often things happened. */
export interface Counts {
  readonly connections: number;
  /** Connections that were not served: reset at once, or held without a word. */
  readonly refused: number;
  readonly held: number;
  readonly commands: number;
  readonly replies: number;
  /** Commands that came closer to the reply before them than the rest that a meter is owed. */
  readonly spacing_violations: readonly { readonly command: string; readonly gap_ms: number }[];
}

/** One meter as the control API steers it. */
export class MeterControl {
  readonly unitId: string;
  readonly meter: SimulatedMeter;
  readonly #book: EventPages;
  readonly #unfollow: () => void;
  #sound: SoundChoice;
  #power: MeterState['power'] = 'on';

  constructor(unitId: string, meter: SimulatedMeter, sound: SoundChoice) {
    this.unitId = unitId;
    this.meter = meter;
    this.#sound = sound;
    this.#book = new EventPages(meter.log);
    for (const event of meter.log.events) this.#note(event);
    this.#unfollow = meter.log.follow((event) => this.#note(event));
  }

  state(): MeterState {
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

  #shownSound(): MeterState['sound'] {
    const sound = this.#sound;
    if ('scenario' in sound) return sound;
    return 'calibratorDb' in sound ? { calibrator_db: sound.calibratorDb } : { steady_db: sound.steadyDb };
  }

  /** The fault's id. Throws a TypeError that names the wrong part. */
  fault(kind: string, settings?: Readonly<Record<string, unknown>>, when?: When): string {
    return this.meter.faults.on(kind, settings, when);
  }

  /** MB that are left on the card; the card in or out. */
  card({ inserted, freeMb }: { readonly inserted?: boolean; readonly freeMb?: number }): void {
    if (inserted === true) this.meter.card.insert();
    if (inserted === false) this.meter.card.eject();
    if (freeMb !== undefined) this.meter.card.fill(freeMb);
  }

  events(since = 0, kinds: readonly string[] = [], limit = 1_000): EventPage {
    return this.#book.page(since, kinds, limit);
  }

  /** Of the events that are kept. `restMs` is the rest between a reply and the next command. */
  counts(restMs = 1_000): Counts {
    const { log } = this.meter;
    const of = (kind: MeterEvent['kind']) => log.events.filter((event) => event.kind === kind).length;
    return {
      connections: of('connect'),
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
    this.#book.close();
  }

  #note(event: MeterEvent): void {
    if (event.kind !== 'power') return;
    if (event.text === 'off' || event.text === 'asleep') this.#power = event.text;
    else if (event.text === 'on' || event.text === 'awake') this.#power = 'on';
  }
}

export interface NumberedEvent {
  readonly n: number;
  /** ms on the clock of the simulator. */
  readonly at_ms: number;
  readonly kind: MeterEvent['kind'];
  readonly connection?: number;
  /** Address of the client that connects. */
  readonly client?: string;
  /** Text of a command, a reply or a details; bytes in the notation of transcripts, `DOD?<CR><LF>`. */
  readonly text?: string;
  readonly bytes?: string;
}

/** Events from a number on. */
interface EventPage {
  readonly events: readonly NumberedEvent[];
  /** Give this as `since` next time. */
  readonly next: number;
  /** Events after `since` that are no longer kept. */
  readonly lost: number;
}

/** Events after `since` that are no longer kept. */
class EventPages {
  readonly #log: EventLog;
  readonly #unfollow: () => void;
  #count: number;

  constructor(log: EventLog) {
    this.#log = log;
    this.#count = log.events.length;
    this.#unfollow = log.follow(() => {
      this.#count += 1;
    });
  }

  /** Events with a number above `since`, oldest first, of these kinds (all kinds by default). */
  page(since: number, kinds: readonly string[], limit: number): EventPage {
    const { events } = this.#log;
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

  close(): void {
    this.#unfollow();
  }
}

function numbered(n: number, event: MeterEvent): NumberedEvent {
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

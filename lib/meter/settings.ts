/** Every time and limit of the meter layer. Spans in ms. Nothing here is read from files or the environment. */

export interface MeterSettings {
  /** Time between the last byte of a reply and the next command. Guide 66132 asks for a second (second-hand). */
  readonly spacingMs: number;
  readonly connectTimeoutMs: number;
  /** Until the first byte of a reply. The meter promises 3 s (VM manual p.150); a cellular link wakes up within 2 s. */
  readonly replyTimeoutMs: number;
  /** Until the reply is complete, from the sending. The data line may come 3 s after the result line. */
  readonly replyTotalTimeoutMs: number;
  /** Longest wait for an answer: in the queue, for the connection and for the reply. */
  readonly requestDeadlineMs: number;
  /** Most commands that wait for one meter. */
  readonly queueLimit: number;
  /** Longest pause between two commands of one reservation: one that is forgotten must not lock the meter. */
  readonly reservationIdleMs: number;
  /** Idle time after which the connection is closed; 0 keeps it open (churn is a suspect of the wedge). */
  readonly idleCloseMs: number;
  /** How long the stream goes on after its last watcher has left. */
  readonly streamLingerMs: number;
  /** Time without a readable frame after which a stream counts as lost. A cellular link bunches frames. */
  readonly frameTimeoutMs: number;
  /** Silence after SUB that says that no frame is on its way any more, where no prompt says it earlier. */
  readonly drainSilenceMs: number;
  /** Silence after SUB that says that the prompt, which this meter shows, will not come: the connection is dropped. */
  readonly drainPromptMs: number;
  /** Bytes that go on coming this long after SUB: the connection is dropped instead. */
  readonly drainLimitMs: number;
  /** `per-command` closes the connection after each job, for a meter that somebody else has to reach as well. */
  readonly connection: 'kept' | 'per-command';
  /**
   * A connection that was quiet for so long may have been forgotten by a NAT on its way: then a request proves it before a
   * setting is sent, and a request that gets no answer is sent again on a new one. Carriers forget after 30 s and more.
   */
  readonly idleCheckMs: number;
  /** Pause before a connection that failed is dialled again: doubles from the first to the second, with jitter. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** The longest such pause while an operator waits. */
  readonly reconnectWaitedMs: number;
  /** Pause between two tries of a port that refuses, while an operator or a viewer waits; and for how long it stays so short. */
  readonly refusedRetryMs: number;
  readonly refusedRetryForMs: number;
  /** Most connections opened in a minute, over all meters. */
  readonly connectsPerMinute: number;
  /** For the question whether FTP answers while the control port refuses. */
  readonly probeTimeoutMs: number;
  /** A connection slot of the meter may be free only this long after a close (field log: within 5 s). */
  readonly slotFreeMs: number;
  /** Longest orderly end of a session. */
  readonly closeTimeoutMs: number;
  /** Longest line from a meter, bytes. The longest captured one (DOD) has 351. */
  readonly maxLineBytes: number;
}

export const METER_DEFAULTS: MeterSettings = Object.freeze({
  spacingMs: 1_000,
  connectTimeoutMs: 5_000,
  replyTimeoutMs: 5_000,
  replyTotalTimeoutMs: 8_000,
  requestDeadlineMs: 30_000,
  queueLimit: 32,
  reservationIdleMs: 10_000,
  idleCloseMs: 0,
  streamLingerMs: 3_000,
  frameTimeoutMs: 30_000,
  drainSilenceMs: 1_000,
  drainPromptMs: 1_500,
  drainLimitMs: 3_000,
  connection: 'kept',
  idleCheckMs: 30_000,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 60_000,
  reconnectWaitedMs: 5_000,
  refusedRetryMs: 2_000,
  refusedRetryForMs: 60_000,
  connectsPerMinute: 600,
  probeTimeoutMs: 2_000,
  slotFreeMs: 6_000,
  closeTimeoutMs: 5_000,
  maxLineBytes: 4_096,
});

/** Every time and limit of the meter layer, with its default. Spans in ms. */
const DEFAULTS = {
  /** Time between the last byte of a reply and the next command. Guide 66132 asks for a second (second-hand). */
  spacingMs: 1_000,
  connectTimeoutMs: 5_000,
  /** Until the first byte of a reply. The meter promises 3 s (VM manual p.150); a cellular link wakes up within 2 s. */
  replyTimeoutMs: 5_000,
  /** Until the reply is complete, from the sending. The data line may come 3 s after the result line. */
  replyTotalTimeoutMs: 8_000,
  /** Longest wait for an answer: in the queue, for the connection and for the reply. */
  requestDeadlineMs: 30_000,
  /** Longest wait of a question for its turn beside a watched stream; `requestDeadlineMs` counts from its end. */
  turnLimitMs: 90_000,
  queueLimit: 32,
  /** Longest pause between two commands of one reservation: a forgotten reservation must not lock the meter. */
  reservationIdleMs: 10_000,
  /** Idle time after which the connection is closed; 0 keeps it open (churn is a suspect of the wedge). */
  idleCloseMs: 0,
  /** How long the stream continues after its last watcher has left. */
  streamLingerMs: 3_000,
  /** Time without a readable frame after which a stream counts as lost. A cellular link bunches frames. */
  frameTimeoutMs: 30_000,
  /** Silence after SUB that means the end of the frames, if no prompt shows it earlier. */
  drainSilenceMs: 1_000,
  /** Silence after SUB that means that the expected prompt will not come: the connection is dropped. */
  drainPromptMs: 1_500,
  /** If bytes still arrive this long after SUB, the connection is dropped instead. */
  drainLimitMs: 3_000,
  /** `per-command` closes the connection after each job, for a meter that somebody else has to reach as well. */
  connection: 'kept' as 'kept' | 'per-command',
  /**
   * A connection that was quiet for so long is proved before a setting is sent: carriers forget one after 30 s and
   * more.
   */
  idleCheckMs: 30_000,
  /** Pause after a failed connection: doubles from the first to the second value, with jitter. */
  reconnectMinMs: 1_000,
  reconnectMaxMs: 60_000,
  reconnectWaitedMs: 5_000,
  /** Pause between two attempts at a port that refuses, while somebody waits; and for how long it stays so short. */
  refusedRetryMs: 2_000,
  refusedRetryForMs: 60_000,
  connectsPerMinute: 600,
  /** Time limit for the check whether FTP answers while the control port refuses. */
  probeTimeoutMs: 2_000,
  /** A connection slot of the meter may be free only this long after a close (field log: within 5 s). */
  slotFreeMs: 6_000,
  closeTimeoutMs: 5_000,
};

export type MeterSettings = Readonly<typeof DEFAULTS>;

export const METER_DEFAULTS: MeterSettings = Object.freeze(DEFAULTS);

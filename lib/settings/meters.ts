/** Settings of the way to the meters: rests, limits, pauses. Data only. */
import { count, type Group, ms } from './property.ts';

/** By their names. */
export const meters = {
  meter_spacing_ms: {
    ...ms('Rest of a meter between a complete reply and the next command', 1_000, 0, 60_000),
    description: 'Below 1000 only with unsafe_spacing.',
  },
  unsafe_spacing: {
    type: 'boolean',
    title: 'Allow a rest below 1000 ms',
    description: 'Only for simulated meters: a real one stops answering.',
    default: false,
  },
  connect_timeout_ms: ms('Longest time to open a connection to a meter', 5_000, 10, 120_000),
  reply_timeout_ms: ms('Longest time until a meter begins to reply', 5_000, 10, 120_000),
  reply_total_timeout_ms: ms('Longest time until a reply is complete', 8_000, 10, 120_000),
  idle_close_ms: {
    ...ms('Idle time after which a connection to a meter is closed', 0, 0, 86_400_000),
    description: '0 keeps it open.',
  },
  connection: {
    type: 'string',
    title: 'Whether the connection to a meter is kept open',
    description: 'per-command closes it after each command, for a meter that other programs use, too.',
    enum: ['kept', 'per-command'],
    default: 'kept',
  },
  idle_check_ms: {
    ...ms(
      'Quiet time after which a connection is tested before a command that changes something',
      30_000,
      0,
      86_400_000,
    ),
    description:
      'Mobile networks forget a quiet connection after 30 s and more. A Measure? is sent first; a read that gets no answer is sent again on a new connection.',
  },
  reconnect_min_ms: ms('First pause before a meter that failed is tried again', 1_000, 100, 600_000),
  reconnect_max_ms: ms('Longest such pause; it doubles with each failure', 60_000, 100, 3_600_000),
  reconnect_waited_ms: ms('Longest such pause while an operator waits', 5_000, 100, 600_000),
  connects_per_minute: {
    ...count('Most connections to meters opened in a minute', 600, 2, 60_000),
    description: 'For all meters together. A quarter of them may be opened at once; operators come first.',
  },
  tcp_keepalive_ms: ms('Idle time of a connection to a meter before TCP keep-alive probes', 15_000, 1_000, 7_200_000),
  tcp_keepalive_interval_ms: {
    ...ms('Time between two TCP keep-alive probes', 10_000, 1_000, 600_000),
    description: 'From Node 24.19 on; older ones send one a second, ten in all.',
  },
  tcp_keepalive_probes: {
    ...count('TCP keep-alive probes without an answer that end a connection', 3, 1, 100),
    description: 'From Node 24.19 on.',
  },
  request_deadline_ms: {
    ...ms('Longest wait of a request for what a meter answers', 30_000, 100, 600_000),
    description: 'In the queue, for the connection and for the reply together.',
  },
  queue_limit: count('Most commands that wait for one meter', 32, 1, 10_000),
} as const satisfies Group;

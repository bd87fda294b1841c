/**
 * A few turns of the event loop. A client that closes a connection and opens the next one sends its end before its SYN, but the
 * system may report the two in the other order. After these turns every end that was sent before has been read, so a decision
 * that depends on it is the same each time.
 */
const TURNS = 4;

/** Resolves when ends that have arrived were handled. */
export async function endsAreRead(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

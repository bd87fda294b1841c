/**
 * A carrier's NAT that forgets a flow: writes seem to work, nothing comes back, and there is no reset. Keep-alives of TCP are not seen here,
 * so they do not keep a flow alive; only bytes do.
 */
import { defineFault } from './define.ts';
import { ms } from './settings.ts';

export const natForgets = defineFault({
  name: 'nat-forgets',
  summary: 'A connection that was idle is dead: what is written vanishes, nothing comes back, there is no reset.',
  works: 'lasting',
  settings: { idle_ms: ms(60_000, 'idle for longer than this, ms; 0 forgets every connection at once') },
  evidence: ['inferred', 'a public gateway assumes 30 to 60 s for carriers'],
  create({ idle_ms }, { clock }) {
    const heardAt = new Map<number, number>();
    const forgotten = new Set<number>();
    let beganAt = 0;
    const alive = (connection: number) => {
      const idle = clock.elapsed() - (heardAt.get(connection) ?? beganAt);
      if (idle_ms === 0 || idle > idle_ms) forgotten.add(connection);
      else heardAt.set(connection, clock.elapsed());
      return !forgotten.has(connection);
    };
    return {
      begin() {
        beganAt = clock.elapsed();
      },
      admit(connection) {
        heardAt.set(connection, clock.elapsed());
        return 'serve';
      },
      incoming: (bytes, connection) => (alive(connection) ? bytes : null),
      outgoing: (emissions, { connection }) => (alive(connection) ? emissions : []),
    };
  },
});

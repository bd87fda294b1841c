/** The control port, what becomes of a connection, and the NAT of a carrier in between. */
import { amount, choice, defineFault, ms } from './define.ts';

const CUT = choice(['reset', 'stay', 'silence'], 'what becomes of connections that are open');

export const refused = defineFault({
  name: 'refused',
  summary: 'The control port is closed: a SYN gets a RST at once. FTP goes on.',
  works: 'lasting',
  settings: { connections: CUT },
  evidence: ['captured', 'what the field saw with TCP switched off and with the wedge'],
  create: ({ connections }, { cut }) => ({
    closesPort: true,
    begin: () => void (connections !== 'stay' && cut(connections)),
  }),
});

export const wedge = defineFault({
  name: 'wedge',
  summary:
    'The listener of the control port is gone until somebody cuts the power; FTP goes on, so does a measurement.',
  works: 'lasting',
  settings: {
    after_connects: amount(0, 0, 1_000_000, 'connections that are still served; the last of them lives on. 0: at once'),
    connections: { ...CUT, about: 'at once: what becomes of connections that are open' },
  },
  evidence: ['captured', 'field report: refused within an hour after a stop and a download, until a power cycle'],
  create({ after_connects, connections }, { cut, over, portChanged }) {
    let left = Math.floor(after_connects);
    const atOnce = left === 0;
    return {
      get closesPort() {
        return left === 0;
      },
      begin: () => void (atOnce && connections !== 'stay' && cut(connections)),
      admit() {
        if (left > 0 && --left === 0) portChanged();
        return 'serve';
      },
      powerCycled() {
        left = Math.floor(after_connects);
        if (atOnce) over();
        else portChanged();
      },
    };
  },
});

export const asleep = defineFault({
  name: 'asleep',
  summary: 'Nothing answers: connections are neither refused nor served, open ones fall silent, FTP says no word.',
  works: 'lasting',
  settings: {},
  evidence: ['captured', 'field log: time-outs until somebody on site woke the meter; so does a power cycle'],
  create: (_, { cut, over }) => ({
    begin: () => cut('silence'),
    admit: () => 'hang',
    incoming: () => null,
    outgoing: () => [],
    ftp: { sessions: 0, surplus: 'held' },
    powerCycled: over,
  }),
});

export const reboot = defineFault({
  name: 'reboot',
  summary: 'The power fails and comes back: connections are reset, measured values lost, no service while it boots.',
  works: 'lasting',
  settings: { boot_ms: ms(30_000, 'until it serves again, ms') },
  evidence: ['unknown', 'boot time never measured; 20 to 40 s are plausible'],
  create: ({ boot_ms }, { powerCycle, over }) => ({
    begin() {
      powerCycle(boot_ms);
      over();
    },
    outgoing: () => [],
  }),
});

export const unserved = defineFault({
  name: 'unserved',
  summary: 'A connection is accepted and then neither served nor ended.',
  works: 'by connection',
  settings: {},
  evidence: ['captured', 'field log: a second connection got no answer at all'],
  create: () => ({ admit: () => 'hang' }),
});

export const lateSlot = defineFault({
  name: 'late-slot',
  summary: 'After a close the place of the connection stays taken for a while: a new connection in that time hangs.',
  works: 'lasting',
  settings: { ms: ms(4_500, 'from the close until the next connection is served, ms') },
  evidence: [
    'code',
    'public code says that an immediate reconnect over cellular times out; the field log has 41 that were served',
  ],
  create: (settings) => ({ slotFreeDelayMs: settings.ms }),
});

export const halfOpen = defineFault({
  name: 'half-open',
  summary:
    'The meter does not hear that a connection has ended: its place stays taken. Only a new connection from the same address and port is served.',
  works: 'lasting',
  settings: {},
  evidence: [
    'unknown',
    'what TCP does when the computer of a client loses its power (RFC 9293); not known of a real meter',
  ],
  create: () => ({ keepsPlace: true }),
});

export const resetOnConnect = defineFault({
  name: 'reset-on-connect',
  summary: 'A connection is accepted and reset at once.',
  works: 'by connection',
  settings: {},
  evidence: ['inferred', 'a port forwarding without a device behind it'],
  create: () => ({ admit: () => 'refuse' }),
});

/** Keep-alives of TCP are not seen here, so they do not keep a flow alive; only bytes do. */
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

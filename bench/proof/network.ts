/** Hosts of their own on this computer: network namespaces on one bridge. Needs Linux, root and iproute2. */
import { spawnSync } from 'node:child_process';

/** Two proofs at once need two names. */
const PREFIX = `${process.env.PROOF_NAME ?? 'slm'}-`;
const HUB = `${PREFIX}hub`;

/** The hosts, each with its address. Addresses are of documentation (RFC 5737): the bridge leads nowhere else. */
export const HOSTS = {
  meters: '192.0.2.50',
  north: '192.0.2.11',
  south: '192.0.2.12',
  primary: '192.0.2.21',
  standby: '192.0.2.22',
} as const;
/** Name of a host. */
export type Host = keyof typeof HOSTS;
/** Where the database is: moved from the primary to the standby, as a floating address is. */
export const DATABASE_HOST = '192.0.2.20';

const hosts = Object.keys(HOSTS) as Host[];

function ip(...words: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${error?.message ?? stderr.trim()}`);
}

/** The words before a program that runs on this host. */
export const on = (host: Host): readonly string[] => ['ip', 'netns', 'exec', `${PREFIX}${host}`];

/** Makes all hosts. Hosts of an earlier run are removed first. */
export function openNetwork(): void {
  closeNetwork();
  ip('netns', 'add', HUB);
  ip('-n', HUB, 'link', 'add', 'hub', 'type', 'bridge');
  ip('-n', HUB, 'link', 'set', 'hub', 'up');
  for (const host of hosts) {
    const space = `${PREFIX}${host}`;
    ip('netns', 'add', space);
    ip('-n', space, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', host, 'netns', HUB);
    ip('-n', HUB, 'link', 'set', host, 'master', 'hub', 'up');
    ip('-n', space, 'addr', 'add', `${HOSTS[host]}/24`, 'dev', 'eth0');
    ip('-n', space, 'link', 'set', 'lo', 'up');
    ip('-n', space, 'link', 'set', 'eth0', 'up');
  }
  giveAddress(DATABASE_HOST, 'primary');
}

/** Ends what runs on the hosts, and removes them. */
export function closeNetwork(): void {
  for (const space of [...hosts.map((host) => `${PREFIX}${host}`), HUB]) {
    const { stdout } = spawnSync('ip', ['netns', 'pids', space], { encoding: 'utf8' });
    for (const pid of (stdout ?? '').split('\n').filter((line) => line !== '')) {
      if (Number(pid) !== process.pid) spawnSync('kill', ['-9', pid]);
    }
    spawnSync('ip', ['netns', 'del', space]);
  }
}

/** The cable of a host is pulled, or put in again. Packets that are sent meanwhile are lost. */
export const setLink = (host: Host, isUp: boolean): void => ip('-n', HUB, 'link', 'set', host, isUp ? 'up' : 'down');

/** A host does not reach the database; it reaches all others. */
export const setCut = (host: Host, isCut: boolean): void =>
  ip('-n', `${PREFIX}${host}`, 'route', isCut ? 'add' : 'del', 'blackhole', `${DATABASE_HOST}/32`);

/** The host with this address. */
export const hostOf = (address: string): Host | undefined => hosts.find((host) => HOSTS[host] === address);

/** A further address of this host; another host that had it loses it. */
export function giveAddress(address: string, host: Host): void {
  for (const other of hosts)
    spawnSync('ip', ['-n', `${PREFIX}${other}`, 'addr', 'del', `${address}/24`, 'dev', 'eth0']);
  ip('-n', `${PREFIX}${host}`, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  // As its new host tells everybody (gratuitous ARP).
  for (const other of hosts) spawnSync('ip', ['-n', `${PREFIX}${other}`, 'neigh', 'flush', 'all']);
}

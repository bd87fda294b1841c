/** A card, an FTP server that is on, and clients that are gone when the test is over. */
import type { Test } from 'tap';
import { createCard } from '../../../simulator/card/index.ts';
import { VirtualClock } from '../../../simulator/clock.ts';
import { type FtpBehaviour, ftpBehaviour, startFtp } from '../../../simulator/ftp/index.ts';
import { FtpClient } from '../../support/ftp-client.ts';

/** 2025-12-24 02:00:00 on the meter's clock. */
export const AT = Date.UTC(2025, 11, 24, 2);

type Behaviour = Partial<FtpBehaviour>;

export async function meterFtp(t: Test, changes: Behaviour = {}) {
  const card = createCard({ model: 'NL-43', totalMb: 4_096, seed: 1, startedAt: AT });
  const clock = new VirtualClock(AT);
  const log: string[] = [];
  const behaviour = ftpBehaviour({ startDelayMs: 0, ...changes });
  const ftp = await startFtp({ host: '127.0.0.1', port: 0, card, clock, behaviour, log: (text) => log.push(text) });
  const clients: FtpClient[] = [];
  t.teardown(async () => {
    for (const client of clients) await client.close();
    await ftp.stop();
  });
  await ftp.on();
  const keep = async (arriving: Promise<FtpClient>) => {
    const client = await arriving;
    clients.push(client);
    return client;
  };
  return {
    card,
    clock,
    log,
    ftp,
    behaviour,
    connect: () => keep(FtpClient.connect(ftp.port)),
    login: () => keep(FtpClient.login(ftp.port)),
  };
}

export async function loggedIn(t: Test, changes: Behaviour = {}) {
  const made = await meterFtp(t, changes);
  return { ...made, client: await made.login() };
}

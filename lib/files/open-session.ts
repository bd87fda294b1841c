/** A session with the meter's turn and the coordinator's permission; they are given back in reverse order when it ends. */
import { GatewayError } from '../errors.ts';
import type { DeviceConfig } from '../store/contract.ts';
import type { CardCaller, Traffic } from './contract.ts';
import type { CardParts } from './parts.ts';
import { serverOf } from './paths.ts';
import type { CardWork } from './reader.ts';
import { FtpSession } from './session.ts';
import type { Turn } from './session-queue.ts';

/** A logged-in session, for one piece of work after the other. */
export interface OpenSession {
  /** The session works, and no caller waits for the meter. */
  readonly isFree: boolean;
  /** Before a further piece of work: commands that went to the meter meanwhile get their rest. */
  rest(caller: CardCaller): Promise<void>;
  /** If the signal of the work aborts, the session is over. */
  do<T>(work: Pick<CardWork<T>, 'place' | 'signal' | 'run'>): Promise<T>;
  /** May be called twice. */
  end(): Promise<void>;
}

/** Errors: as `Card.list`. */
export async function openSession(
  config: DeviceConfig,
  { traffic, parts }: { readonly traffic: Traffic; readonly parts: CardParts },
  work: Pick<CardWork<unknown>, 'place' | 'signal' | 'deadlineMs'>,
  turn: Turn,
): Promise<OpenSession> {
  refuseIfDisabled(config, parts);
  const passOn = await parts.queue.take(serverOf(config), work, turn);
  const coordinator = parts.coordinator(config.unitId);
  try {
    await coordinator?.before(work);
  } catch (error) {
    passOn();
    throw error;
  }
  const stop = new AbortController();
  const session = sessionOf(config, { traffic, parts, path: work.place.path }, stop.signal);
  let ended: Promise<void> | undefined;
  const open: OpenSession = {
    get isFree() {
      return !ended && !session.isClosed && !parts.queue.isWanted(serverOf(config));
    },
    rest: async (next) => coordinator?.between(next),
    async do({ place: { path }, signal: until, run }) {
      until.throwIfAborted();
      const abort = () => {
        stop.abort(until.reason);
        session.drop();
      };
      session.path = path;
      until.addEventListener('abort', abort, { once: true });
      try {
        return await run(session);
      } finally {
        until.removeEventListener('abort', abort);
      }
    },
    end() {
      ended ??= session.leave().finally(() => {
        coordinator?.after();
        passOn();
      });
      return ended;
    },
  };
  try {
    await open.do({ ...work, run: () => session.open() });
    session.coding = parts.codings.get(serverOf(config)) ?? 'utf-8';
    return open;
  } catch (error) {
    await open.end();
    throw error;
  }
}

function sessionOf(
  config: DeviceConfig,
  { traffic, parts, path }: { readonly traffic: Traffic; readonly parts: CardParts; readonly path: string },
  signal: AbortSignal,
): FtpSession {
  const onForeignConnection = (address: string) =>
    parts.log.warn(
      { unit_id: config.unitId, address },
      'a connection to the FTP data port came from another address than that of the meter',
    );
  return new FtpSession({ ...parts, config, path, onForeignConnection, traffic }, signal);
}

function refuseIfDisabled(config: DeviceConfig, parts: CardParts): void {
  const { ftpEnabled, unitId } = config;
  const lacking = parts.lacking?.(config);
  if (lacking) throw lacking;
  if (!ftpEnabled)
    throw new GatewayError(
      'FTP_DISABLED',
      `FTP is off in the config of ${unitId}: PUT /${unitId}/config with "ftp_enabled": true, then POST /${unitId}/ftp/enable.`,
    );
}

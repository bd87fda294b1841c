/**
 * The server of an instance that waits: it passes each request and each WebSocket on to the instance that has the meters, and the answer
 * back. It knows no route and no key: who may do what is decided there. It tries nothing again.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ProxyServer } from 'httpxy';
import { ERRORS, GatewayError, isGatewayError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { peerOf } from './arrival.ts';
import { type AskedOfInstance, askedFirst, pathOf } from './asked.ts';
import type { Peer } from './context.ts';
import { handlerLimitMs } from './handler-time.ts';
import { answerProbes, type HealthParts } from './health.ts';
import { announcedOrigins, dropConnections, keepFresh, listening, makeServer, originOf } from './listen.ts';
import { type Networks, networksFrom } from './networks.ts';
import { makePassing } from './passing.ts';
import { endWith, refuseRequest } from './raw.ts';
import type { HttpServer, HttpSettings } from './server.ts';
import { type InstanceRun, NO_ADDRESS, UnderWay } from './under-way.ts';

/** What the server is made of. */
export interface StandbyParts extends HealthParts {
  readonly settings: HttpSettings;
  /** Where to pass a request on, and the header that proves there what is said of its caller. Undefined while nobody has the meters. */
  readonly owner: (method: string, url: string, peer: Peer) => Owner | undefined;
  readonly asked: readonly AskedOfInstance[];
  readonly joined?: readonly JoinedByInstance[];
  readonly log: Log;
}

/** A WebSocket of another instance to this one alone. */
export interface JoinedByInstance {
  readonly path: string;
  /** Answers the handshake, and the socket is its own from then on. */
  readonly join: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** Where an instance is reached. */
export interface OwnerPlace extends InstanceRun {
  /** `http://HOST:PORT`. */
  readonly address: string;
}

/** The instance that a request goes to. */
export interface Owner extends OwnerPlace {
  readonly proof: Readonly<Record<string, string>>;
}

/** A server that waits stops as one that answers. */
export interface Standby extends Omit<HttpServer, 'allow'> {
  /** Who has the meters now, said again from time to time. What is under way to another one is ended: one that died says nothing itself. It is asked for a sign of life. */
  follow(owner: OwnerPlace | undefined): void;
  /** Nothing could be passed on to it for some time, and it gave no sign of life. */
  readonly isUnreached: boolean;
}

/** What the other instance has beyond its own limits for an answer and for a handshake, ms: then it is lost. One that died is known before: another one has the meters. */
const BEYOND_MS = 5_000;
const BEYOND_HANDSHAKE_MS = 10_000;
/** An instance that could not be reached for so long is told, ms: one that is about to answer needs some seconds. */
const UNREACHED_MS = 30_000;
/** The instance that has the meters is asked for a sign of life so often, ms, and has so long to give it. */
const LOOK_MS = 15_000;
const SIGN_MS = 10_000;
/** When to ask again, seconds: about the time between two beats of an instance. */
const RETRY_S = '5';

/** Listens. Rejects with the reason if it cannot. */
export async function startStandby(parts: StandbyParts): Promise<Standby> {
  const { settings, clock, log } = parts;
  const passer = new Passer(await makePassing(), parts, networksFrom(settings.trustedProxies));
  const probes = new Map(answerProbes(parts).map(({ path, answer }) => [path, answer]));
  const own = new Set(parts.asked.map(({ path }) => path));
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request);
    const probe = probes.get(path);
    if (probe) answerHere(probe, response);
    else if (own.has(path)) refuse(response, new GatewayError('NOT_FOUND', 'There is nothing here.'));
    else passer.pass(request, response);
  };
  const server = makeServer(askedFirst(parts.asked, answer), settings, networksFrom(settings.trustedProxies), clock);
  const joinedAt = new Map((parts.joined ?? []).map((joined) => [joined.path, joined]));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const here = joinedAt.get(pathOf(request));
    (here ?? passer).join(request, socket, head);
  });
  await listening(server.listen(settings.port, settings.host), settings);
  keepFresh(server, settings.tls, clock, log);
  return running(server, settings, passer);
}

function running(server: Server, settings: HttpSettings, passer: Passer): Standby {
  const { port } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const refuse = () => {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
  };
  const drained = async () => {
    refuse();
    dropConnections(server);
    passer.end();
    await closed;
  };
  const announced = announcedOrigins(settings, port);
  const follow: Standby['follow'] = (owner) => {
    passer.follow(owner);
    if (owner) passer.look(owner);
  };
  return {
    ...{ port, origin: originOf(settings, port), announced, refuse, drained, follow },
    get isUnreached() {
      return passer.isUnreached;
    },
  };
}

function answerHere(answer: () => object, response: ServerResponse): void {
  try {
    const body = JSON.stringify(answer());
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(body);
  } catch (error) {
    refuse(response, error);
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  const { code, message } = isGatewayError(error) ? error : ownerChanging();
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (ERRORS[code].status === 503) response.setHeader('Retry-After', RETRY_S);
  refuseRequest(response, code, message);
}

const ownerChanging = (): GatewayError =>
  new GatewayError('OWNER_CHANGING', 'No instance has the meters at this moment. Ask again in a few seconds.');

/** Of an instance that has the meters as the database says. */
const NOT_REACHED =
  'The instance that has the meters is not reached from this one. Ask again in a few seconds. If it stays so, check its setting instance_address, and the network.';
const PASSED_TWICE =
  'An instance has passed this on to one that does not have the meters. Ask again in a few seconds. If it stays so, check the setting instance_address of each.';

const NOT_TRUSTED =
  'This instance does not accept the certificate of the one that has the meters. Nothing was passed on. Give this one the authority of that certificate (NODE_EXTRA_CA_CERTS), or the other one a certificate for its instance_address.';

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The other instance was not reached, so nothing was done there. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', NO_ADDRESS],
]);
/** Words of OpenSSL and Node about the certificate of the other end: who signed it, when it is valid, whom it names. Not what the other end says of ours. */
const OF_CERTIFICATES = /^(?!ERR_SSL_).*(CERT|LEAF_SIGNATURE)/;
/** TLS broke off. Most often none is spoken there; but a request may have been sent. */
const NO_TLS = 'EPROTO';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
const isNotTrusted = (error: unknown): boolean => OF_CERTIFICATES.test(codeOf(error));
const isNotSent = (error: unknown): boolean => NOT_SENT.has(codeOf(error)) || isNotTrusted(error);

/** Once a request was sent nobody knows whether it was done; what changes nothing may be asked again. */
const lost = (method: string, error: unknown): GatewayError => {
  if (isNotSent(error)) return new GatewayError('OWNER_CHANGING', isNotTrusted(error) ? NOT_TRUSTED : NOT_REACHED);
  if (SAFE.has(method))
    return codeOf(error) === NO_TLS ? new GatewayError('OWNER_CHANGING', NOT_REACHED) : ownerChanging();
  return new GatewayError(
    'OUTCOME_UNKNOWN',
    'The instance that has the meters was lost before its answer came. Look whether the request was done.',
  );
};

class Passer {
  readonly #proxy: ProxyServer;
  readonly #parts: StandbyParts;
  readonly #trusts: Networks;
  readonly #most: number;
  /** To the instance that something was passed on to last. */
  #underWay: UnderWay | undefined;
  /** On the monotonic clock: since when it was not reached. */
  #unreachedSince: number | undefined;
  /** What was passed on last was lost. */
  #hasLost = false;
  /** On the monotonic clock: when it was asked for a sign of life. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(proxy: ProxyServer, parts: StandbyParts, trusts: Networks) {
    this.#proxy = proxy;
    this.#parts = parts;
    this.#trusts = trusts;
    this.#most = parts.settings.connectionsPerAddress;
    const reached = () => this.#forget();
    proxy.on('proxyRes', reached).on('open', reached);
  }

  get isUnreached(): boolean {
    const now = this.#parts.clock.elapsed();
    return this.#unreachedSince !== undefined && now - this.#unreachedSince >= UNREACHED_MS;
  }

  pass(request: IncomingMessage, response: ServerResponse): void {
    const { settings, log } = this.#parts;
    const way = this.#wayOf(request);
    if (isGatewayError(way)) {
      refuse(response, way);
      return;
    }
    const proxyTimeout = handlerLimitMs(settings.requestDeadlineMs) + BEYOND_MS;
    this.#proxy.web(request, response, { ...way, proxyTimeout }).catch((error: unknown) => {
      log.debug({ reason: messageOf(error) }, 'a request could not be passed on');
      this.#failed(error);
      refuse(response, lost(request.method ?? 'GET', error));
    });
  }

  /** A WebSocket, or the refusal of its handshake. */
  join(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { settings, log } = this.#parts;
    const way = this.#wayOf(request);
    if (isGatewayError(way)) {
      endWith('OWNER_CHANGING', socket);
      return;
    }
    const upgradeTimeout = settings.requestDeadlineMs + BEYOND_HANDSHAKE_MS;
    this.#underWay?.add(socket);
    this.#proxy.ws(request, socket, { target: way.target, upgradeTimeout }, head).catch((error: unknown) => {
      log.debug({ reason: messageOf(error) }, 'a WebSocket could not be passed on');
      this.#failed(error);
      endWith('OWNER_CHANGING', socket);
    });
  }

  follow(owner: InstanceRun | undefined): void {
    if (!this.#underWay?.isTo(owner)) this.end();
  }

  /** Asks it for a sign of life: whether it is reached must be known before somebody needs it. */
  look(owner: OwnerPlace): void {
    const now = this.#parts.clock.elapsed();
    if (owner.address === '' || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    this.#underWay ??= new UnderWay(owner, this.#most);
    const underWay = this.#underWay;
    underWay.ask(`${owner.address}/livez`, SIGN_MS, (error) => {
      if (this.#underWay !== underWay) return;
      if (!error) {
        this.#forget();
        return;
      }
      this.#parts.log.debug({ reason: messageOf(error) }, 'the instance that has the meters gives no sign of life');
      this.#failed(error);
    });
  }

  /** Closes the connections to the other instance. */
  end(): void {
    this.#underWay?.end();
    this.#underWay = undefined;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#forget();
  }

  #forget(): void {
    this.#unreachedSince = undefined;
    this.#hasLost = false;
  }

  /** Once can be chance. Who loses all was told http where the other one speaks https. */
  #failed(error: unknown): void {
    if (isNotSent(error) || codeOf(error) === NO_TLS || this.#hasLost)
      this.#unreachedSince ??= this.#parts.clock.elapsed();
    this.#hasLost = true;
  }

  /**
   * Writes what is known of the caller into the headers: what the caller wrote there itself does not count. What another instance has passed on goes no further: an address
   * that leads back would send it round and round.
   */
  #wayOf(request: IncomingMessage) {
    const { headers, method = 'GET', url = '/' } = request;
    const peer = peerOf(request, this.#trusts);
    const owner = this.#parts.owner(method, url, peer);
    this.follow(owner);
    if (!owner) return ownerChanging();
    if (!URL.canParse(owner.address)) return new GatewayError('OWNER_CHANGING', NOT_REACHED);
    if (Object.keys(owner.proof).some((name) => name in headers))
      return new GatewayError('OWNER_CHANGING', PASSED_TWICE);
    const { address, protocol, host } = peer;
    const caller = { 'x-forwarded-for': address, 'x-forwarded-proto': protocol, 'x-forwarded-host': host };
    Object.assign(headers, caller, owner.proof);
    this.#underWay ??= new UnderWay(owner, this.#most);
    return { target: owner.address, agent: this.#underWay.agentFor(owner.address) };
  }
}

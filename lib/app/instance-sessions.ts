/**
 * Sessions with meters, shared out between the instances: each serves those of its units, also while it waits; the gateway has links to the
 * others and finds a unit's session wherever it is (`lib/remote`, docs/adr/0059). Whose a unit is, the lease says (`lib/cluster`).
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, within } from '../clock.ts';
import type { MemberRow } from '../cluster/contract.ts';
import type { MemberLoop } from '../cluster/member-loop.ts';
import type { MemberOptions } from '../cluster/member-options.ts';
import { unitOwner } from '../cluster/owners.ts';
import { isOfInstance, ofInstances, type PassedOn, PROOF_HEADER, type Receiver } from '../cluster/passed-on.ts';
import { gatewayWeight } from '../cluster/placement.ts';
import { GATEWAY_ROLE, unitIdOf, unitRow } from '../domain/cluster-units.ts';
import type { Family } from '../drivers/contract.ts';
import { BUILT_IN, createFamilies } from '../drivers/index.ts';
import { endWith } from '../http/raw.ts';
import { type Log, partLog } from '../log.ts';
import type { Fleet, UnreachedMeters } from '../meter/fleet.ts';
import { RemoteMeters } from '../remote/remote-meters.ts';
import { createServedSessions, type ServedFleetParts } from '../remote/served.ts';
import { SharedMeters } from '../remote/shared-meters.ts';
import { SHARED_SITE, sharedSiteOf } from '../remote/shared-site.ts';
import { dialPipe, PipeDoor } from '../remote/socket-pipe.ts';
import type { Settings } from '../settings/index.ts';
import type { Address } from '../transport/contract.ts';
import { InstanceLinks } from './instance-links.ts';
import { GatewayReach } from './instance-reach.ts';
import type { SharingGateway } from './instance-seat.ts';
import { openOwnFleet } from './own-fleet.ts';
import { policiesFor } from './wiring.ts';

type PresentLoop = Pick<MemberLoop, 'view' | 'isLeased' | 'isQuiet' | 'holds' | 'unwanted' | 'declare' | 'hurry'>;

/** What it needs of its instance. */
export interface SharesParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly passedOn: PassedOn;
  /** Families of meters beside the built-in ones. */
  readonly families?: readonly Family[];
  /** This instance under its present epoch; undefined before it has joined. */
  readonly me: () => Receiver | undefined;
  readonly loop: () => PresentLoop | undefined;
  /** The member that is the gateway. */
  readonly owner: () => MemberRow | undefined;
  /** A meter gives no answer: another instance may still have its place. */
  readonly mute: (meter: Address) => void;
  /** Takes note of the meters that other instances are asked about when they come back. */
  readonly unreached: (meters: UnreachedMeters) => void;
}

/** Where instances open links. */
const PATH = '/_sessions';
/** A link that was not opened by then is given up, ms. */
const OPEN_MS = 5_000;

/** What a member of the cluster says of its units. */
type Membership = Pick<
  MemberOptions,
  'sites' | 'weightOf' | 'isBusy' | 'isLinked' | 'stays' | 'mayMove' | 'onUnwanted'
>;

/** Of an instance that serves no sessions while it waits. */
export const WITHOUT_SESSIONS: Membership = Object.freeze({ sites: [''], isBusy: () => false });

/** What there is while this instance is the gateway. */
interface PresentGateway {
  readonly meters: SharedMeters;
  readonly links: InstanceLinks;
  units(): readonly string[];
  end(): void;
}

/** The sessions of one instance, and its links to those of others while it is the gateway. */
export class InstanceSessions {
  readonly #parts: SharesParts;
  readonly #served;
  readonly #kept: Parameters<typeof openOwnFleet>[0] = {};
  readonly #policies = policiesFor(() => undefined);
  readonly #door: PipeDoor;
  readonly #reach: GatewayReach;
  /** While this instance is the gateway. */
  #gateway: PresentGateway | undefined;
  /** Those of `unlike` that the log has, by instance and epoch. */
  #toldUnlike: ReadonlySet<string> = new Set();

  constructor(parts: SharesParts) {
    this.#parts = parts;
    const { settings, clock, log, families = [], mute, unreached } = parts;
    this.#policies.take(settings);
    this.#door = new PipeDoor(clock);
    this.#reach = new GatewayReach(clock);
    const seat = { mayAct: () => parts.loop()?.isLeased ?? false, mute, unreached };
    const own = {
      ...{ settings, seat, addresses: this.#policies.addresses, log: partLog(log, 'meters') },
      families: createFamilies([...BUILT_IN, ...families]),
    };
    const makeFleet = (given: ServedFleetParts) => openOwnFleet(this.#kept, { ...given, ...own });
    const onLink = (carries: boolean) => {
      this.#reach.carries(carries);
      // It may be given units from now on.
      if (carries) parts.loop()?.hurry();
    };
    this.#served = createServedSessions({ createFleet: makeFleet, clock, log, onLink });
  }

  /** Instances that share meters and speak another version of the link than the gateway: they get none. */
  get unlike(): readonly MemberRow[] {
    const { owner, loop } = this.#parts;
    const spoken = sharedSiteOf(owner()?.sites ?? []);
    const isOther = (site: string | undefined) => site !== undefined && site !== spoken;
    if (spoken === undefined) return [];
    return (loop()?.view.members ?? []).filter(({ open, sites }) => open && isOther(sharedSiteOf(sites)));
  }

  /** Where it may connect to has changed. */
  take(settings: Settings): void {
    this.#policies.take(settings);
  }

  /** What it is in the cluster. A unit is not given away while a session of it is open. */
  get membership(): Membership {
    const ofUnit = (is: (unitId: string) => boolean) => (row: string) => {
      const unitId = unitIdOf(row);
      return unitId !== undefined && is(unitId);
    };
    return {
      sites: ['', SHARED_SITE],
      weightOf: gatewayWeight,
      isBusy: ofUnit((unitId) => this.#served.isBusy(unitId)),
      isLinked: () => this.#reach.isReached(this.#heardGateway),
      stays: ofUnit((unitId) => this.#served.keeps(unitId)),
      mayMove: () => !(this.#lacksLink || this.#served.mustStay),
      // It is called while the member answers.
      onUnwanted: () => queueMicrotask(() => void this.follow()),
    };
  }

  /** Other instances that this gateway has had no lasting link to for some time. */
  get unlinked(): readonly MemberRow[] {
    return this.#gateway?.links.lacking ?? [];
  }

  /** The gateway under its epoch; undefined while there is none, or none is heard of. */
  get #heardGateway(): string | undefined {
    const { owner, loop } = this.#parts;
    const gateway = owner();
    return gateway && !loop()?.isQuiet(gateway.id) ? `${gateway.id} ${gateway.epoch}` : undefined;
  }

  /** A gateway that has not begun, or that does not reach an instance: its meters would have no session there. */
  get #lacksLink(): boolean {
    return this.#gateway?.links.lacksOne ?? this.#parts.loop()?.holds(GATEWAY_ROLE) ?? false;
  }

  /** What this instance owns, or who the others are, may have changed. Never rejects. */
  async follow(): Promise<void> {
    const loop = this.#parts.loop();
    if (!loop) return;
    this.#tellUnlike();
    const rows = loop.view.owners.flatMap(({ unit }) => unitIdOf(unit) ?? []);
    const all = new Set([...rows, ...(this.#gateway?.units() ?? [])]);
    const isOwn = (unitId: string) => {
      const row = unitRow(unitId);
      return loop.holds(row) && !loop.unwanted.has(row);
    };
    // Each is released as soon as its session has ended. Until then the store is asked no more than usual.
    const closed = this.#served.own(new Set([...all].filter(isOwn)), () => loop.hurry());
    this.#gateway?.meters.ownersChanged();
    this.#keepLinks();
    await closed;
  }

  /** This instance is the gateway: its meters, wherever their sessions are. */
  begin({ configs, families, known, events, taps }: SharingGateway): Fleet {
    const { clock, log, settings } = this.#parts;
    const here = this.#served.here({ configs, known, events, taps });
    if (!here) throw new Error('the sessions of this instance have no fleet for its own gateway');
    const around = { families, known, events, taps, clock, log };
    const requestDeadlineMs = settings.request_deadline_ms;
    const meters = new SharedMeters({
      ...{ ...around, here, configs, ownerOf: this.#ownerOf },
      connect: (pipe, told, had) =>
        new RemoteMeters({ ...around, pipe, configs: told, requestDeadlineMs, ...(had !== undefined && { had }) }),
      kept: (unitId) => this.#served.takeKept(unitId),
      learn: (unitId, state) => this.#served.learn(unitId, state),
      // What is watched is kept for the next gateway, so this comes before the feeds end.
      onClose: () => {
        this.#gateway?.end();
        this.#gateway = undefined;
      },
    });
    const units = () => configs.list().map(({ unitId }) => unitId);
    const declare = () => {
      this.#parts.loop()?.declare(units().map((unitId) => ({ unit: unitRow(unitId), site: SHARED_SITE })));
      void this.follow();
    };
    const unfollow = configs.onChange(declare);
    const links = new InstanceLinks({ clock, log, meters, open: (other, signal) => this.#open(other, signal) });
    const end = () => {
      unfollow();
      links.end();
      this.#served.here(undefined);
    };
    this.#gateway = { meters, links, units, end };
    declare();
    this.#keepLinks();
    return meters;
  }

  /** Everybody listens who wants to hear how the meters are. */
  tellStates(): void {
    this.#served.tellStates();
  }

  /** The gateway here is about to stop. */
  leaving(): void {
    this.#gateway?.meters.leaving();
  }

  /** Ends all sessions in good order. */
  async close(): Promise<void> {
    this.#gateway?.end();
    await this.#served.close();
    await this.#kept.places?.settled();
  }

  /** A handshake of another instance, which says that it is the gateway. */
  join = {
    path: PATH,
    join: (request: IncomingMessage, socket: Socket, head: Buffer): void => {
      const { passedOn, me, owner } = this.#parts;
      const gateway = new URLSearchParams(request.url?.split('?')[1]).get('gateway');
      const isProved = isOfInstance(passedOn, 'GET', request, me());
      if (!isProved || gateway !== owner()?.id) endWith('NOT_FOUND', socket);
      else this.#door.open(request, socket, head, (pipe) => this.#served.attach(pipe));
    },
  };

  /** Whose the session of a unit is; undefined while it is nobody's, or ends here. */
  #ownerOf = (unitId: string): 'here' | string | undefined => {
    const { me } = this.#parts;
    const loop = this.#parts.loop();
    if (!loop) return undefined;
    const row = unitRow(unitId);
    const member = unitOwner(loop.view, row);
    if (member === undefined || member !== me()?.id) return member;
    return loop.holds(row) && !loop.unwanted.has(row) ? 'here' : undefined;
  };

  #tellUnlike(): void {
    const { log, owner } = this.#parts;
    const present = new Map(this.unlike.map((other) => [`${other.id} ${other.epoch} ${owner()?.id}`, other]));
    for (const [key, { name, version }] of present) {
      if (this.#toldUnlike.has(key)) continue;
      const about = { instance: name, version, gateway: owner()?.name, gateway_version: owner()?.version };
      log.warn(about, 'an instance serves no meters: its link has another version than that of the gateway');
    }
    this.#toldUnlike = new Set(present.keys());
  }

  /** A link to each instance that serves sessions. */
  #keepLinks(): void {
    const { loop, me } = this.#parts;
    const serves = ({ id, open, sites }: MemberRow) => open && sites.includes(SHARED_SITE) && id !== me()?.id;
    this.#gateway?.links.keep((loop()?.view.members ?? []).filter(serves));
  }

  #open(other: MemberRow, signal: AbortSignal) {
    const { clock, passedOn, me } = this.#parts;
    const url = `${PATH}?${new URLSearchParams({ gateway: me()?.id ?? '' })}`;
    const headers = { [PROOF_HEADER]: passedOn.prove(ofInstances('GET', url), other) };
    const late = () => new Error(`no answer within ${OPEN_MS} ms`);
    const target = new URL(url, other.address.replace(/^http/, 'ws')).href;
    return within(clock, OPEN_MS, late, (own) => dialPipe(target, headers, clock, own), signal);
  }
}

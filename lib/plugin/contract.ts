/**
 * What a plugin is and what it may see. A plugin never gets Koa's app, the ORM or a socket. Everything it registers is
 * undone in reverse order when it stops, or when its `register` throws.
 */
import type { IssuerSessions } from '../access/contract.ts';
import type { AuditReader, AuditSealer } from '../audit/contract.ts';
import type { Calibrations } from '../calibration/contract.ts';
import type { Clock } from '../clock.ts';
import type { InstancesKnown } from '../cluster/contract.ts';
import type { Table } from '../domain/fields/table.ts';
import type { Rights } from '../domain/ids.ts';
import type { Families } from '../drivers/contract.ts';
import type { EventData, EventKind, GatewayEvent, Hearing, WireTaps } from '../events/contract.ts';
import type { Card } from '../files/contract.ts';
import type { History, StoredRows } from '../history/contract.ts';
import type { Assets, Route, Schema, SocketRoute } from '../http/contract.ts';
import type { AskRoute, CallRoute } from '../http/inside/contract.ts';
import type { Jobs } from '../jobs/contract.ts';
import type { Log } from '../log.ts';
import type { Meters } from '../meter/contract.ts';
import type { Notes } from '../notes/contract.ts';
import type { Mails, Outbound } from '../outbound/contract.ts';
import type { GatewayKeys } from '../signing/contract.ts';
import type { PartState, PartTrouble, Status } from '../status/contract.ts';
import type { ConfigStore, Secrets, SnapshotStore, TableMigration, Tables } from '../store/contract.ts';

export type { Access, Client, Identity, Request, Route, Schema, SocketRoute } from '../http/contract.ts';

/** The gateway, as a plugin sees it. `settings` are those below its name, checked by its schema. */
export interface Host<Settings = unknown> extends Meters {
  readonly settings: Settings;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts when the plugin ends. */
  readonly signal: AbortSignal;
  readonly configs: ConfigStore;
  /** What meters can do: a config names one of them. */
  readonly families: Families;
  /** The last values of each meter. They are written by events: publish a `reading`. */
  readonly snapshots: Pick<SnapshotStore, 'get'>;
  /** The same with ages, and what is wrong with them. */
  readonly status: Status;
  readonly audit: AuditReader & AuditSealer;
  /** Long work. A kind is forgotten with the plugin that brought it. */
  readonly jobs: Jobs;
  /**
   * The plugin's own tables, made and kept up to date by its migrations, each of which runs once. Names of tables begin
   * with the name of the plugin.
   */
  tables(tables: readonly Table<never>[], migrations: readonly TableMigration[]): Promise<Tables>;
  /** The plugin's own secrets, encrypted at rest. */
  readonly secrets: Secrets;
  /** Calls to addresses that users enter; the settings outbound_allow_networks and outbound_deny_networks say where to. */
  readonly outbound: Outbound;
  /** Mail to targets that somebody entered: from the plugin that sends it to those that have some. Ends with the plugin that offers it. */
  readonly mails: Mails;
  /** A folder of the plugin's own in the data folder, made if it is not there: its path. Only this user can read it. */
  folder(): Promise<string>;
  /** The levels that are kept of each meter. */
  readonly history: History;
  /** The same row by row, as they are stored. */
  readonly stored: StoredRows;
  /** Notes of people, and the time that does not count. */
  readonly notes: Notes;
  /** What checks with a calibrator found. */
  readonly calibrations: Calibrations;
  /** The key of this gateway, which signs what it hands over. */
  readonly evidence: GatewayKeys;
  /**
   * Calls for every event of this kind, of any unit unless `hearing` says otherwise, until the disposer is called or the plugin ends.
   * Synchronous: slow work belongs into a queue of its own.
   */
  on<Kind extends EventKind>(kind: Kind, listener: (event: GatewayEvent<Kind>) => void, hearing?: Hearing): () => void;
  /** Publishes an event of a unit to all listeners. Never throws. Ignored after the plugin has ended. */
  publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void;
  /** The lines to and from the meter of a unit, to find faults. The plugin ends its listeners itself. */
  readonly wire: Pick<WireTaps, 'listen'>;
  /** The card of a unit; its calls answer FTP_DISABLED where FTP is off. Errors: UNIT_NOT_FOUND. */
  card(unitId: string): Card;
  /**
   * Whether the settings let the gateway connect to this host and port. Resolves a name. Errors: ADDRESS_REFUSED with the
   * setting that would allow it; the resolver's own error, which says nothing about the permission.
   */
  mayReach(address: string, port: number): Promise<void>;
  /** Throws when the definition is wrong or the path is taken. Routes are opened together, after all plugins have registered. */
  route<Body, Query>(route: Route<Body, Query>): void;
  socket<Message, Query>(route: SocketRoute<Message, Query>): void;
  /** Serves a folder to browsers. Throws when the folder cannot be read or a path is taken. Open to everybody: no secret may be in it. */
  assets(assets: Assets): void;
  /**
   * Calls a route for a caller that does not come by HTTP. Role, units and rate of the named API key count, and the audit log
   * records the call, as if the caller had sent the key.
   */
  readonly call: CallRoute;
  /** Asks a route of another plugin with the rights of the caller of the present request. */
  readonly ask: AskRoute;
  /** Sessions of people whom an issuer signs in. */
  readonly issuerSessions: IssuerSessions;
  /**
   * What somebody may do now who was a caller before: the `owner` of their identity, `key ID` of an API key, `anybody`. Undefined: they
   * have no rights any more, or the gateway cannot know it (a program with access of its own).
   */
  rightsOf(holder: string): Rights | undefined;
  /** How often wrong API keys and tickets were shown since the process began. */
  guesses(): { readonly wrongKeys: number; readonly wrongTickets: number };
  /**
   * A part of the plugin that can fail while the gateway goes on: `/health` and metrics show it by this name. `look` is called when
   * somebody asks; undefined: it works. `failures`: how often it has failed since the process began, a counter of the metrics. Ends with the
   * plugin.
   */
  part(name: string, look: () => PartTrouble | undefined, failures?: () => number): void;
  /** The parts of all plugins, and those of the gateway itself. */
  parts(): readonly PartState[];
  /** The instances that share the database of this gateway. */
  instances(): InstancesKnown;
  onStop(undo: () => void | Promise<void>): void;
}

/** A plugin module has this as its default export. */
export interface Plugin<Settings = unknown> {
  /** Lower case, unique. */
  readonly name: string;
  /** What its routes are for, in a few words: the text of their group in the API pages. */
  readonly about?: string;
  /** Schema of `plugin_settings.<name>` in the settings: an object, with titles and defaults. */
  readonly settings?: Schema;
  register(host: Host<Settings>): void | Promise<void>;
}

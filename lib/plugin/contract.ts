/**
 * The contract of a plugin, and the part of the gateway that it can use. A plugin never gets Koa's app, the ORM or a
 * socket. All its registrations are undone in reverse order when it stops, or when its `register` throws.
 */
import type { IssuerSessions } from '../access/contract.ts';
import type { AuditReader, AuditSealer } from '../audit/contract.ts';
import type { Clock } from '../clock.ts';
import type { InstancesKnown } from '../cluster/contract.ts';
import type { Table } from '../domain/fields/field.ts';
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
import type { Mails, Outbound } from '../outbound/contract.ts';
import type { GatewayKeys } from '../signing/contract.ts';
import type { PartState, PartTrouble, Status } from '../status/contract.ts';
import type { ConfigStore, Secrets, SnapshotStore, TableMigration, Tables } from '../store/contract.ts';

export type { Access, Client, Identity, Request, Route, Schema, SocketRoute } from '../http/contract.ts';

/** The gateway for a plugin. `settings` are the settings below its name, checked by its schema. */
export interface Host<Settings = unknown> extends Meters {
  readonly settings: Settings;
  /** Of the addresses of the API: `/api/nl43`; may be empty. */
  readonly basePath: string;
  /** Address of the root of the gateway for people outside, without a slash at the end; empty: the settings have none. */
  readonly publicUrl: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts when the plugin ends. */
  readonly signal: AbortSignal;
  readonly configs: ConfigStore;
  /** Abilities of meters: a config names one of these families. */
  readonly families: Families;
  /** The last values of each meter. Events write them: publish a `reading`. */
  readonly snapshots: Pick<SnapshotStore, 'get'>;
  /** The same with ages and faults. */
  readonly status: Status;
  readonly audit: AuditReader & AuditSealer;
  /** Long work. A kind is removed together with its plugin. */
  readonly jobs: Jobs;
  /**
   * The plugin's own tables. Its migrations create and update them; each migration runs once. Names of tables begin
   * with the name of the plugin, or with its `tablePrefix`.
   */
  tables(tables: readonly Table<never>[], migrations: readonly TableMigration[]): Promise<Tables>;
  /** The plugin's own secrets, encrypted at rest. */
  readonly secrets: Secrets;
  /**
   * Calls to addresses that users enter; the settings outbound_allow_networks and outbound_deny_networks limit the
   * addresses.
   */
  readonly outbound: Outbound;
  /**
   * Mail to configured targets: one plugin offers to send it, other plugins use it. Ends with the plugin that offers
   * it.
   */
  readonly mails: Mails;
  /** The plugin's own folder in the data folder, created if it is missing: its path. Only this user can read it. */
  folder(): Promise<string>;
  /** The recorded levels of each meter. */
  readonly history: History;
  /** The same row by row, as they are stored. */
  readonly stored: StoredRows;
  /** The key of this gateway, which signs what it hands over. */
  readonly signing: GatewayKeys;
  /**
   * Calls the listener for every event of this kind, of any unit unless `hearing` limits them. Ends with the disposer
   * or the plugin. Synchronous: slow work belongs in a queue of its own.
   */
  on<Kind extends EventKind>(kind: Kind, listener: (event: GatewayEvent<Kind>) => void, hearing?: Hearing): () => void;
  /** Publishes an event of a unit to all listeners. Never throws. Ignored after the plugin has ended. */
  publish<Kind extends EventKind>(unitId: string, kind: Kind, data: EventData[Kind]): void;
  /** The lines to and from the meter of a unit, to find faults. The plugin ends its listeners itself. */
  readonly wire: Pick<WireTaps, 'listen'>;
  /** The card of a unit; its calls fail with FTP_DISABLED if FTP is off. Errors: UNIT_NOT_FOUND. */
  card(unitId: string): Card;
  /**
   * Checks whether the settings let the gateway connect to this host and port. Resolves a name. Errors: ADDRESS_REFUSED
   * with the setting that would allow it; the resolver's own error, which is not about the permission.
   */
  mayReach(address: string, port: number): Promise<void>;
  /** Throws when the definition is wrong or the path is taken. Routes are opened together, after all plugins have registered. */
  route<Body, Query>(route: Route<Body, Query>): void;
  socket<Message, Query>(route: SocketRoute<Message, Query>): void;
  /**
   * Serves a folder to browsers. Throws when the folder cannot be read or a path is taken. Open to everybody: it must
   * not have secrets.
   */
  assets(assets: Assets): void;
  /**
   * Calls a route for a caller that does not use HTTP. Role, units and rate of the named API key apply. The audit log
   * records the call, as if the caller had sent the key.
   */
  readonly call: CallRoute;
  /** Asks a route of another plugin with the rights of the caller of the present request. */
  readonly ask: AskRoute;
  /** Sessions of people whom an issuer signs in. */
  readonly issuerSessions: IssuerSessions;
  /**
   * Present rights of an earlier caller: the `owner` of their identity, `key ID` of an API key, `anybody`. Undefined:
   * they have no rights now, or the gateway cannot know them (a program with access of its own).
   */
  rightsOf(holder: string): Rights | undefined;
  /** Number of wrong API keys and tickets since the process began. */
  guesses(): { readonly wrongKeys: number; readonly wrongTickets: number };
  /**
   * Registers a part of the plugin that can fail while the gateway runs: `/health` and metrics show it by this name.
   * `look` is called for each request; undefined: it works. `failures`: number of failures since the process began, a
   * counter of the metrics. Ends with the plugin.
   */
  part(name: string, look: () => PartTrouble | undefined, failures?: () => number): void;
  /**
   * The object that the `register` of another plugin returned. Throws when `uses` does not name that plugin, or when
   * that plugin failed. The object works until this plugin has ended.
   */
  use<Offered>(plugin: Plugin<never, Offered>): Offered;
  /** The parts of all plugins, and those of the gateway itself. */
  parts(): readonly PartState[];
  /** The instances that share the database of this gateway. */
  instances(): InstancesKnown;
  onStop(undo: () => void | Promise<void>): void;
}

/** A plugin module has this as its default export. `Offered`: what plugins that name it in `uses` get of it. */
export interface Plugin<Settings = unknown, Offered = void> {
  /** Lower case, unique. */
  readonly name: string;
  /** Purpose of its routes, in a few words: the text of their group in the API pages. */
  readonly about?: string;
  /** Plugins whose `index.ts` it imports. They are loaded before it, also where the setting `plugins` does not name them. No circles. */
  readonly uses?: readonly string[];
  /** Beginning of the names of its tables. Default: its name. Tables keep the name that they were released with. */
  readonly tablePrefix?: string;
  /** Schema of `plugin_settings.<name>` in the settings: an object, with titles and defaults. */
  readonly settings?: Schema;
  register(host: Host<Settings>): Offered | Promise<Offered>;
}

/** Any plugin, before its settings are checked. */
export type LoadablePlugin = Plugin<unknown, unknown>;

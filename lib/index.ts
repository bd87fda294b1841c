/** What a plugin may import, and nothing else of the gateway. Exports only. */
export { type ZipEntry, zipStream } from './archive/index.ts';
export * as cardFiles from './card/index.ts';
export { type Clock, type Deadline, deadline, sleep, unlessAborted, within } from './clock.ts';
export type { Channels, Command, Frame, FrameChannel, Level } from './driver/contract.ts';
export { DecodeError } from './driver/contract.ts';
export {
  CARD_ERRORS,
  COMMAND_ERRORS,
  ERRORS,
  type ErrorCode,
  GatewayError,
  type InputError,
  isGatewayError,
  messageOf,
  unknownUnit,
} from './errors.ts';
export type { EventData, EventKind, GatewayEvent, Stamp, WireLine } from './events/contract.ts';
export * as columns from './fields/columns.ts';
export { CONFIG_FIELDS, type MirrorConfig } from './fields/config.ts';
export { METER_COUNTER_NAMES } from './fields/counters.ts';
export { changedRecord, changeSchemas, field, shownRecord, shownSchemas, snakeCase } from './fields/field.ts';
export { base, extending, named, orNull, PLAIN_TEXT, TIME, TIME_OR_NULL, WEIGHTING, whole } from './fields/schema.ts';
export { SNAPSHOT_FIELDS } from './fields/snapshot.ts';
export { defineTable, type Table } from './fields/table.ts';
export { isTimeZone } from './fields/zone.ts';
export type { Card, Download, FileEntry, Part } from './files/contract.ts';
export { CARD_PATH } from './files/paths.ts';
export type {
  Batch,
  Extent,
  History,
  HistoryRow,
  IntervalRow,
  Query as HistoryQuery,
  SecondRow,
  Source,
  Weighting,
} from './history/contract.ts';
export { reaches } from './http/access.ts';
export { invalid } from './http/checks.ts';
export type {
  Access,
  AskedRoute,
  Assets,
  ByteRange,
  Client,
  Identity,
  Reply,
  Request,
  Route,
  Schema,
  SocketRoute,
  WordError,
} from './http/contract.ts';
export { ASKED_WEIGHTING, type AskedWeighting, weightingOf, ZONE } from './http/level-query.ts';
export { keyedPage, listQuery, NEXT, type PageQuery, pageOf } from './http/list.ts';
export { MOMENT, momentOf, openSpanOf, SPAN, spanOf } from './http/moment.ts';
export { pagePolicy } from './http/page-policy.ts';
export { etagOf, file, json, stream, text } from './http/reply.ts';
export { readOnly, settable } from './http/sent-back.ts';
export * as indices from './indices/index.ts';
export type { Job, JobFilter, JobKind, JobProgress, JobRun, JobState, StartedJob } from './jobs/contract.ts';
export { shownJob } from './jobs/shown.ts';
export type { Feed, FeedEnd, FeedStatus, Watcher } from './live/contract.ts';
export { createMailbox, type Mailbox, type MailboxParts } from './live/mailbox.ts';
export type { Log } from './log.ts';
export type {
  Caller,
  DeviceState,
  LiveFrame,
  Meter,
  MeterReport,
  Reachability,
  ReachabilityState,
  Reservation,
} from './meter/contract.ts';
export { createMetrics } from './metrics/exposition.ts';
export { clockText, isClockText } from './nl43/calendar.ts';
export type { Display, DisplayChannel } from './nl43/contract.ts';
export * as nl43 from './nl43/index.ts';
export type { Outbound, OutboundAnswer, OutboundCall, Talk } from './outbound/contract.ts';
export {
  CHART_STYLE,
  duration,
  html,
  levelChart,
  levelChartFile,
  localTime,
  type Markup,
  type ShowTime,
} from './page/index.ts';
export type { Host, Plugin } from './plugin/contract.ts';
export { ageSeconds, isFrozen, newestLevelAge, STALE_INTERVALS } from './readings/freshness.ts';
export { readLive } from './readings/live.ts';
export {
  LAST_ERROR,
  numeric,
  shownAge,
  shownError,
  shownReachability,
  shownUnit,
  shownWeighting,
  UNIT,
} from './readings/unit.ts';
export { iso, shownValues, VALUES } from './readings/values.ts';
export { type ArrivedFrame, longestPause, provisionalFrom, type Reading, Recorder } from './recording/index.ts';
export { ROOT } from './root.ts';
export * as setup from './setup/index.ts';
export type { Status, UnitStatus } from './status/contract.ts';
export type {
  ConfigStore,
  DeviceConfig,
  Rows,
  Secrets,
  Snapshot,
  SnapshotStore,
  TableMigration,
  Tables,
  Where,
} from './store/contract.ts';
export { moveOver } from './system.ts';
export * as tables from './tables/index.ts';
export { VERSION } from './version.ts';

/**
 * Names for the plugins of this package alone, beside those of `lib/index.ts`. They change from release to release, so
 * other plugins do not import them. Exports only.
 */

export type { Arrival, IssuerPerson } from './access/contract.ts';
export { cookieIn, cookieText } from './access/people/sessions.ts';
export { BoundedMap, WrongTries } from './access/tries.ts';
export { unlessAborted } from './clock.ts';
export type { InstancesKnown } from './cluster/contract.ts';
export { agesCountFrom } from './domain/ages.ts';
export { type ZipEntry, zipStream } from './domain/archive.ts';
export { CONFIG_FIELDS, METER_FIELDS } from './domain/fields/config.ts';
export { METER_COUNTER_NAMES, METER_COUNTERS } from './domain/fields/counters.ts';
export {
  changedRecord,
  changeSchemas,
  extending,
  PLAIN_LINES,
  PLAIN_TEXT,
  type RecordOf,
  shownRecord,
  shownSchemas,
  snakeCase,
  TIME_OR_NULL,
  WEIGHTING,
} from './domain/fields/field.ts';
export {
  FORM_FIELD,
  type FormChoice,
  type FormField,
  formProblems,
  formSchemas,
  plainChoices,
  shownField,
  withDefaults,
} from './domain/fields/form.ts';
export { SNAPSHOT_FIELDS } from './domain/fields/snapshot.ts';
export { countOf, fixed, inSeconds } from './domain/figures.ts';
export {
  CHANNEL_PATTERN,
  channelNames,
  GATEWAY_ID,
  INSTANCE_STATES,
  isTag,
  isUnitId,
  MAIN_CHANNEL,
  ROLES,
  type Role,
  suffices,
  titleOf,
  UNIT_ID_WORD,
  unitIds,
} from './domain/ids.ts';
export * as indices from './domain/indices/index.ts';
export { CrossedColumns, impossibleLevel, type LevelFault } from './domain/level-checks.ts';
export { masked, withoutSecret } from './domain/outside-text.ts';
export { duration, levelChartFile, localTime, type Markup, type ShowTime, script, wholePage } from './domain/page.ts';
export { PICTURE_TYPES, type PictureFacts, pictureFacts } from './domain/picture.ts';
export * as quantities from './domain/quantities.ts';
export * as tables from './domain/tables/index.ts';
export * as zones from './domain/zone.ts';
export { clockText, isClockText } from './domain/zone.ts';
export type { CardFormat, CardHeader, CardItem, CardRow } from './drivers/card/contract.ts';
export type { Families, MeterSetting, OperationName } from './drivers/contract.ts';
export { notSupported } from './drivers/not-supported.ts';
export type { Frame, FrameTiming } from './drivers/wire/contract.ts';
export { type ErrorPage, type InputError, isDiskFull, unknownUnit, type WordError } from './errors.ts';
export type { Stamp, WireLine } from './events/contract.ts';
export type { CardCaller, CardVisit, FileEntry } from './files/contract.ts';
export { untilServed } from './files/index.ts';
export { CARD_PATH } from './files/names.ts';
export type {
  Answer as HistoryAnswer,
  Batch,
  HistoryStatus,
  IntervalRow,
  SecondRow,
  StoredKind,
  Weighting,
} from './history/contract.ts';
export { longestPause } from './history/gap.ts';
export { provisionalFrom } from './history/provisional.ts';
export { STORED_COLUMNS } from './history/stored/stored-lines.ts';
export { addressPrefix, callerOf, SHARE_PATH, viewerRequest } from './http/callers.ts';
export { compileBody, invalid, readOnly, settable } from './http/checks.ts';
export type { ByteRange } from './http/contract.ts';
export { type CsvBody, type CsvLine, csvBody } from './http/csv-body.ts';
export type { AskedRoute } from './http/inside/contract.ts';
export { CallersInTurn } from './http/long-answers.ts';
export {
  ASKED_CHANNEL,
  ASKED_SERIES,
  type AskedSeries,
  type AskedSpan,
  CLOCKS_DIFFER_MS,
  keyedPage,
  listQuery,
  MOMENT,
  momentOf,
  NEXT,
  openSpanOf,
  type PageQuery,
  pageOf,
  refuseChannel,
  refuseUnrecorded,
  rowsAsked,
  seriesAsked,
  ZONE,
} from './http/query.ts';
export { etagOf, pagePolicy, sourceOf } from './http/reply.ts';
export type { DescribedKind, Job, JobRun, JobState, StartedJob } from './jobs/contract.ts';
export { shownJob } from './jobs/table.ts';
export type { DeviceState, FeedEnd, FeedStatus, LevelSettings, MeterReport, Reachability } from './meter/contract.ts';
export { readClock } from './meter/device-clock.ts';
export type {
  BytesAnswer,
  MailAttachment,
  MailOutcome,
  MailReach,
  MailSender,
  Outbound,
  Talk,
  TargetMail,
} from './outbound/contract.ts';
export { MOST_DELIVERY_TRIES, pauseAfter } from './outbound/tries.ts';
export type { KeptOfUnits } from './plugin/removed-units.ts';
export { shownVersions, type VersionedThings, versionedSchema } from './plugin/versioned-routes.ts';
export { ROOT } from './root.ts';
export type { GatewayKey } from './signing/contract.ts';
export type { Status, UnitStatus } from './status/contract.ts';
export {
  CLOCK_OFFSET,
  LAST_ERROR,
  numeric,
  START_SOURCE,
  shownAge,
  shownClockOffset,
  shownError,
  shownReachability,
  shownUnit,
  UNIT,
} from './status/unit.ts';
export {
  ageSeconds,
  BESIDE_STREAM_MS,
  isFrozen,
  LEVEL_SETTINGS_FIELDS,
  newestLevelAge,
  STALE_INTERVALS,
  shownDoubts,
  shownLevelSettings,
  shownValues,
  shownWeighting,
  VALUES,
} from './status/values.ts';
export type { ConfigStore, Rows, Secrets, Versioned, Where } from './store/contract.ts';
export { moveOver, syncFolder } from './system.ts';
export { mapInParts } from './turns.ts';
export { VERSION } from './version.ts';
export {
  filled,
  LANGUAGES,
  type Language,
  languageOf,
  type Say,
  type Sentence,
  sayIn,
  sentenceIn,
  sentencesOf,
  wordsFor,
} from './words.ts';

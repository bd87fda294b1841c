/** The gateway's API as functions. Works in browsers and in Node 22 and newer, with nothing but fetch and WebSocket. */
import { Calls, type Query } from './calls.ts';
import { type LiveOptions, liveEvents } from './live.ts';
import type {
  AcceptInvitationAnswer,
  AcceptInvitationBody,
  AcceptNoteProposalsAnswer,
  AcceptNoteProposalsBody,
  AddPhoneAnswer,
  AlertDay,
  AlertKinds,
  AlertRuleCheck,
  ApiKey,
  Assessment,
  AssessmentPreset,
  Calibration,
  ChangeAssessmentPresetBody,
  ChangePersonBody,
  ChangeReportAnswer,
  ChangeReportBody,
  ChangeReportLetterheadAnswer,
  ChangeReportLetterheadBody,
  ChangeReportTemplateAnswer,
  ChangeReportTemplateBody,
  ChangeStationAnswer,
  ChangeStationBody,
  CheckedFile,
  ClusterInstance,
  CreateInvitationAnswer,
  CreateInvitationBody,
  CreateKeyAnswer,
  CreateKeyBody,
  CreateNoteAnswer,
  CreateNoteBody,
  CreatePersonBody,
  CreateReportAnswer,
  CreateReportBody,
  CreateShareAnswer,
  CreateShareBody,
  GetAuditAnswer,
  GetClusterAnswer,
  HistoryDays,
  HolidayCalendar,
  Invitation,
  InvitationOffer,
  KeptReport,
  KeptReportDocument,
  KeptReportMailDraft,
  ListNoteProposalsAnswer,
  ListVerdictsAnswer,
  NewPhone,
  Note,
  ObservedRow,
  Permit,
  PermitRules,
  Person,
  Phone,
  PresetRules,
  PushKey,
  ReplaceExclusionRulesAnswer,
  ReplaceExclusionRulesBody,
  ReplacePermitBody,
  ReportLetterheadFull,
  ReportLetterheadListed,
  ReportTemplate,
  RunReportAnswer,
  SetConfigAnswer,
  SetNoteBody,
  Share,
  ShowExclusionRulesAnswer,
  SignedIn,
  SignInAnswer,
  SignInBody,
  SignInSession,
  Station,
  UnitVerdicts,
  WaysToSignIn,
} from './schemas.ts';
import type {
  About,
  AlertEvent,
  AlertPreview,
  AlertRule,
  AlertTarget,
  Budget,
  Capabilities,
  CardFile,
  ClockSync,
  Config,
  ConfigChange,
  Drift,
  Examination,
  Extent,
  Frame,
  History,
  Indices,
  Job,
  KeptFile,
  KeptVersion,
  LiveEvent,
  LogEntry,
  NewAlertRule,
  NewAlertTarget,
  NewScheduleEntry,
  Profile,
  ReconciledHour,
  Schedule,
  Session,
  Site,
  SoundRecording,
  Unit,
  UnitBudget,
} from './types.ts';

/** Commands for a measurement: POST of the same name. */
export type Control = 'start' | 'stop' | 'pause' | 'resume' | 'reset' | 'store';

/** Every function rejects with a `GatewayProblem`. */
export class Client extends Calls {
  about = (signal?: AbortSignal) => this.data<About>('/_about', { signal });
  units = (query?: Query) => this.data<readonly Unit[]>('/_status', query ? { query } : {});
  /** Units of other gateways, as the setting `sites` names them. */
  sites = () => this.data<readonly Site[]>('/_sites');
  config = (unitId: string) => this.data<Config>(`${at(unitId)}/config`);
  /** Abilities of the meter, by its family. The meter is not contacted. */
  capabilities = (unitId: string) => this.data<Capabilities>(`${at(unitId)}/capabilities`);
  session = (unitId: string, signal?: AbortSignal) => this.data<Session>(`${at(unitId)}/session`, { signal });
  history = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<History>(`${at(unitId)}/history`, { query, signal });
  /** The last days of all meters, today so far as the last one. */
  lastDays = (days = 7) => this.data<readonly HistoryDays[]>('/_history/days', { query: { days } });
  /** The same days by the permits of the meters, and yesterday of each permit; meters without a permit are left out. */
  lastVerdicts = (days = 7) => this.call<ListVerdictsAnswer>('/_verdicts', { query: { days } });
  /** Days of a meter by its permits: dates, both included. */
  verdicts = (unitId: string, query: Query) => this.data<UnitVerdicts>(`${at(unitId)}/verdicts`, { query });
  /** How often limits were exceeded, by unit and local day. */
  alertDays = (query: Query) => this.data<readonly AlertDay[]>('/_alerts/days', { query });
  /** Without a channel: of all. */
  extent = (unitId: string, channel?: string) =>
    this.data<Extent>(`${at(unitId)}/history/extent`, { query: { ...(channel && { channel }) } });
  indices = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<Indices>(`${at(unitId)}/indices`, { query, signal });
  /** Each local day of the span by a preset. */
  assessment = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<Assessment>(`${at(unitId)}/assessment`, { query, signal });
  assessmentPresets = () => this.data<readonly AssessmentPreset[]>('/_assessments');
  /** One page, the youngest first: 100 events unless `limit` says otherwise. */
  alerts = (query: Query) => this.data<readonly AlertEvent[]>('/_alerts/events', { query });
  /** Calendars of holidays. */
  calendars = () => this.data<readonly HolidayCalendar[]>('/_calendars');
  saveCalendar = (name: string, days: HolidayCalendar['days']) =>
    this.call<{ message: string }>(`/_calendars/${encodeURIComponent(name)}`, { method: 'PUT', body: { days } });
  /** Parts of an existing preset that the body leaves out do not change. */
  savePreset = (name: string, body: ChangeAssessmentPresetBody) =>
    this.call<{ message: string }>(`/_assessments/${encodeURIComponent(name)}`, { method: 'PUT', body });
  removePreset = (name: string) =>
    this.call<{ message: string }>(`/_assessments/${encodeURIComponent(name)}`, { method: 'DELETE' });
  /** The limits of a preset as rules, for `addRules`. */
  presetRules = (name: string, query: Query) =>
    this.data<PresetRules>(`/_assessments/${encodeURIComponent(name)}/rules`, { query });
  permits = () => this.data<readonly Permit[]>('/_permits');
  /** Replaces the permit. */
  savePermit = (name: string, body: ReplacePermitBody) =>
    this.call<{ message: string }>(`/_permits/${encodeURIComponent(name)}`, { method: 'PUT', body });
  removePermit = (name: string) =>
    this.call<{ message: string }>(`/_permits/${encodeURIComponent(name)}`, { method: 'DELETE' });
  /** The limits of a permit as rules, for `addPermitRules`. A limit without a warning level warns `margin_db` below. */
  permitRules = (name: string, margin_db = 0) =>
    this.data<PermitRules>(`/_permits/${encodeURIComponent(name)}/rules`, { query: { margin_db } });
  /** Makes them for the meters of the permit: all or none. */
  addPermitRules = (rules: PermitRules['rules']) =>
    this.call<{ message: string }>('/_alerts/rules/batch', { method: 'POST', body: { rules } });
  /** Makes them for these units: all or none. */
  addRules = (rules: PresetRules['rules'], units: readonly string[], targets: readonly string[] = []) =>
    this.call<{ message: string }>('/_alerts/rules/batch', {
      method: 'POST',
      body: { rules: rules.map((rule) => ({ ...rule, units, targets })) },
    });
  alertRules = () => this.all<AlertRule>('/_alerts/rules');
  addAlertRule = (body: NewAlertRule) => this.call<{ message: string }>('/_alerts/rules', { method: 'POST', body });
  changeAlertRule = (id: string, body: NewAlertRule) =>
    this.call<{ message: string }>(`/_alerts/rules/${id}`, { method: 'PUT', body });
  removeAlertRule = (id: string) => this.call<{ message: string }>(`/_alerts/rules/${id}`, { method: 'DELETE' });
  /** The events that a level rule would have had. */
  previewAlertRule = (rule: NewAlertRule, from: string, to: string) =>
    this.data<readonly AlertPreview[]>('/_alerts/rules/preview', { method: 'POST', body: { rule, from, to } });
  /** The words of a rule that is not made yet, and the units that record too little for it. */
  checkAlertRule = (rule: Omit<NewAlertRule, 'name'>) =>
    this.data<AlertRuleCheck>('/_alerts/rules/check', { method: 'POST', body: { rule } });
  alertKinds = () => this.data<AlertKinds>('/_alerts/kinds');
  alertTargets = () => this.all<AlertTarget>('/_alerts/targets');
  addAlertTarget = (body: NewAlertTarget) =>
    this.call<{ message: string; warning?: string }>('/_alerts/targets', { method: 'POST', body });
  /** Without a secret the present one stays. */
  changeAlertTarget = (id: string, body: NewAlertTarget) =>
    this.call<{ message: string; warning?: string }>(`/_alerts/targets/${id}`, { method: 'PUT', body });
  removeAlertTarget = (id: string) => this.call<{ message: string }>(`/_alerts/targets/${id}`, { method: 'DELETE' });
  testAlertTarget = (id: string) =>
    this.call<{ message: string; delivered: boolean }>(`/_alerts/targets/${id}/test`, { method: 'POST' });
  /** Also of an event that has ended. Without a cause the cause does not change. */
  acknowledge = (id: string, note: string, cause?: string) =>
    this.call<{ message: string }>(`/_alerts/events/${id}/ack`, {
      method: 'POST',
      body: { note, ...(cause !== undefined && { cause }) },
    });
  /** Looks for what is wrong, step by step; takes about ten seconds. */
  doctor = (unitId: string) => this.data<Examination>(`${at(unitId)}/doctor`, { query: { timeout_s: 60 } });
  /** API keys without their texts. For admins, like the next three. */
  keys = () => this.all<ApiKey>('/_keys');
  /** The person or key of this client. */
  whoAmI = () => this.data<SignedIn>('/_session');
  /** For pages of the gateway: the browser keeps a cookie. */
  signIn = (body: SignInBody) => this.call<SignInAnswer>('/_session', { method: 'POST', body });
  /** Ends the session of the browser, in all its tabs. */
  signOut = () => this.call<{ message: string; issuer_sign_out: string | null }>('/_session', { method: 'DELETE' });
  /** How one can sign in. */
  waysToSignIn = () => this.data<WaysToSignIn>('/_session/ways');
  /** Own sessions; all of them for admins. */
  sessions = () => this.all<SignInSession>('/_sessions');
  /** The instances that share one database; none where the gateway is alone. */
  instances = () => this.data<readonly ClusterInstance[]>('/_cluster');
  /** The same, with the meters that no instance serves now. */
  cluster = () => this.call<GetClusterAnswer>('/_cluster');
  /** Removes an instance that is silent or was stopped, by name or id. For admins. */
  removeInstance = (nameOrId: string) =>
    this.call<{ message: string }>(`/_cluster/${encodeURIComponent(nameOrId)}`, { method: 'DELETE' });
  endSession = (id: string) => this.call<{ message: string }>(`/_sessions/${id}`, { method: 'DELETE' });
  /** The public key that a browser subscribes to notifications with. */
  pushKey = () => this.data<PushKey>('/_push/key');
  phones = () => this.all<Phone>('/_push');
  addPhone = (body: NewPhone) => this.call<AddPhoneAnswer>('/_push', { method: 'POST', body });
  removePhone = (id: string) => this.call<{ message: string }>(`/_push/${id}`, { method: 'DELETE' });
  /** For admins. */
  people = () => this.all<Person>('/_people');
  addPerson = (body: CreatePersonBody) =>
    this.call<{ message: string; data: Person }>('/_people', { method: 'POST', body });
  /** Missing properties stay. */
  changePerson = (name: string, body: ChangePersonBody) =>
    this.call<{ message: string; data: Person }>(personAt(name), { method: 'PUT', body });
  removePerson = (name: string) => this.call<{ message: string }>(personAt(name), { method: 'DELETE' });
  /** Ends all sessions of the person. */
  signOutPerson = (name: string) => this.call<{ message: string }>(`${personAt(name)}/sessions`, { method: 'DELETE' });
  /** Invitations that nobody has used yet, without their links. For admins, like the next two. */
  invitations = () => this.all<Invitation>('/_invitations');
  /** The answer has the link, only this once: a path below the root of the gateway. */
  invite = (body: CreateInvitationBody) => this.call<CreateInvitationAnswer>('/_invitations', { method: 'POST', body });
  removeInvitation = (id: string) => this.call<{ message: string }>(`/_invitations/${id}`, { method: 'DELETE' });
  /** The rights that an invitation gives, or the code for the first admin. For everybody who has it, like the next one. */
  lookAtInvitation = (token: string) => this.data<InvitationOffer>('/_invitation', { method: 'POST', body: { token } });
  /** For pages of the gateway: the browser keeps a cookie. */
  acceptInvitation = (body: AcceptInvitationBody) =>
    this.call<AcceptInvitationAnswer>('/_invitation/person', { method: 'POST', body });
  /** The answer has the key itself, only this once. */
  addKey = (body: CreateKeyBody) => this.call<CreateKeyAnswer>('/_keys', { method: 'POST', body });
  revokeKey = (id: string) => this.call<{ message: string }>(`/_keys/${id}`, { method: 'DELETE' });
  /** Links for residents and clients, without the links themselves. For admins, like the next two. */
  shares = () => this.all<Share>('/_shares');
  /** The answer has the link, only this once. */
  addShare = (body: CreateShareBody) => this.call<CreateShareAnswer>('/_shares', { method: 'POST', body });
  revokeShare = (id: string) => this.call<{ message: string }>(`/_shares/${id}`, { method: 'DELETE' });
  /** Changes and their authors, the latest first. */
  activity = (query: Query) => this.call<GetAuditAnswer>('/_audit', { query });
  budgets = () => this.all<UnitBudget>('/_budget');
  budget = (unitId: string) => this.all<Budget>(`${at(unitId)}/budget`);
  jobs = (query: Query = {}) => this.data<readonly Job[]>('/_jobs', { query });

  /** Creates the unit if it does not exist. */
  configure = (unitId: string, body: ConfigChange) =>
    this.call<SetConfigAnswer>(`${at(unitId)}/config`, { method: 'PUT', body });
  /** Rejects with PRECONDITION_FAILED if the unit exists: then nothing is changed. */
  create = (unitId: string, body: ConfigChange) =>
    this.call<SetConfigAnswer>(`${at(unitId)}/config`, { method: 'PUT', body, headers: { 'If-None-Match': '*' } });
  remove = (unitId: string) => this.call<{ message: string }>(`${at(unitId)}/config`, { method: 'DELETE' });
  control = (unitId: string, control: Control) =>
    this.call<{ message: string; warning?: string }>(`${at(unitId)}/${control}`, { method: 'POST' });

  /** A setting of the meter by its path: `clock`, `frequency-weighting`. Asks the meter. */
  setting = (unitId: string, path: string) => this.call<Readonly<Record<string, string>>>(`${at(unitId)}/${path}`);
  set = (unitId: string, path: string, body: object) =>
    this.call<Readonly<Record<string, string>> & { readonly message: string }>(`${at(unitId)}/${path}`, {
      method: 'PUT',
      body,
    });
  /** A switch of the meter: `ftp/enable`, `wake`. */
  post = (unitId: string, path: string) => this.call<{ message: string }>(`${at(unitId)}/${path}`, { method: 'POST' });

  /** Reads the display of the meter now. Takes a second or two. */
  live = (unitId: string) => this.call<{ data: Readonly<Record<string, unknown>> }>(`${at(unitId)}/live`);

  async files(unitId: string, path: string): Promise<readonly CardFile[]> {
    const answer = await this.call<{ files: readonly CardFile[] }>(`${at(unitId)}/ftp/files`, { query: { path } });
    return answer.files;
  }

  /** Copies on the gateway, at most 1,000 of them. */
  keptFiles = (unitId: string, query: Query = { limit: 1_000 }) =>
    this.data<readonly KeptFile[]>(`${at(unitId)}/files`, { query });
  /** All copies of a path: of each card, and those whose bytes were replaced. */
  fileVersions = (unitId: string, path: string) =>
    this.data<readonly KeptVersion[]>(`${at(unitId)}/files/versions`, { query: { path } });
  /** Copied recordings of sound that may overlap a span (`from`, `to`), the newest first: 100 unless `limit` says otherwise. */
  recordings = (query: Query) => this.data<readonly SoundRecording[]>('/_recordings', { query });
  reconciliation = (unitId: string, query: Query) =>
    this.all<ReconciledHour>(`${at(unitId)}/files/reconciliation`, query);
  /** Fetches what is new on the card; a job. */
  mirror = (unitId: string) => this.call<{ message: string; job: string }>(`${at(unitId)}/mirror`, { method: 'POST' });

  /** Sets the clock of the meter to the time of its place. */
  syncClock = (unitId: string) =>
    this.call<{ message: string; data: ClockSync }>(`${at(unitId)}/clock/sync`, { method: 'POST' });
  /** A whole measurement from start to files, without anybody at the meter; a job. */
  startCycle = (unitId: string, profile?: string, more: { readonly store?: 'auto' | 'nothing' } = {}) =>
    this.call<{ message: string; job: string }>(`${at(unitId)}/cycle/start`, {
      method: 'POST',
      body: { ...more, ...(profile !== undefined && { profile }) },
    });
  stopCycle = (unitId: string) =>
    this.call<{ message: string; job: string }>(`${at(unitId)}/cycle/stop`, { method: 'POST', body: {} });
  schedule = (unitId: string) => this.data<Schedule>(`${at(unitId)}/schedule`);
  /** Without a zone that of the unit counts; without entries nothing runs by itself. */
  setSchedule = (
    unitId: string,
    body: { readonly zone?: string | null; readonly entries: readonly NewScheduleEntry[] },
  ) => this.call<{ message: string; data: Schedule }>(`${at(unitId)}/schedule`, { method: 'PUT', body });
  profiles = () => this.all<Profile>('/_profiles');
  saveProfile = (name: string, body: Pick<Profile, 'description' | 'settings'>) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}`, { method: 'PUT', body });
  removeProfile = (name: string) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}`, { method: 'DELETE' });
  applyProfile = (name: string, units: readonly string[]) =>
    this.call<{ message: string }>(`/_profiles/${encodeURIComponent(name)}/apply`, { method: 'POST', body: { units } });
  drift = (name: string) => this.all<Drift>(`/_profiles/${encodeURIComponent(name)}/drift`);
  /** The newest first. */
  log = (unitId: string, query: Query) =>
    this.call<{ data: readonly LogEntry[]; next: string | null }>(`${at(unitId)}/log`, { query });

  download = (unitId: string, path: string) =>
    this.blob(`${at(unitId)}/ftp/download`, { method: 'POST', body: { remote_path: path } });

  /** Notes and exclusions of a unit, the newest first: one page, 100 of them unless `limit` says otherwise. */
  notes = (unitId: string, query: Query = {}) => this.data<readonly Note[]>(`${at(unitId)}/notes`, { query });
  addNote = (unitId: string, body: CreateNoteBody) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes`, { method: 'POST', body });
  changeNote = (unitId: string, id: string, body: SetNoteBody) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, { method: 'PUT', body });
  removeNote = (unitId: string, id: string) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, { method: 'DELETE' });
  // Stations that observe weather and traffic.

  /** Checks of all meters with a calibrator, the newest first. */
  calibrations = () => this.data<readonly Calibration[]>('/_calibrations', { query: { limit: 1_000 } });
  stations = () => this.data<readonly Station[]>('/_stations');
  /** Creates a station, or changes the given fields of it. */
  changeStation = (id: string, body: ChangeStationBody) =>
    this.call<ChangeStationAnswer>(`/_stations/${encodeURIComponent(id)}`, { method: 'PUT', body });
  /** With all that it observed. */
  removeStation = (id: string) =>
    this.call<{ message: string }>(`/_stations/${encodeURIComponent(id)}`, { method: 'DELETE' });
  /** Observations of a station: `from`, `to` and `step`, such as 1h. */
  observations = (id: string, query: Query, signal?: AbortSignal) =>
    this.data<readonly ObservedRow[]>(`/_stations/${encodeURIComponent(id)}/observations`, { query, signal });
  /** Which observations are a reason to exclude levels of a unit. */
  exclusionRules = (unitId: string) => this.data<ShowExclusionRulesAnswer['data']>(`${at(unitId)}/notes/rules`);
  /** All of them. */
  replaceExclusionRules = (unitId: string, body: ReplaceExclusionRulesBody) =>
    this.call<ReplaceExclusionRulesAnswer>(`${at(unitId)}/notes/rules`, { method: 'PUT', body });
  /** Times to exclude because of observations, and times without observations. */
  noteProposals = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.call<ListNoteProposalsAnswer>(`${at(unitId)}/notes/proposals`, { query, signal });
  /** Excludes them. */
  acceptNoteProposals = (unitId: string, body: AcceptNoteProposalsBody) =>
    this.call<AcceptNoteProposalsAnswer>(`${at(unitId)}/notes/proposals/accept`, { method: 'POST', body });

  /** Reports that are kept, the oldest first. */
  reports = () => this.all<KeptReport>('/_reports');
  report = (id: string) => this.data<KeptReport>(`/_reports/${id}`);
  addReport = (body: CreateReportBody) => this.call<CreateReportAnswer>('/_reports', { method: 'POST', body });
  changeReport = (id: string, body: ChangeReportBody) =>
    this.call<ChangeReportAnswer>(`/_reports/${id}`, { method: 'PUT', body });
  removeReport = (id: string) => this.call<{ message: string }>(`/_reports/${id}`, { method: 'DELETE' });
  /** The answer has the id of its job. */
  runReport = (id: string, query: Query = {}) =>
    this.call<RunReportAnswer>(`/_reports/${id}/run`, { method: 'POST', query });
  /** The mail of a run that is still to be made. */
  reportMail = (id: string, query: Query = {}) => this.data<KeptReportMailDraft>(`/_reports/${id}/mail`, { query });
  /** The newest first. */
  reportDocuments = (id: string) => this.all<KeptReportDocument>(`/_reports/${id}/documents`);
  /** Also without an API key. */
  checkReportFile = (query: { readonly sha256: string }) => this.data<CheckedFile>('/_reports/check', { query });
  /** The templates of the gateway come first. */
  reportTemplates = () => this.data<readonly ReportTemplate[]>('/_reports/templates');
  reportTemplate = (name: string) => this.data<ReportTemplate>(template(name));
  changeReportTemplate = (name: string, body: ChangeReportTemplateBody) =>
    this.call<ChangeReportTemplateAnswer>(template(name), { method: 'PUT', body });
  removeReportTemplate = (name: string) => this.call<{ message: string }>(template(name), { method: 'DELETE' });
  /** Each with the SHA-256 of its picture. */
  reportLetterheads = () => this.data<readonly ReportLetterheadListed[]>('/_reports/letterheads');
  /** With its picture as Base64. */
  reportLetterhead = (name: string) => this.data<ReportLetterheadFull>(letterhead(name));
  changeReportLetterhead = (name: string, body: ChangeReportLetterheadBody) =>
    this.call<ChangeReportLetterheadAnswer>(letterhead(name), { method: 'PUT', body });
  removeReportLetterhead = (name: string) => this.call<{ message: string }>(letterhead(name), { method: 'DELETE' });

  /**
   * Endless: leave the loop or abort the signal to end it. Rejects if the key is refused. A slow loop misses frames and
   * readings, and `missed` counts them.
   */
  events(given: LiveOptions = {}): AsyncGenerator<LiveEvent, void> {
    const options = { ...(this.signal && { signal: this.signal }), ...given };
    return liveEvents((tries) => this.liveAddress(tries, options.signal), options);
  }

  /** Frames of one meter, most often ten a second, and what happens to its stream. Endless, as `events`. */
  async *frames(unitId: string, options: Omit<LiveOptions, 'units' | 'events'> = {}): AsyncGenerator<Frame, void> {
    let before = 0;
    for await (const event of this.events({ ...options, units: [unitId], events: ['frame'] })) {
      const missed = before + event.missed;
      before = event.event === 'frame' ? 0 : missed;
      if (event.event === 'frame') yield { time: event.time, missed, ...event.data };
    }
  }
}

const personAt = (name: string): string => `/_people/${encodeURIComponent(name)}`;
const at = (unitId: string): string => `/${encodeURIComponent(unitId)}`;
const template = (name: string): string => `/_reports/templates/${encodeURIComponent(name)}`;
const letterhead = (name: string): string => `/_reports/letterheads/${encodeURIComponent(name)}`;

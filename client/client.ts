/** The gateway's API as functions. Works in browsers and in Node 22 and newer, with nothing but fetch and WebSocket. */
import { Calls, type Query } from './calls.ts';
import { type LiveOptions, liveEvents } from './live.ts';
import type * as api from './schemas.ts';
import type { Frame, LiveEvent } from './types.ts';

/** Commands for a measurement: POST of the same name. */
export type Control = 'start' | 'stop' | 'pause' | 'resume' | 'reset' | 'store';

interface Done {
  readonly message: string;
}

/** Every function rejects with a `GatewayProblem`. */
export class Client extends Calls {
  #put<Answer = Done>(path: string, body: object): Promise<Answer> {
    return this.call(path, { method: 'PUT', body });
  }

  #post<Answer = Done>(path: string, body?: object): Promise<Answer> {
    return this.call(path, { method: 'POST', ...(body && { body }) });
  }

  #delete(path: string): Promise<Done> {
    return this.call(path, { method: 'DELETE' });
  }

  about = (signal?: AbortSignal) => this.data<api.About>('/_about', { signal });
  units = (query?: Query) => this.data<readonly api.Unit[]>('/_status', query ? { query } : {});
  /** Units of other gateways, as the setting `sites` names them. */
  sites = () => this.data<readonly api.Site[]>('/_sites');
  config = (unitId: string) => this.data<api.Config>(`${at(unitId)}/config`);
  /** Abilities of the meter, by its family. The meter is not contacted. */
  capabilities = (unitId: string) => this.data<api.Capabilities>(`${at(unitId)}/capabilities`);
  session = (unitId: string, signal?: AbortSignal) => this.data<api.Session>(`${at(unitId)}/session`, { signal });
  history = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<api.History>(`${at(unitId)}/history`, { query, signal });
  /** The last days of all meters, today so far as the last one. */
  lastDays = (days = 7) => this.data<readonly api.HistoryDays[]>('/_history/days', { query: { days } });
  /** The same days by the permits of the meters, and yesterday of each permit; meters without a permit are left out. */
  lastVerdicts = (days = 7) => this.call<api.ListVerdictsAnswer>('/_verdicts', { query: { days } });
  /** Days of a meter by its permits: dates, both included. */
  verdicts = (unitId: string, query: Query) => this.data<api.UnitVerdicts>(`${at(unitId)}/verdicts`, { query });
  /** How often limits were exceeded, by unit and local day. */
  alertDays = (query: Query) => this.data<readonly api.AlertDay[]>('/_alerts/days', { query });
  /** Without a channel: of all. */
  extent = (unitId: string, channel?: string) =>
    this.data<api.HistoryExtent>(`${at(unitId)}/history/extent`, { query: { ...(channel && { channel }) } });
  indices = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<api.Indices>(`${at(unitId)}/indices`, { query, signal });
  /** Each local day of the span by a preset. */
  assessment = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.data<api.Assessment>(`${at(unitId)}/assessment`, { query, signal });
  assessmentPresets = () => this.data<readonly api.AssessmentPreset[]>('/_assessments');
  /** One page, the youngest first: 100 events unless `limit` says otherwise. */
  alerts = (query: Query) => this.data<readonly api.AlertEvent[]>('/_alerts/events', { query });
  calendars = () => this.data<readonly api.HolidayCalendar[]>('/_calendars');
  saveCalendar = (name: string, days: api.HolidayCalendar['days']) =>
    this.#put(`/_calendars/${encodeURIComponent(name)}`, { days });
  /** Parts of an existing preset that the body leaves out do not change. */
  savePreset = (name: string, body: api.ChangeAssessmentPresetBody) =>
    this.#put(`/_assessments/${encodeURIComponent(name)}`, body);
  removePreset = (name: string) => this.#delete(`/_assessments/${encodeURIComponent(name)}`);
  /** The limits of a preset as rules, for `addRules`. */
  presetRules = (name: string, query: Query) =>
    this.data<api.PresetRules>(`/_assessments/${encodeURIComponent(name)}/rules`, { query });
  permits = () => this.data<readonly api.Permit[]>('/_permits');
  /** Replaces the permit. */
  savePermit = (name: string, body: api.ReplacePermitBody) => this.#put(`/_permits/${encodeURIComponent(name)}`, body);
  removePermit = (name: string) => this.#delete(`/_permits/${encodeURIComponent(name)}`);
  /** The limits of a permit as rules, for `addPermitRules`. A limit without a warning level warns `margin_db` below. */
  permitRules = (name: string, margin_db = 0) =>
    this.data<api.PermitRules>(`/_permits/${encodeURIComponent(name)}/rules`, { query: { margin_db } });
  /** Makes them for the meters of the permit: all or none. */
  addPermitRules = (rules: api.PermitRules['rules']) => this.#post('/_alerts/rules/batch', { rules });
  /** Makes them for these units: all or none. */
  addRules = (rules: api.PresetRules['rules'], units: readonly string[], targets: readonly string[] = []) =>
    this.#post('/_alerts/rules/batch', { rules: rules.map((rule) => ({ ...rule, units, targets })) });
  alertRules = () => this.all<api.AlertRule>('/_alerts/rules');
  addAlertRule = (body: api.NewAlertRule) => this.#post('/_alerts/rules', body);
  changeAlertRule = (id: string, body: api.NewAlertRule) => this.#put(`/_alerts/rules/${id}`, body);
  removeAlertRule = (id: string) => this.#delete(`/_alerts/rules/${id}`);
  /** The events that a level rule would have had. */
  previewAlertRule = (rule: api.NewAlertRule, from: string, to: string) =>
    this.data<readonly api.AlertPreview[]>('/_alerts/rules/preview', { method: 'POST', body: { rule, from, to } });
  /** The words of a rule that is not made yet, and the units that record too little for it. */
  checkAlertRule = (rule: Omit<api.NewAlertRule, 'name'>) =>
    this.data<api.AlertRuleCheck>('/_alerts/rules/check', { method: 'POST', body: { rule } });
  alertKinds = () => this.data<api.AlertKinds>('/_alerts/kinds');
  alertTargets = () => this.all<api.AlertTarget>('/_alerts/targets');
  addAlertTarget = (body: api.NewAlertTarget) =>
    this.#post<{ message: string; warning?: string }>('/_alerts/targets', body);
  /** Without a secret the present one stays. */
  changeAlertTarget = (id: string, body: api.NewAlertTarget) =>
    this.#put<{ message: string; warning?: string }>(`/_alerts/targets/${id}`, body);
  removeAlertTarget = (id: string) => this.#delete(`/_alerts/targets/${id}`);
  testAlertTarget = (id: string) => this.#post<{ message: string; delivered: boolean }>(`/_alerts/targets/${id}/test`);
  /** Also of an event that has ended. Without a cause the cause does not change. */
  acknowledge = (id: string, note: string, cause?: string) =>
    this.#post(`/_alerts/events/${id}/ack`, { note, ...(cause !== undefined && { cause }) });
  /** Looks for what is wrong, step by step; takes about ten seconds. */
  doctor = (unitId: string) => this.data<api.Examination>(`${at(unitId)}/doctor`, { query: { timeout_s: 60 } });
  keys = () => this.all<api.ApiKey>('/_keys');
  /** The person or key of this client. */
  whoAmI = () => this.data<api.SignedIn>('/_session');
  /** For pages of the gateway: the browser keeps a cookie. */
  signIn = (body: api.SignInBody) => this.#post<api.SignInAnswer>('/_session', body);
  signOut = () => this.call<{ message: string; issuer_sign_out: string | null }>('/_session', { method: 'DELETE' });
  waysToSignIn = () => this.data<api.WaysToSignIn>('/_session/ways');
  /** Own sessions; all of them for admins. */
  sessions = () => this.all<api.SignInSession>('/_sessions');
  /** The instances that share one database; none where the gateway is alone. */
  instances = () => this.data<readonly api.ClusterInstance[]>('/_cluster');
  /** The same, with the meters that no instance serves now. */
  cluster = () => this.call<api.GetClusterAnswer>('/_cluster');
  /** Removes an instance that is silent or was stopped, by name or id. For admins. */
  removeInstance = (nameOrId: string) => this.#delete(`/_cluster/${encodeURIComponent(nameOrId)}`);
  endSession = (id: string) => this.#delete(`/_sessions/${id}`);
  /** The public key that a browser subscribes to notifications with. */
  pushKey = () => this.data<api.PushKey>('/_push/key');
  phones = () => this.all<api.Phone>('/_push');
  addPhone = (body: api.NewPhone) => this.#post<api.AddPhoneAnswer>('/_push', body);
  removePhone = (id: string) => this.#delete(`/_push/${id}`);
  /** For admins. */
  people = () => this.all<api.Person>('/_people');
  addPerson = (body: api.CreatePersonBody) => this.#post<{ message: string; data: api.Person }>('/_people', body);
  /** Missing properties stay. */
  changePerson = (name: string, body: api.ChangePersonBody) =>
    this.#put<{ message: string; data: api.Person }>(personAt(name), body);
  removePerson = (name: string) => this.#delete(personAt(name));
  /** Ends all sessions of the person. */
  signOutPerson = (name: string) => this.#delete(`${personAt(name)}/sessions`);
  /** Invitations that nobody has used yet, without their links. For admins, like the next two. */
  invitations = () => this.all<api.Invitation>('/_invitations');
  /** The answer has the link, only this once: a path below the root of the gateway. */
  invite = (body: api.CreateInvitationBody) => this.#post<api.CreateInvitationAnswer>('/_invitations', body);
  removeInvitation = (id: string) => this.#delete(`/_invitations/${id}`);
  /** The rights that an invitation gives, or the code for the first admin. For everybody who has it, like the next one. */
  lookAtInvitation = (token: string) =>
    this.data<api.InvitationOffer>('/_invitation', { method: 'POST', body: { token } });
  /** For pages of the gateway: the browser keeps a cookie. */
  acceptInvitation = (body: api.AcceptInvitationBody) =>
    this.#post<api.AcceptInvitationAnswer>('/_invitation/person', body);
  /** The answer has the key itself, only this once. */
  addKey = (body: api.CreateKeyBody) => this.#post<api.CreateKeyAnswer>('/_keys', body);
  revokeKey = (id: string) => this.#delete(`/_keys/${id}`);
  /** Links for residents and clients, without the links themselves. For admins, like the next two. */
  shares = () => this.all<api.Share>('/_shares');
  /** The answer has the link, only this once. */
  addShare = (body: api.CreateShareBody) => this.#post<api.CreateShareAnswer>('/_shares', body);
  revokeShare = (id: string) => this.#delete(`/_shares/${id}`);
  /** Changes and their authors, the latest first. */
  activity = (query: Query) => this.call<api.GetAuditAnswer>('/_audit', { query });
  budgets = () => this.all<api.UnitBudget>('/_budget');
  budget = (unitId: string) => this.all<api.Budget>(`${at(unitId)}/budget`);
  jobs = (query: Query = {}) => this.data<readonly api.Job[]>('/_jobs', { query });

  /** Creates the unit if it does not exist. */
  configure = (unitId: string, body: api.ConfigChange) => this.#put<api.SetConfigAnswer>(`${at(unitId)}/config`, body);
  /** Rejects with PRECONDITION_FAILED if the unit exists: then nothing is changed. */
  create = (unitId: string, body: api.ConfigChange) =>
    this.call<api.SetConfigAnswer>(`${at(unitId)}/config`, { method: 'PUT', body, headers: { 'If-None-Match': '*' } });
  remove = (unitId: string) => this.#delete(`${at(unitId)}/config`);
  control = (unitId: string, control: Control) =>
    this.#post<{ message: string; warning?: string }>(`${at(unitId)}/${control}`);

  /** A setting of the meter by its path: `clock`, `frequency-weighting`. Asks the meter. */
  setting = (unitId: string, path: string) => this.call<Readonly<Record<string, string>>>(`${at(unitId)}/${path}`);
  set = (unitId: string, path: string, body: object) =>
    this.#put<Readonly<Record<string, string>> & { readonly message: string }>(`${at(unitId)}/${path}`, body);
  /** A switch of the meter: `ftp/enable`, `wake`. */
  post = (unitId: string, path: string) => this.#post(`${at(unitId)}/${path}`);

  /** Reads the display of the meter now. Takes a second or two. */
  live = (unitId: string) => this.call<{ data: Readonly<Record<string, unknown>> }>(`${at(unitId)}/live`);

  async files(unitId: string, path: string): Promise<readonly api.CardFile[]> {
    const answer = await this.call<{ files: readonly api.CardFile[] }>(`${at(unitId)}/ftp/files`, { query: { path } });
    return answer.files;
  }

  /** Copies on the gateway, at most 1,000 of them. */
  keptFiles = (unitId: string, query: Query = { limit: 1_000 }) =>
    this.data<readonly api.KeptFile[]>(`${at(unitId)}/files`, { query });
  /** All copies of a path: of each card, and those whose bytes were replaced. */
  fileVersions = (unitId: string, path: string) =>
    this.data<readonly api.KeptVersion[]>(`${at(unitId)}/files/versions`, { query: { path } });
  /** Copied recordings of sound that may overlap a span (`from`, `to`), the newest first: 100 unless `limit` says otherwise. */
  recordings = (query: Query) => this.data<readonly api.SoundRecording[]>('/_recordings', { query });
  reconciliation = (unitId: string, query: Query) =>
    this.all<api.ReconciledHour>(`${at(unitId)}/files/reconciliation`, query);
  /** Fetches what is new on the card; a job. */
  mirror = (unitId: string) => this.#post<{ message: string; job: string }>(`${at(unitId)}/mirror`);

  /** Sets the clock of the meter to the time of its place. */
  syncClock = (unitId: string) => this.#post<{ message: string; data: api.ClockSync }>(`${at(unitId)}/clock/sync`);
  /** A whole measurement from start to files, without anybody at the meter; a job. */
  startCycle = (unitId: string, profile?: string, more: { readonly store?: 'auto' | 'nothing' } = {}) =>
    this.#post<{ message: string; job: string }>(`${at(unitId)}/cycle/start`, {
      ...more,
      ...(profile !== undefined && { profile }),
    });
  stopCycle = (unitId: string) => this.#post<{ message: string; job: string }>(`${at(unitId)}/cycle/stop`, {});
  schedule = (unitId: string) => this.data<api.Schedule>(`${at(unitId)}/schedule`);
  /** Without a zone that of the unit counts; without entries nothing runs by itself. */
  setSchedule = (
    unitId: string,
    body: { readonly zone?: string | null; readonly entries: readonly api.NewScheduleEntry[] },
  ) => this.#put<{ message: string; data: api.Schedule }>(`${at(unitId)}/schedule`, body);
  profiles = () => this.all<api.Profile>('/_profiles');
  saveProfile = (name: string, body: Pick<api.Profile, 'description' | 'settings'>) =>
    this.#put(`/_profiles/${encodeURIComponent(name)}`, body);
  removeProfile = (name: string) => this.#delete(`/_profiles/${encodeURIComponent(name)}`);
  applyProfile = (name: string, units: readonly string[]) =>
    this.#post(`/_profiles/${encodeURIComponent(name)}/apply`, { units });
  drift = (name: string) => this.all<api.Drift>(`/_profiles/${encodeURIComponent(name)}/drift`);
  log = (unitId: string, query: Query) =>
    this.call<{ data: readonly api.LogEntry[]; next: string | null }>(`${at(unitId)}/log`, { query });

  download = (unitId: string, path: string) =>
    this.blob(`${at(unitId)}/ftp/download`, { method: 'POST', body: { remote_path: path } });

  /** Notes and exclusions of a unit, the newest first: one page, 100 of them unless `limit` says otherwise. */
  notes = (unitId: string, query: Query = {}) => this.data<readonly api.Note[]>(`${at(unitId)}/notes`, { query });
  addNote = (unitId: string, body: api.CreateNoteBody) => this.#post<api.CreateNoteAnswer>(`${at(unitId)}/notes`, body);
  changeNote = (unitId: string, id: string, body: api.SetNoteBody) =>
    this.#put<api.CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, body);
  removeNote = (unitId: string, id: string) =>
    this.call<api.CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, { method: 'DELETE' });
  /** Checks of all meters with a calibrator, the newest first. */
  calibrations = () => this.data<readonly api.Calibration[]>('/_calibrations', { query: { limit: 1_000 } });
  stations = () => this.data<readonly api.Station[]>('/_stations');
  /** Creates a station, or changes the given fields of it. */
  changeStation = (id: string, body: api.ChangeStationBody) =>
    this.#put<api.ChangeStationAnswer>(`/_stations/${encodeURIComponent(id)}`, body);
  /** With all that it observed. */
  removeStation = (id: string) => this.#delete(`/_stations/${encodeURIComponent(id)}`);
  /** Observations of a station: `from`, `to` and `step`, such as 1h. */
  observations = (id: string, query: Query, signal?: AbortSignal) =>
    this.data<readonly api.ObservedRow[]>(`/_stations/${encodeURIComponent(id)}/observations`, { query, signal });
  /** Which observations are a reason to exclude levels of a unit. */
  exclusionRules = (unitId: string) => this.data<api.ShowExclusionRulesAnswer['data']>(`${at(unitId)}/notes/rules`);
  /** All of them. */
  replaceExclusionRules = (unitId: string, body: api.ReplaceExclusionRulesBody) =>
    this.#put<api.ReplaceExclusionRulesAnswer>(`${at(unitId)}/notes/rules`, body);
  /** Times to exclude because of observations, and times without observations. */
  noteProposals = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.call<api.ListNoteProposalsAnswer>(`${at(unitId)}/notes/proposals`, { query, signal });
  /** Excludes them. */
  acceptNoteProposals = (unitId: string, body: api.AcceptNoteProposalsBody) =>
    this.#post<api.AcceptNoteProposalsAnswer>(`${at(unitId)}/notes/proposals/accept`, body);

  /** Reports that are kept, the oldest first. */
  reports = () => this.all<api.KeptReport>('/_reports');
  report = (id: string) => this.data<api.KeptReport>(`/_reports/${id}`);
  addReport = (body: api.CreateReportBody) => this.#post<api.CreateReportAnswer>('/_reports', body);
  changeReport = (id: string, body: api.ChangeReportBody) => this.#put<api.ChangeReportAnswer>(`/_reports/${id}`, body);
  removeReport = (id: string) => this.#delete(`/_reports/${id}`);
  /** The answer has the id of its job. */
  runReport = (id: string, query: Query = {}) =>
    this.call<api.RunReportAnswer>(`/_reports/${id}/run`, { method: 'POST', query });
  /** The mail of a run that is still to be made. */
  reportMail = (id: string, query: Query = {}) => this.data<api.KeptReportMailDraft>(`/_reports/${id}/mail`, { query });
  /** The newest first. */
  reportDocuments = (id: string) => this.all<api.KeptReportDocument>(`/_reports/${id}/documents`);
  /** Also without an API key. */
  checkReportFile = (query: { readonly sha256: string }) => this.data<api.CheckedFile>('/_reports/check', { query });
  reportTemplates = () => this.data<readonly api.ReportTemplate[]>('/_reports/templates');
  reportTemplate = (name: string) => this.data<api.ReportTemplate>(template(name));
  changeReportTemplate = (name: string, body: api.ChangeReportTemplateBody) =>
    this.#put<api.ChangeReportTemplateAnswer>(template(name), body);
  removeReportTemplate = (name: string) => this.#delete(template(name));
  /** Each with the SHA-256 of its picture. */
  reportLetterheads = () => this.data<readonly api.ReportLetterheadListed[]>('/_reports/letterheads');
  /** With its picture as Base64. */
  reportLetterhead = (name: string) => this.data<api.ReportLetterheadFull>(letterhead(name));
  changeReportLetterhead = (name: string, body: api.ChangeReportLetterheadBody) =>
    this.#put<api.ChangeReportLetterheadAnswer>(letterhead(name), body);
  removeReportLetterhead = (name: string) => this.#delete(letterhead(name));

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

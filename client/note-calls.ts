/** Facts about a time beside its levels: notes of people, and observations of stations. */
import { Calls, type Query } from './calls.ts';
import type {
  AcceptNoteProposalsAnswer,
  AcceptNoteProposalsBody,
  ChangeStationAnswer,
  ChangeStationBody,
  CreateNoteAnswer,
  CreateNoteBody,
  ListNoteProposalsAnswer,
  Note,
  ObservedRow,
  ReplaceExclusionRulesAnswer,
  ReplaceExclusionRulesBody,
  SetNoteBody,
  ShowExclusionRulesAnswer,
  Station,
} from './schemas.ts';

const at = (unitId: string): string => `/${encodeURIComponent(unitId)}`;

/** Every function rejects with a `GatewayProblem`. */
export class NoteCalls extends Calls {
  /** Notes and exclusions of a unit, the newest first: one page, 100 of them unless `limit` says otherwise. */
  notes = (unitId: string, query: Query = {}) => this.data<readonly Note[]>(`${at(unitId)}/notes`, { query });
  addNote = (unitId: string, body: CreateNoteBody) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes`, { method: 'POST', body });
  changeNote = (unitId: string, id: string, body: SetNoteBody) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, { method: 'PUT', body });
  removeNote = (unitId: string, id: string) =>
    this.call<CreateNoteAnswer>(`${at(unitId)}/notes/${id}`, { method: 'DELETE' });
  /** Stations that observe weather and traffic. */
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
}

/** What is known of a time beside its levels: notes of people, and what stations observed. */
import { Calls, type Query } from './calls.ts';
import type {
  AcceptNoteProposalsAnswer,
  AcceptNoteProposalsBody,
  CreateNoteAnswer,
  CreateNoteBody,
  ListNoteProposalsAnswer,
  Note,
  ObservedRow,
  SetNoteBody,
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
  /** What a station observed: `from`, `to` and `step`, such as 1h. */
  observations = (id: string, query: Query, signal?: AbortSignal) =>
    this.data<readonly ObservedRow[]>(`/_stations/${encodeURIComponent(id)}/observations`, { query, signal });
  /** What the observations of a time are a reason to exclude, and of which time nothing is known. */
  noteProposals = (unitId: string, query: Query, signal?: AbortSignal) =>
    this.call<ListNoteProposalsAnswer>(`${at(unitId)}/notes/proposals`, { query, signal });
  /** Excludes them. */
  acceptNoteProposals = (unitId: string, body: AcceptNoteProposalsBody) =>
    this.call<AcceptNoteProposalsAnswer>(`${at(unitId)}/notes/proposals/accept`, { method: 'POST', body });
}

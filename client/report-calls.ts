/** Reports that are kept, and what people write for them: templates and letterheads. */
import type { Query } from './calls.ts';
import { NoteCalls } from './note-calls.ts';
import type {
  ChangeReportAnswer,
  ChangeReportBody,
  ChangeReportLetterheadAnswer,
  ChangeReportLetterheadBody,
  ChangeReportTemplateAnswer,
  ChangeReportTemplateBody,
  CreateReportAnswer,
  CreateReportBody,
  KeptReport,
  KeptReportDocument,
  ReportLetterheadFull,
  ReportLetterheadListed,
  ReportTemplate,
  RunReportAnswer,
} from './schemas.ts';

const template = (name: string): string => `/_reports/templates/${encodeURIComponent(name)}`;
const letterhead = (name: string): string => `/_reports/letterheads/${encodeURIComponent(name)}`;

/** Every function rejects with a `GatewayProblem`. */
export class ReportCalls extends NoteCalls {
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
  /** The newest first. */
  reportDocuments = (id: string) => this.all<KeptReportDocument>(`/_reports/${id}/documents`);
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
}

/**
 * The pages and parts that the first view does not need (`web/pages.ts` names them). A browser fetches this file when it has
 * drawn the list of meters.
 */

// Shared code belongs to the first part: so the first view is one script.
import './start.tsx';

export { AlertsPage } from './alerts/alerts-page.tsx';
export { AssessmentPage } from './assessment/assessment-page.tsx';
export { CampaignPage } from './campaign/campaign-page.tsx';
export { ComparePage } from './compare/compare-page.tsx';
export { DaysPage } from './days/days-page.tsx';
export { EventPage } from './event/event-page.tsx';
export { EvidencePage } from './evidence/evidence-page.tsx';
export { FilesPage } from './files/files-page.tsx';
export { FleetPlan } from './fleet/fleet-plan.tsx';
export { HistoryPage } from './history/history-page.tsx';
export { LivePage } from './live/live-page.tsx';
export { LogPage } from './live/log-page.tsx';
export { CheckPage } from './reports/check-page.tsx';
export { ReportsPage } from './reports/reports-page.tsx';
export { InvitationPage } from './settings/invitation-page.tsx';
export { SettingsPage } from './settings/settings-page.tsx';
export { FindDialog } from './shell/find-dialog.tsx';
export { MeterPage } from './shell/meter-page.tsx';
export { WallPage } from './wall/wall-page.tsx';

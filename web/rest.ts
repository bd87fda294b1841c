/**
 * All parts that the first view does not need: the pages of a meter with their charts, the plan, alerts and settings. A
 * browser fetches this file when it has drawn the list of meters.
 */

// Shared code belongs to the first part: so the first view is one script.
import './start.tsx';

export { AlertsPage } from './alerts/alerts-page.tsx';
export { ComparePage } from './compare/compare-page.tsx';
export { FleetPlan } from './fleet/fleet-plan.tsx';
export { OverviewPage } from './overview/overview-page.tsx';
export { ReportsPage } from './reports/reports-page.tsx';
export { SettingsPage } from './settings/settings-page.tsx';
export { MeterPage } from './shell/meter-page.tsx';
export { WallPage } from './wall/wall-page.tsx';

/**
 * The pages of the dashboard, an entry each, in the order of their tabs. This table is read by the dashboard, by its service
 * worker and by the build, which writes the paths for the gateway. So it is pure: its callers give it `say`.
 */
type Say = (text: string) => string;

/**
 * Pages that are not of one meter. `address`: from the root of the dashboard; a page below another one shows its tab. `view`: its component in `web/rest.ts`, which is
 * fetched after the first view; null: in the first script. The address '' leads to the overview where there is more than one meter.
 */
export const PAGES = [
  { name: 'overview', address: 'overview', title: (say: Say) => say('Overview'), hasTab: true, view: null },
  { name: 'fleet', address: '', title: (say: Say) => say('Meters'), hasTab: true, view: null },
  { name: 'alerts', address: 'alerts', title: (say: Say) => say('Alerts'), hasTab: true, view: 'AlertsPage' },
  { name: 'reports', address: 'reports', title: (say: Say) => say('Reports'), hasTab: true, view: 'ReportsPage' },
  { name: 'settings', address: 'settings', title: (say: Say) => say('Settings'), hasTab: true, view: 'SettingsPage' },
  {
    name: 'people',
    address: 'settings/people',
    title: (say: Say) => say('People and keys'),
    view: 'SettingsPage',
  },
  {
    name: 'targets',
    address: 'settings/targets',
    title: (say: Say) => say('Recipients'),
    view: 'SettingsPage',
  },
  {
    name: 'sites',
    address: 'settings/sites',
    title: (say: Say) => say('Sites and permits'),
    view: 'SettingsPage',
  },
  { name: 'data', address: 'settings/data', title: (say: Say) => say('Data'), view: 'SettingsPage' },
  {
    name: 'gateway',
    address: 'settings/gateway',
    title: (say: Say) => say('This gateway'),
    view: 'SettingsPage',
  },
  {
    name: 'invitation',
    address: 'invitation',
    title: (say: Say) => say('Invitation'),
    view: 'InvitationPage',
  },
  { name: 'verify', address: 'verify', title: (say: Say) => say('Check a report'), view: 'CheckPage' },
  { name: 'compare', address: 'compare', title: (say: Say) => say('Compare'), view: 'ComparePage' },
  { name: 'wall', address: 'wall', title: (say: Say) => say('Wall'), view: 'WallPage' },
] as const;

/**
 * Pages of one meter. The first is at `m/UNIT_ID`, the others at `m/UNIT_ID/NAME`. `needs`: a page is not offered for a meter
 * without it.
 */
export const METER_PAGES = [
  { name: 'live', title: (say: Say) => say('Live'), needs: null, view: 'LivePage' },
  { name: 'history', title: (say: Say) => say('History'), needs: null, view: 'HistoryPage' },
  { name: 'days', title: (say: Say) => say('Days'), needs: null, view: 'DaysPage' },
  { name: 'assessment', title: (say: Say) => say('Assessment'), needs: null, view: 'AssessmentPage' },
  { name: 'evidence', title: (say: Say) => say('Evidence'), needs: null, view: 'EvidencePage' },
  { name: 'files', title: (say: Say) => say('Files'), needs: 'files', view: 'FilesPage' },
  { name: 'campaign', title: (say: Say) => say('Campaign'), needs: 'start', view: 'CampaignPage' },
  { name: 'log', title: (say: Say) => say('Log'), needs: null, view: 'LogPage' },
] as const;

/** Paths of all pages but the first, as the gateway has its routes: `/m/{unit_id}/history`. An event has a page of its own. */
export const allPaths = (): readonly string[] => [
  '/alerts/{id}',
  ...PAGES.flatMap(({ address }) => (address === '' ? [] : [`/${address}`])),
  ...METER_PAGES.map(({ name }, index) => `/m/{unit_id}${index === 0 ? '' : `/${name}`}`),
];

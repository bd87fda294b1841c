/** Pages that are not of one meter, by their addresses from the root of the dashboard. The service worker reads them, too. */
export const OWN_PAGES = ['overview', 'compare', 'wall', 'alerts', 'reports', 'settings'] as const;

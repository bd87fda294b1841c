import { METER_PAGES, PAGES } from '../../../web/pages.ts';

/** The address of every page of the dashboard, with the meter `roof` and the event `1`, and one that is no page. */
export const EVERY_ADDRESS: readonly string[] = [
  ...PAGES.map(({ address }) => (address === 'compare' ? 'compare?units=roof' : address)),
  ...METER_PAGES.map(({ name }, index) => (index === 0 ? 'm/roof' : `m/roof/${name}`)),
  'alerts/1',
  'nowhere',
];

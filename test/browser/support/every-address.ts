import { METER_PAGES, PAGES } from '../../../web/pages.ts';

/** The address of every page, with the meter `roof` and the event `1`; the last one is no page. */
export const EVERY_ADDRESS: readonly string[] = [
  ...PAGES.map(({ address }) => (address === 'compare' ? 'compare?units=roof' : address)),
  ...METER_PAGES.map(({ name }, index) => (index === 0 ? 'm/roof' : `m/roof/${name}`)),
  'alerts/1',
  'nowhere',
];

import type { Address } from './contract.ts';

/** Address and port in one word, for messages; an IPv6 address has brackets. */
export const endpointOf = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Settings about callers: who may call, from where, how often, and on which kind of connection. Data only. */
import { count, type Group } from './property.ts';

/** By their names. */
export const callers = {
  auth: {
    type: 'string',
    title: 'When callers need an API key',
    description:
      'auto: as soon as a key has been made, and always if other computers can call (a host other than loopback, or a trusted proxy). required: always.',
    enum: ['auto', 'required'],
    default: 'auto',
  },
  insecure_no_auth: {
    type: 'boolean',
    title: 'Start without any API key although other computers can call',
    description: 'Everybody who reaches the port then controls the meters. It has no effect once a key has been made.',
    default: false,
  },
  allowed_hosts: {
    type: 'array',
    title: 'Names that callers may use for the gateway',
    description:
      'Host names without a port. Always allowed: the name or address in `host`, the loopback names and, on a network, IP addresses and the name of the computer.',
    items: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,253}$' },
    default: [],
    'x-live': true,
  },
  allowed_origins: {
    type: 'array',
    title: 'Web pages of other origins that may call (CORS)',
    description: 'As browsers write them: https://dash.example.org, with the port if it is not the usual one.',
    items: { type: 'string', pattern: '^https?://[a-z0-9._\\[\\]:-]{1,253}$' },
    default: [],
    'x-live': true,
  },
  trusted_proxies: {
    type: 'array',
    title: 'Proxies whose X-Forwarded-For, -Proto and -Host count',
    description: 'Addresses and networks, such as 127.0.0.1 or 192.0.2.0/24. Behind a proxy callers need a key.',
    items: { type: 'string', format: 'network' },
    default: [],
  },
  proxy_user_header: {
    type: 'string',
    title: 'Header in which a trusted proxy names the person whom it has signed in',
    description:
      'Such as Remote-User. Empty: no proxy signs in. The proxy must remove this header from what callers send. Names are those of `npm run keys -- person list`.',
    pattern: '^([A-Za-z][A-Za-z0-9-]{0,63})?$',
    default: '',
  },
  tls_cert_file: {
    type: 'string',
    title: 'File with the certificate and its chain (PEM)',
    description: 'With tls_key_file: serve HTTPS. Read again when the files change.',
    default: '',
  },
  tls_key_file: {
    type: 'string',
    title: 'File with the key of the certificate (PEM)',
    default: '',
  },
  session_idle_minutes: {
    ...count('Time without a request after which a session of somebody who signed in ends', 720, 5, 43_200),
    'x-unit': 'min',
    'x-live': true,
  },
  session_hours: {
    ...count('Time after which somebody has to sign in again in any case', 168, 1, 8_760),
    'x-unit': 'h',
    'x-live': true,
  },
  request_rate: {
    ...count('Requests a second that a key, or an address without a key, may make on average', 100, 0, 100_000),
    description: '0: no limit. Callers on this computer who need no key are not counted.',
    'x-live': true,
  },
  request_burst: {
    ...count('Requests that may come at once before request_rate counts', 400, 1, 100_000),
    'x-live': true,
  },
  connection_limit: count('Most open connections', 2_000, 1, 100_000),
  connections_per_address: {
    ...count('Most open connections from one address', 500, 1, 100_000),
    description: 'Trusted proxies are not counted.',
  },
} as const satisfies Group;

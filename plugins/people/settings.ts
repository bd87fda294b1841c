/** `plugin_settings.people`. */
import { readFileSync } from 'node:fs';
import { ROLES } from '../../lib/built-in.ts';
import type { Schema } from '../../lib/index.ts';

/** The issuer that signs people in, and the meaning of its claims. */
export interface PeopleSettings {
  readonly issuer: string;
  readonly issuer_name: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly client_secret_file: string;
  readonly scopes: string;
  readonly name_claim: string;
  readonly role_claim: string;
  readonly roles: Readonly<Record<(typeof ROLES)[number], readonly string[]>>;
  readonly units_claim: string;
  readonly tags_claim: string;
  readonly public_url: string;
}

const CLAIM = '^([A-Za-z0-9_:/.-]{1,200})?$';
const text = (title: string, pattern?: string, value = ''): Schema => ({
  type: 'string',
  maxLength: 2_048,
  default: value,
  title,
  ...(pattern !== undefined && { pattern }),
});
const values = (role: string): Schema => ({
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 200 },
  maxItems: 100,
  default: [],
  title: `Values of role_claim that give the role ${role}`,
});

export const PEOPLE_SETTINGS: Schema = {
  type: 'object',
  properties: {
    issuer: {
      ...text(
        'Issuer that signs people in (OpenID Connect), such as https://id.example.org; empty: none',
        '^(https?://[^\\s@?#]+)?$',
      ),
      description: 'Exactly as its own configuration names it. With http only on this computer.',
    },
    issuer_name: { ...text('What people know it by; empty: its host'), maxLength: 60 },
    client_id: { ...text('The id that the issuer has given to this gateway'), maxLength: 300 },
    client_secret: { ...text('Its secret; empty: none was given'), maxLength: 1_000, 'x-secret': true },
    client_secret_file: text('File with the secret, in place of client_secret'),
    scopes: text(
      'Requested scopes, separated by spaces',
      '^openid( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
      'openid profile email',
    ),
    name_claim: text(
      'Claim with the name for the audit log and for notes',
      '^[A-Za-z0-9_:/.-]{1,200}$',
      'preferred_username',
    ),
    role_claim: {
      ...text('Claim that gives the role, such as groups or realm_access.roles', CLAIM),
      description:
        'A text or a list of texts; a dot leads into an object. Empty: role and units are those of the person of this name that `npm run keys -- person` made.',
    },
    roles: {
      type: 'object',
      title: 'Which values of role_claim give which role; the highest counts',
      properties: Object.fromEntries(ROLES.map((role) => [role, values(role)])),
      additionalProperties: false,
      default: {},
    },
    units_claim: {
      ...text('Claim with the ids of the units; empty: all units', CLAIM),
      description: 'A list of texts, or one text with commas; `*` means all units.',
    },
    tags_claim: {
      ...text('In place of units_claim: claim with tags; empty: not by tag', CLAIM),
      description:
        'A list of texts, or one text with commas: the units with one of these tags, also those that get the tag later. `*` means all units.',
    },
    public_url: text(
      'Address of the root of the gateway in browsers, if it differs from the address that they call: https://noise.example.org/slm',
      '^(https?://[A-Za-z0-9.:\\[\\]-]+(/[A-Za-z0-9._~-]+)*)?$',
    ),
  },
};

export function checkPeopleSettings(settings: PeopleSettings): void {
  const { issuer, client_id, client_secret, client_secret_file, role_claim, roles } = settings;
  const { units_claim, tags_claim } = settings;
  if (issuer === '') return;
  if (!URL.canParse(issuer)) throw new Error('issuer: it is no address');
  if (new URL(issuer).protocol === 'http:' && !isThisComputer(issuer))
    throw new Error('issuer: needs https:// if it is not on this computer');
  if (client_id === '') throw new Error('client_id: is needed with issuer');
  if (client_secret !== '' && client_secret_file !== '')
    throw new Error('client_secret and client_secret_file: give one of them');
  const names = ROLES.flatMap((role) => roles[role] ?? []);
  if (role_claim !== '' && names.length === 0) throw new Error('roles: is needed with role_claim');
  if (role_claim === '' && names.length > 0) throw new Error('roles: needs role_claim');
  if (role_claim === '' && units_claim !== '') throw new Error('units_claim: needs role_claim');
  if (role_claim === '' && tags_claim !== '') throw new Error('tags_claim: needs role_claim');
  if (units_claim !== '' && tags_claim !== '') throw new Error('units_claim and tags_claim: give one of them');
}

/** Undefined: the client has no secret. Throws if the file cannot be read, or is empty. */
export function secretOf({ client_secret, client_secret_file }: PeopleSettings): string | undefined {
  if (client_secret_file === '') return client_secret === '' ? undefined : client_secret;
  const secret = readFileSync(client_secret_file, 'utf8').trim();
  if (secret === '') throw new Error('client_secret_file: the file is empty');
  return secret;
}

/** RFC 6749 and browsers allow plain HTTP nowhere else. */
export const isThisComputer = (address: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);

/** Reads the claims of an issuer about a person as name, role and units. Pure. */
import { GatewayError, type IssuerPerson, isUnitId, ROLES } from '../../lib/index.ts';
import type { PeopleSettings } from './settings.ts';

/** Claims of an ID token, or of the issuer's user information. */
export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 100;
const MOST_UNITS = 10_000;
/** All units, in a list of units. */
const ALL = '*';

/** Errors: SIGN_IN_REFUSED, which names the missing claim. */
export function personIn(claims: Claims, settings: PeopleSettings): IssuerPerson {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '') throw refused('The issuer does not say whom it has signed in.');
  return { subject: sub, name: nameIn(claims, settings.name_claim), rights: rightsIn(claims, settings) };
}

/** Whether all claims of the settings are there: otherwise the user information of the issuer may have them. */
export const isComplete = (claims: Claims, { name_claim, role_claim, units_claim }: PeopleSettings): boolean =>
  [name_claim, role_claim, units_claim].every((name) => name === '' || claimOf(claims, name) !== undefined);

function nameIn(claims: Claims, claim: string): string {
  const value = claimOf(claims, claim);
  const name = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : '';
  if (name === '') throw refused(`The issuer says no name: the claim ${claim} is missing.`);
  if (claim === 'email' && claims.email_verified === false)
    throw refused('The issuer has not checked the mail address of this person.');
  return [...name].slice(0, LONGEST_NAME).join('');
}

function rightsIn(claims: Claims, { role_claim, roles, units_claim }: PeopleSettings): IssuerPerson['rights'] {
  if (role_claim === '') return undefined;
  const given = listOf(claimOf(claims, role_claim));
  // The roles are ordered, the lowest first.
  const role = ROLES.toReversed().find((one) => roles[one]?.some((value) => given.includes(value)));
  if (!role) throw refused(`Nothing in the claim ${role_claim} gives a role here.`);
  return { role, units: units_claim === '' ? null : unitsIn(claims, units_claim) };
}

/** Null: all units. A missing list does not mean all units. */
function unitsIn(claims: Claims, claim: string): readonly string[] | null {
  const value = claimOf(claims, claim);
  const named = typeof value === 'string' ? value.split(',').map((part) => part.trim()) : listOf(value);
  if (named.includes(ALL)) return null;
  const units = [...new Set(named)].filter(isUnitId).slice(0, MOST_UNITS);
  if (units.length === 0) throw refused(`The claim ${claim} names no unit.`);
  return units;
}

/** Looks for the whole name, then follows its dots. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = Object.entries(found).find(([key]) => key === part)?.[1];
  }
  return found;
}

const listOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');

const refused = (detail: string): GatewayError => new GatewayError('SIGN_IN_REFUSED', detail);

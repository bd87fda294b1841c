/** The roles and what each includes: a viewer reads, an operator also controls meters, an admin also changes configs. */
import type { Access, Identity } from '../http/contract.ts';

export type Role = Identity['role'];

export const ROLES = Object.freeze(['viewer', 'operator', 'admin'] as const satisfies readonly Role[]);

export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

export const suffices = (role: Role, access: Access): boolean =>
  access === 'public' || ROLES.indexOf(role) >= ROLES.indexOf(access);

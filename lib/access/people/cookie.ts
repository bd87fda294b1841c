/**
 * Cookies of a session, and of a sign-in that has begun. Scripts cannot read such a cookie, and other sites cannot send
 * it with a change. Under TLS its name begins with `__Host-`: a browser accepts such a name only from this very host,
 * over TLS, for all paths.
 */
import type { Arrival } from '../contract.ts';

const SESSION = 'slm_session';
const nameOf = (secure: boolean, name: string): string => (secure ? `__Host-${name}` : name);
/** base64url; browsers refuse a longer cookie. */
const FORM = /^[\w-]{1,4000}$/;

/**
 * The value of `Set-Cookie`: the browser keeps it until it is closed. Empty: the browser deletes the cookie. `name`:
 * default session.
 */
export function cookieText({ secure }: Pick<Arrival, 'secure'>, value: string, name = SESSION): string {
  const parts = [`${nameOf(secure, name)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  if (value === '') parts.push('Max-Age=0');
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ');
}

/**
 * The cookie that the browser sent; undefined without one. Two cookies of the same name mean that somebody has set one
 * for another path: neither counts.
 */
export function cookieIn({ headers, secure }: Pick<Arrival, 'headers' | 'secure'>, name = SESSION): string | undefined {
  const before = `${nameOf(secure, name)}=`;
  const found = (headers.cookie ?? '').split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(before) ? text.slice(before.length) : [];
  });
  const [value = ''] = found;
  return found.length === 1 && FORM.test(value) ? value : undefined;
}

/** The Content-Security-Policy of a page in one piece: no script, nothing from outside, one style element. */
import { createHash } from 'node:crypto';

/** `style`: the text of the style element, exactly. */
export const pagePolicy = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

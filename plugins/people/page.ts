/** The page that a browser shows if a sign-in by the issuer failed. */
import { type ErrorPage, html, pagePolicy, wholePage } from '../../lib/index.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
a { display: inline-block; padding: .75rem 0; color: LinkText }
`;

/** `root`: the relative path from the address of the page to the root of the gateway. */
export const failedPage =
  (root: string): ErrorPage =>
  (error) => ({
    html: wholePage({
      language: 'en',
      title: 'Signing in did not work',
      sheet: STYLE,
      isUnlisted: true,
      content: html`<h1>Signing in did not work</h1>
<p role="alert">${error.message}</p>
<p><a href="${root}sign-in">Try again</a></p>
<p><a href="${root}">Sign in another way</a></p>`,
    }),
    policy: pagePolicy(STYLE),
  });

/** The page behind the link of a mail: what happened, and one button. It works without a script. Pure. */
import { type ErrorPage, html, type Markup, pagePolicy, wholePage } from '../../../../lib/index.ts';
import { linesOf, type MailUnit } from './mail-text.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
button { display: block; width: 100%; min-height: 4rem; margin: 2rem 0; border: 0; border-radius: .5rem; background: #0a58ca; color: #fff; font: inherit; font-weight: 600 }
`;

/** The form is sent to the address of the page itself, so it works below any path of a proxy. */
const BUTTON = html`<form method="post"><button>Acknowledge this alert</button></form>
<p>It tells the others that somebody takes care of it, and stops further messages about it.</p>`;

export const ACK_POLICY = pagePolicy(STYLE, { hasForms: true });

/** `said`: the result of the acknowledgement. Undefined: the event can be acknowledged. */
export function ackPage(event: Readonly<Record<string, unknown>>, unit: MailUnit, said: string | undefined): string {
  const [title = '', ...lines] = linesOf({ type: event.closed_at === null ? 'opened' : 'closed', event }, unit);
  const outcome = said === undefined ? BUTTON : html`<p role="status"><strong>${said}</strong></p>`;
  return whole(
    title,
    html`${lines.map((line) => html`<p>${line}</p>`)}
${outcome}`,
  );
}

/** Shown where the link does not work. */
export const ackErrorPage: ErrorPage = (error) => ({
  html: whole('This alert cannot be acknowledged here', html`<p role="status">${error.message}</p>`),
  policy: ACK_POLICY,
});

const whole = (title: string, said: Markup): string => {
  const content = html`<h1>${title}</h1>
${said}`;
  return wholePage({ language: 'en', title, sheet: STYLE, isUnlisted: true, content });
};

/** The link of a mail opens a page that asks for a click, and then acknowledges. The signature of the link is the permission. */
import {
  type ErrorPage,
  type Language,
  languageOf,
  type Markup,
  pagePolicy,
  type Say,
  sayIn,
  wholePage,
  wordsFor,
} from '../../../../lib/built-in.ts';
import { GatewayError, html, type Request, text, texts } from '../../../../lib/index.ts';
import type { Alerts } from '../../parts.ts';
import { ID, ID_PARAM } from '../../schemas.ts';
import type { EventRow } from '../../tables.ts';
import type { LinkQuery, MailedTo } from '../signed-links.ts';
import { targetKindOf } from '../target-kinds.ts';
import { linesOf, type MailUnit } from './mail-text.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 32rem; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25 }
button { display: block; width: 100%; min-height: 4rem; margin: 2rem 0; border: 0; border-radius: .5rem; background: #0a58ca; color: #fff; font: inherit; font-weight: 600 }
`;

/** The form is sent to the address of the page itself, so it works below any path of a proxy. */
const buttonIn = (say: Say) => html`<form method="post"><button>${say('Acknowledge this alert')}</button></form>
<p>${say('It tells the others that somebody takes care of it, and stops further messages about it.')}</p>`;

const [WRONG, EXPIRED] = texts([
  'This link is wrong, or the addresses that it was mailed to have changed.',
  'This link has expired: acknowledge the event in the dashboard.',
]);

const ACK_POLICY = pagePolicy(STYLE, { hasForms: true });

/** It works without a script. `said`: the result of the acknowledgement; undefined: the event can be acknowledged. */
function ackPage(
  event: Readonly<Record<string, unknown>>,
  unit: MailUnit,
  language: Language,
  said: string | undefined,
): string {
  const type = event.closed_at === null ? 'opened' : 'closed';
  const [title = '', ...lines] = linesOf({ type, event }, unit, language);
  const outcome = said === undefined ? buttonIn(sayIn(language)) : html`<p role="status"><strong>${said}</strong></p>`;
  return whole(
    language,
    title,
    html`${lines.map((line) => html`<p>${line}</p>`)}
${outcome}`,
  );
}

const ackErrorPage: ErrorPage = (error, accepted) => {
  const language = languageOf(accepted);
  const say = sayIn(language);
  const title = say('This alert cannot be acknowledged here');
  return {
    html: whole(language, title, html`<p role="status">${wordsFor(language, error.message)}</p>`),
    policy: ACK_POLICY,
  };
};

const whole = (language: Language, title: string, said: Markup): string => {
  const content = html`<h1>${title}</h1>
${said}`;
  return wholePage({ language, title, sheet: STYLE, isUnlisted: true, content });
};

const COMMON = {
  path: '/_alerts/events/{id}/ack-link',
  params: ID_PARAM,
  access: 'public',
  query: {
    target: { ...ID, required: true, description: 'the id of the target that the link was mailed to' },
    expires: {
      type: 'integer',
      minimum: 0,
      maximum: 99_999_999_999,
      required: true,
      'x-unit': 's',
      description: 'when the link ends, in seconds since 1970 UTC',
    },
    signature: { type: 'string', minLength: 1, maxLength: 100, required: true, description: 'the signature' },
  },
  answer: 'text',
  contentTypes: ['text/html'],
  errors: ['ALERT_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
  errorPage: ackErrorPage,
} as const;

type LinkRequest = Request<unknown, LinkQuery>;

export function addAckLinkRoutes(alerts: Alerts): void {
  const { host, events } = alerts;
  host.route<unknown, LinkQuery>({
    ...COMMON,
    method: 'GET',
    operation: 'showAckLink',
    summary: 'Show the event of a link in a mail, with a button that acknowledges it',
    description:
      'Changes nothing: programs that check mails open links. It needs no API key: the link is the permission.',
    async handle(request) {
      const { event } = await linkedBy(alerts, request);
      return pageOf(alerts, event, request, event.ack ? before(event, request) : undefined);
    },
  });
  host.route<unknown, LinkQuery>({
    ...COMMON,
    method: 'POST',
    operation: 'useAckLink',
    summary: 'Acknowledge the event of a link in a mail',
    description: 'The first acknowledgement stays. The audit log has the addresses that the link was mailed to.',
    async handle(request) {
      const { event, target } = await linkedBy(alerts, request);
      const ack = { by: `a link mailed to target ${target.id}`, at: host.clock.now(), note: '' };
      const changed = await events.change(event.id, 'acknowledged', (present) =>
        present.ack ? present : { ...present, ack },
      );
      if (!changed) throw notFound();
      if (changed.ack !== ack) return pageOf(alerts, changed, request, before(changed, request));
      request.recordAs?.(`a link mailed to ${target.to.toSorted().join(', ')}`, 'operator');
      const say = sayIn(languageOf(request.language));
      return pageOf(alerts, changed, request, say('The event is acknowledged.'));
    },
  });
}

function before({ ack }: EventRow, { language }: LinkRequest): string {
  const say = sayIn(languageOf(language));
  return say('The event was acknowledged before, by {name}.', { name: ack?.by ?? '' });
}

const notFound = (): GatewayError => new GatewayError('ALERT_NOT_FOUND', WRONG);

async function linkedBy(
  { events, targets, links }: Alerts,
  { params, query }: LinkRequest,
): Promise<{ readonly event: EventRow; readonly target: MailedTo }> {
  const event = await events.change(Number(params.id), 'acknowledged', (present) => present);
  const target = targets.find(query.target);
  const to = target && targetKindOf(target.kind)?.recipients?.(target);
  if (!event || !to) throw notFound();
  const mailed = { id: query.target, to };
  const found = await links.check(mailed, event, query);
  if (found === 'wrong') throw notFound();
  if (found === 'expired') throw new GatewayError('ALERT_NOT_FOUND', EXPIRED);
  return { event, target: mailed };
}

/** `same-origin`: without a referrer a browser sends no origin with the form, and the gateway refuses it. */
function pageOf({ host, shown }: Alerts, event: EventRow, { language }: LinkRequest, said: string | undefined) {
  const unit = host.configs.get(event.unitId) ?? host.configs.defaults;
  return text(
    { text: ackPage(shown(event), unit, languageOf(language), said), contentType: 'text/html; charset=utf-8' },
    {
      headers: {
        'Content-Security-Policy': ACK_POLICY,
        'Referrer-Policy': 'same-origin',
        'X-Robots-Tag': 'noindex, nofollow, noarchive',
      },
    },
  );
}

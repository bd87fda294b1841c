/**
 * One try to send a mail by the server of the settings. The result names the addresses that the server accepted and
 * refused, with its reasons. The library is loaded with the first mail. A server answers for each address: an address
 * that it puts off (4xx) is tried again alone, an address that it refuses (5xx) is not.
 */
import { readFileSync } from 'node:fs';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { SentMessageInfo } from 'nodemailer/lib/smtp-transport';
import { type MailReach, unlessAborted, withoutSecret } from '../../../../lib/built-in.ts';
import { type Clock, GatewayError, messageOf, within } from '../../../../lib/index.ts';
import type { AlertSettings } from '../../settings.ts';
import type { Sent } from '../target.ts';

export interface SmtpParts {
  readonly clock: Clock;
  readonly settings: AlertSettings;
  readonly signal: AbortSignal;
}

type MailContent = Omit<SendMailOptions, 'from' | 'to' | 'envelope' | 'headers' | 'messageId'>;

/** The times of RFC 5321, 4.5.3.2: a server that checks what it gets is slow. */
const CONNECT_MS = 60_000;
const GREETING_MS = 300_000;
const SILENCE_MS = 600_000;
/** The limit of a whole try, also where a server sends a byte now and then. */
const TRY_MS = 3_600_000;

export const lacksServer = ({ smtp_host, smtp_from }: AlertSettings): string | undefined =>
  smtp_host === '' || smtp_from === ''
    ? 'No mail server is set: see the settings smtp_host and smtp_from of the plugin alerts.'
    : undefined;

interface TriedMail {
  /** The same for each try of a mail, so that a server can drop the second copy. */
  readonly id: string;
  readonly to: readonly string[];
  /** The addresses that earlier tries left; null: nobody has got the mail. */
  readonly reach: MailReach | null;
  /** A test is sent once; its outcome promises no other try. */
  readonly isTest?: boolean;
}

/** Rejects only if the signal aborts. */
export async function tryMail(
  { id, to, reach, isTest = false }: TriedMail,
  parts: SmtpParts,
  contentOf: () => Promise<MailContent>,
): Promise<Sent> {
  const { settings, signal, clock } = parts;
  const lacks = lacksServer(settings);
  if (lacks !== undefined) return { ok: false, outcome: lacks };
  // An address that was removed from the target meanwhile gets nothing.
  const open = to.filter((address) => reach?.left.includes(address) ?? true);
  if (open.length === 0) return outcomeOf({ accepted: [], left: [], refused: reach?.refused ?? [], isTest });
  const domain =
    settings.smtp_from
      .split('@')
      .at(-1)
      ?.replace(/[^A-Za-z0-9.-]/g, '') || 'localhost';
  const progress = { isWhole: false };
  try {
    const content = await contentOf();
    const late = () => new GatewayError('OUTBOUND_FAILED', `It took longer than ${TRY_MS / 60_000} minutes.`);
    const send = async (limit: AbortSignal) => {
      const mail = { ...content, messageId: `<${id}@${domain}>`, from: settings.smtp_from, to: [...to], signal: limit };
      const envelope = { from: settings.smtp_from, to: open };
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const transporter = await connectionTo(settings, progress);
      return unlessAborted(transporter.sendMail({ ...mail, envelope, headers }), limit);
    };
    const refusals = refusalsOf(await within(clock, TRY_MS, late, send, signal));
    return reached({ open, before: reach, isTest }, refusals, settings);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const refusals = refusalsOf(error);
    if (refusals.length > 0) return reached({ open, before: reach, isTest }, refusals, settings);
    return failed(error, { isWhole: progress.isWhole, isTest }, settings);
  }
}

/** The address comes from the settings, not from a user, so the policy does not apply. `isWhole`: the dot at its end has been sent. */
async function connectionTo(
  settings: AlertSettings,
  progress: { isWhole: boolean },
): Promise<Transporter<SentMessageInfo>> {
  const { createTransport } = await import('nodemailer');
  const { smtp_host: host, smtp_port: port, smtp_security, smtp_user: user, smtp_password: pass } = settings;
  const ca = settings.smtp_ca_file;
  const transporter = createTransport({
    host,
    port,
    secure: smtp_security === 'tls',
    requireTLS: smtp_security === 'starttls',
    ignoreTLS: smtp_security === 'none',
    // Read for each mail: certificates change while the gateway runs.
    ...(ca !== '' && { tls: { ca: readFileSync(ca) } }),
    ...(user !== '' && { auth: { user, pass } }),
    connectionTimeout: CONNECT_MS + GREETING_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    // No message can make the library read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transporter.use('stream', ({ message }, done) => {
    message.processFunc((bytes) => bytes.once('end', () => Object.assign(progress, { isWhole: true })));
    done();
  });
  return transporter;
}

interface Refusal {
  readonly recipient: string;
  readonly response: string;
  readonly responseCode: number;
}

/** The library gives them in its answer. If the server accepted the mail for no address, they are in its error. */
const refusalsOf = (answer: unknown): readonly Refusal[] =>
  (answer as { readonly rejectedErrors?: readonly Refusal[] } | undefined)?.rejectedErrors ?? [];

/** RFC 5321 (4.5.3.1.10) asks for another try after 552: some servers mean too many addresses at once. */
const isForGood = ({ responseCode }: Refusal): boolean => responseCode >= 500 && responseCode !== 552;

interface Tried {
  readonly open: readonly string[];
  readonly before: MailReach | null;
  readonly isTest: boolean;
}

function reached({ open, before, isTest }: Tried, refusals: readonly Refusal[], settings: AlertSettings): Sent {
  const told = (some: readonly Refusal[]) =>
    some.map(({ recipient, response }) => ({ address: recipient, said: saidBy(response, settings) }));
  const left = told(refusals.filter((one) => !isForGood(one)));
  const refused = [...(before?.refused ?? []), ...told(refusals.filter(isForGood))];
  const accepted = open.filter((address) => !refusals.some(({ recipient }) => recipient === address));
  const isAsBefore = left.length === open.length;
  return { ...outcomeOf({ accepted, left, refused, isTest }), ...(isAsBefore && { reach: before }) };
}

interface Ended {
  readonly accepted: readonly string[];
  readonly left: MailReach['refused'];
  readonly refused: MailReach['refused'];
  readonly isTest: boolean;
}

function outcomeOf({ accepted, left, refused, isTest }: Ended): Sent {
  if (left.length + refused.length === 0) return { ok: true, outcome: 'The mail server accepted the mail.' };
  const listed = (some: Ended['left']) => some.map(({ address, said }) => `${address} (${said})`).join(', ');
  const next = isTest ? 'a test is not sent again' : 'it is tried again';
  const outcome = [
    ...(accepted.length > 0 ? [`The mail server accepted the mail for ${accepted.join(', ')}.`] : []),
    ...(left.length > 0 ? [`The mail server does not accept the mail now for ${listed(left)}: ${next}.`] : []),
    ...(refused.length > 0 ? [`The mail server refused the mail for ${listed(refused)}.`] : []),
  ].join(' ');
  const reach = { left: left.map(({ address }) => address), refused };
  return { ok: false, outcome, isFinal: left.length === 0, reach };
}

/** After the whole mail, a break or a server that leaves (421) says nothing about the mail. */
function failed(
  error: unknown,
  { isWhole, isTest }: { readonly isWhole: boolean; readonly isTest: boolean },
  settings: AlertSettings,
): Sent {
  const { responseCode } = error as { readonly responseCode?: number };
  const reason = saidBy(messageOf(error), settings).replace(/\.$/, '');
  if (!isWhole || (responseCode !== undefined && responseCode !== 421))
    return { ok: false, outcome: `The mail server did not accept the mail: ${reason}.` };
  const again = isTest ? 'A test is not sent again.' : 'It is sent again with the same Message-ID.';
  return { ok: false, outcome: `It is not known whether the mail server has taken the mail: ${reason}. ${again}` };
}

const saidBy = (words: string, { smtp_password }: AlertSettings): string => withoutSecret(words, smtp_password);

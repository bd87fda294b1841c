/**
 * The documents of runs on their way to mail targets of alerts. The rows are the queue. A row says `sending` on the disk before the first byte
 * goes out, and `done` as soon as the mail server has taken it for all addresses. A mail that was under way when the process ended is sent again with the same
 * Message-ID: only where the server had taken the mail, and the process was killed before its answer was noted, does it arrive twice.
 */
import {
  LANGUAGES,
  MAIN_CHANNEL,
  type MailAttachment,
  type MailOutcome,
  type MailReach,
  type MailSender,
  MOST_DELIVERY_TRIES,
  pauseAfter,
  type Rows,
  zones,
} from '../../../lib/built-in.ts';
import { GatewayError, messageOf, sleep } from '../../../lib/index.ts';
import { ReportWords } from '../words.ts';
import type { KeptParts } from './documents.ts';
import type { ReportBody } from './schemas.ts';
import { REPORT_MAILS, REPORT_RUNS, type ReportMail, type ReportRow, type ReportRun } from './store.ts';

/** A further look at the rows, needed only where the wall clock was set. */
const LOOK_MS = 600_000;
const STORAGE_MS = 5_000;
/** Bytes of all attachments of a mail: many servers take no more than 20 MB, and a third is added on the way. */
const MOST_ATTACHED_BYTES = 14_000_000;
/** A mail that does not go out for so long is a problem at /health. */
const FAILING_MS = 3_600_000;
/** Mails that are looked at after a start for addresses that were refused. */
const MOST_RECALLED = 200;
const INTERRUPTED = 'The gateway ended while it was sent: it is sent again with the same Message-ID.';

/** One queue for all targets: one mail after the other. */
export class ReportMails {
  readonly #parts: KeptParts;
  #wake = new AbortController();
  #failingSince: number | undefined;
  /** Targets with addresses that the mail server refused when it was asked last. */
  readonly #refused = new Set<number>();
  /** The outcome of the last try, while it is not on the disk: a mail that has arrived must not go out again. */
  #unnoted: { readonly mail: ReportMail; readonly values: Partial<ReportMail> } | undefined;

  constructor(parts: KeptParts) {
    this.#parts = parts;
    parts.host.part('mail of reports', () => this.#trouble());
  }

  /** A mail that was under way when the process ended is sent again. */
  async load(): Promise<void> {
    const interrupted = { state: 'waiting', outcome: INTERRUPTED } as const;
    const { tables } = this.#parts;
    await tables.write((rows) => rows.change(REPORT_MAILS, { state: 'sending' }, interrupted));
    const ended = { where: { state: ['done', 'failed'] }, order: { endedAt: 'desc' }, limit: MOST_RECALLED } as const;
    const newest = await tables.read((rows) => rows.find(REPORT_MAILS, ended));
    for (const { targetId, state, reach } of newest.toReversed())
      this.#noteRefused(targetId, state === 'failed' ? reach : null);
  }

  /** Puts the mails of a run that is done into the queue, in its transaction. */
  async add(rows: Rows, run: ReportRun, { body }: ReportRow): Promise<void> {
    if (!run.mailed) return;
    const now = this.#parts.host.clock.now();
    const mails = body.targets.map(
      (targetId): ReportMail => ({
        runId: run.id,
        targetId: Number(targetId),
        reportId: run.reportId,
        messageId: crypto.randomUUID(),
        state: 'waiting',
        tries: 0,
        notBefore: now,
        createdAt: now,
        endedAt: null,
        outcome: '',
        reach: null,
      }),
    );
    await rows.put(REPORT_MAILS, mails);
  }

  wake(): void {
    this.#wake.abort();
  }

  /** Why a report cannot be mailed, one sentence for each reason. */
  warnings({ body: { targets } }: ReportRow): readonly string[] {
    const sender = this.#parts.host.mails.sender();
    const gone = targets.filter((id) => !sender?.target(id)).map((id) => `There is no mail target ${id} any more.`);
    const lacks = targets.length > 0 ? lacksOf(sender) : undefined;
    return lacks === undefined ? gone : [...gone, lacks];
  }

  async run(): Promise<void> {
    const { clock, signal, log } = this.#parts.host;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const wait = await this.#step().catch((error: unknown) => {
        if (!signal.aborted) log.error({ reason: messageOf(error) }, 'the mails of reports cannot be read or noted');
        return STORAGE_MS;
      });
      if (wait > 0) await sleep(clock, wait, AbortSignal.any([signal, this.#wake.signal])).catch(() => {});
    }
  }

  /** Sends the mail that is due for longest. Returns how long there is nothing to do, ms. */
  async #step(): Promise<number> {
    const { host, tables } = this.#parts;
    if (this.#unnoted) await this.#note(this.#unnoted.mail, this.#unnoted.values);
    this.#unnoted = undefined;
    const oldest = { where: { state: 'waiting' }, order: { notBefore: 'asc', runId: 'asc' }, limit: 1 } as const;
    const [mail] = await tables.read((rows) => rows.find(REPORT_MAILS, oldest));
    const now = host.clock.now();
    if (!mail) return LOOK_MS;
    if (mail.notBefore > now) return Math.min(LOOK_MS, mail.notBefore - now);
    this.#unnoted = { mail, values: await this.#send(mail) };
    return 0;
  }

  async #send(mail: ReportMail): Promise<Partial<ReportMail>> {
    const { host } = this.#parts;
    const targetId = String(mail.targetId);
    const sender = host.mails.sender();
    const target = sender?.target(targetId);
    if (sender && !target) return ending('failed', `There is no mail target ${targetId} any more.`);
    if (target && !target.enabled) return ending('skipped', `The target ${targetId} is switched off.`);
    const content = await this.#content(mail).catch((error: unknown) => messageOf(error));
    if (typeof content === 'string') return ending('failed', content);
    await this.#note(mail, { state: 'sending' });
    const lacks = lacksOf(sender);
    const sent: MailOutcome =
      lacks === undefined && sender
        ? await sender.send(targetId, { id: mail.messageId, ...content, reach: mail.reach }, host.signal)
        : { ok: false, outcome: lacks ?? '' };
    const { ok, outcome, isFinal = false, reach = mail.reach } = sent;
    if (ok || reach) this.#failingSince = undefined;
    else this.#failingSince ??= host.clock.now();
    this.#noteRefused(mail.targetId, ok ? null : reach);
    const tried = { tries: mail.tries + 1, reach };
    if (ok) return { ...ending('done', outcome), ...tried };
    if (isFinal || tried.tries >= MOST_DELIVERY_TRIES) return { ...ending('failed', outcome), ...tried };
    return { ...tried, state: 'waiting', outcome, notBefore: host.clock.now() + pauseAfter(tried.tries) };
  }

  #noteRefused(targetId: number, reach: MailReach | null): void {
    if (reach && reach.refused.length > 0) this.#refused.add(targetId);
    else this.#refused.delete(targetId);
  }

  async #content({ runId, reportId }: ReportMail) {
    const { tables, store, folders } = this.#parts;
    const [run] = await tables.read((rows) => rows.find(REPORT_RUNS, { where: { id: runId } }));
    const report = store.find(reportId);
    if (!run || !report) throw new GatewayError('REPORT_NOT_FOUND', 'The report or its documents were removed.');
    const attachments: MailAttachment[] = [];
    let bytes = 0;
    for (const { format, name, contentType, bytes: size } of run.documents) {
      if (bytes + size > MOST_ATTACHED_BYTES) continue;
      bytes += size;
      attachments.push({ name, contentType, bytes: await folders.whole(run.id, format) });
    }
    return { ...mailText(report.body, run, attachments), attachments };
  }

  async #note({ runId, targetId }: ReportMail, values: Partial<ReportMail>): Promise<void> {
    const { host, tables } = this.#parts;
    const ends = values.state === 'waiting' || values.state === 'sending' ? null : host.clock.now();
    await tables.write((rows) => rows.change(REPORT_MAILS, { runId, targetId }, { ...values, endedAt: ends }));
  }

  /** Names and addresses of targets are not for everybody: only the ids are said. */
  #trouble() {
    const { host, store } = this.#parts;
    const sender = host.mails.sender();
    const gone = store
      .list()
      .flatMap(({ id, body }) => body.targets.filter((one) => !sender?.target(one)).map((one) => [one, id] as const));
    if (gone.length > 0) {
      const names = gone.slice(0, 5).map(([target, report]) => `${target} (report ${report})`);
      return { detail: `Reports name mail targets that are not there any more: ${names.join(', ')}.` };
    }
    const isLong = this.#failingSince !== undefined && host.clock.now() - this.#failingSince >= FAILING_MS;
    if (isLong) return { detail: 'Mails of reports have not gone out for an hour or longer.' };
    const refused = [...this.#refused].filter((id) => sender?.target(String(id)));
    if (refused.length === 0) return undefined;
    const ids = refused.slice(0, 5).join(', ');
    return {
      detail: `The mail server refuses addresses of mail targets of reports: ${ids}. The runs of the reports say why.`,
    };
  }
}

const ending = (state: 'done' | 'failed' | 'skipped', outcome: string) => ({ state, outcome });

const lacksOf = (sender: MailSender | undefined): string | undefined =>
  sender ? sender.lacks() : 'No plugin that runs sends mail: the plugin alerts is not loaded.';

type MailedRun = Pick<ReportRun, 'fromAt' | 'toAt' | 'dueAt' | 'late'> & {
  readonly documents: readonly { readonly name: string }[];
};

/** The first line says what it is, the second what is attached, and whether it is late. Names are one line each already. */
export function mailText(
  { name, zone, wishes }: Pick<ReportBody, 'name' | 'zone' | 'wishes'>,
  { fromAt, toAt, dueAt, late, documents }: MailedRun,
  attached: readonly Pick<MailAttachment, 'name'>[],
): { readonly subject: string; readonly text: string } {
  const words = new ReportWords(LANGUAGES.find((lang) => lang === wishes.lang) ?? 'en', zone);
  const { say } = words;
  const { channel = MAIN_CHANNEL } = wishes;
  const iso = (at: number) => new Date(at).toISOString();
  const day = (at: number) => words.date(zones.localIso(zone, at).slice(0, 10));
  const [from, to] = [day(fromAt), day(toAt - 1)];
  const title = channel === MAIN_CHANNEL ? name : say('{title}, channel {channel}', { title: name, channel });
  const names = attached.map((one) => one.name);
  const left = documents.map((one) => one.name).filter((one) => !names.includes(one));
  const second = [
    names.length > 0 ? say('Attached: {names}.', { names: names.join(', ') }) : say('Nothing is attached.'),
    ...(left.length > 0
      ? [say('Too large for a mail, and kept by the gateway: {names}.', { names: left.join(', ') })]
      : []),
    ...(late && dueAt !== null
      ? [say('It was due at {time} and is made late.', { time: words.moment(iso(dueAt)) })]
      : []),
  ];
  return {
    subject:
      from === to ? say('{name}: {date}', { name, date: from }) : say('{name}: {from} to {to}', { name, from, to }),
    text: `${say('{title}: {period}, times of {zone}.', { title, period: words.period(iso(fromAt), iso(toAt)), zone })}\n${second.join(' ')}\n`,
  };
}

/** Kept reports: made, tried and run; when each is due, how the last run ended, its documents, and a preview. */
import { useEffect, useState } from 'preact/hooks';
import type { Query, schemas } from '../../client/index.ts';
import { client, hasKey, mayAdminister, mayOperate } from '../state/access.ts';
import { apiAddress, MAIN, search } from '../state/address.ts';
import { changes, now, titleOf, unitOf } from '../state/fleet.ts';
import { useFound } from '../state/found.ts';
import { bytes, dayAndTime } from '../state/numbers.ts';
import { ActionButton, Failed, Said, useAction } from '../ui/action.tsx';
import { Card, Name } from '../ui/card.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { Entry } from '../ui/entry.tsx';
import { Link } from '../ui/link.tsx';
import { Paged } from '../ui/paged.tsx';
import { metersText } from '../ui/rights.tsx';
import { WideTable } from '../ui/table.tsx';
import { say } from '../words/say.ts';
import { JUDGED } from './judged-by.tsx';
import { KeptReportForm, reportPeriods } from './kept-report-form.tsx';
import { Letterheads } from './letterheads.tsx';
import { Templates } from './templates.tsx';

export function ReportsPage() {
  const { found: reports, failure, again } = useFound(() => client.value.reports(), [changes.value.job]);
  // Names and addresses of targets are for admins.
  const { found: targets } = useFound(
    async () => (mayAdminister.value ? (await client.value.alertTargets()).filter(({ kind }) => kind === 'mail') : []),
    [mayAdminister.value],
  );
  // A link names the meters of a site: their report, or the form of a new one.
  const wanted = search.value.get('units')?.split(',') ?? [];
  const named = reports?.find(
    ({ units, tag }) =>
      wanted.length > 0 &&
      wanted.every((id) => (tag === null ? units.includes(id) : unitOf(id)?.tags.includes(tag) === true)),
  );
  return (
    <>
      <h1>{say('Reports')}</h1>
      <Card id="kept-reports" title={say('Kept reports')}>
        <Failed failure={failure} />
        {reports?.length === 0 && (
          <p class="soft">{say('None yet. A kept report is made every day, week or month, or when you ask for it.')}</p>
        )}
        {reports && reports.length > 0 && (
          <ul class="configs">
            {reports.map((report) => (
              <li
                key={report.id}
                ref={report === named ? showNamed : null}
                aria-current={report === named || undefined}
              >
                <KeptReport report={report} targets={targets} again={again} />
              </li>
            ))}
          </ul>
        )}
        <p>
          <Link to="verify">{say('Check a report')}</Link>
        </p>
        {mayOperate.value && reports && (
          <KeptReportForm
            targets={targets}
            wanted={wanted}
            use={{ saved: again, isOpen: reports.length === 0 || (wanted.length > 0 && !named) }}
          />
        )}
      </Card>
      <Templates />
      <Letterheads />
    </>
  );
}

const showNamed = (entry: HTMLElement | null): void => entry?.scrollIntoView({ block: 'center' });

interface ReportProps {
  readonly report: schemas.KeptReport;
  /** Undefined: not known yet. */
  readonly targets: Parameters<typeof KeptReportForm>[0]['targets'];
  again(): void;
}

function KeptReport({ report, targets, again }: ReportProps) {
  const { id, name, last_run: last, warnings } = report;
  const [isOpen, setOpen] = useState(false);
  const isSending = last?.mails.some(({ state }) => state === 'waiting' || state === 'sending') ?? false;
  // A mail goes out after its run has ended, and no event says so.
  useEffect(() => {
    if (!isSending) return undefined;
    const timer = setInterval(again, MAIL_LOOK_MS);
    return () => clearInterval(timer);
  }, [isSending]);
  const made = () => {
    setOpen(true);
    again();
  };
  return (
    <>
      <Entry
        name={name}
        mayChange={mayOperate.value}
        form={(use) => <KeptReportForm present={report} targets={targets} use={use} />}
        remove={() => client.value.removeReport(id)}
        onChange={again}
        more={
          <ActionButton work={() => client.value.runReport(id, spanOfRun(report))} done={made} hidden={name}>
            {say('Run now')}
          </ActionButton>
        }
      >
        <Name>{name}</Name>{' '}
        <bdi>{report.tag ? metersText(null, [report.tag]) : report.units.map(titleOf).join(', ')}</bdi>
        <div class="soft small">
          {reportPeriods().find(([word]) => word === report.period)?.[1]}
          {report.channel !== MAIN && `, ${say('channel {channel}', { channel: report.channel })}`}
          {report.next_due_at &&
            `, ${say('next {time} ({zone})', { time: dayAndTime(report.next_due_at, report.zone), zone: report.zone })}`}
        </div>
        {last && <LastRun run={last} zone={report.zone} />}
        {warnings.map((warning) => (
          <p key={warning} class="said bad">
            {warning}
          </p>
        ))}
      </Entry>
      <div class="row below">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {say('Documents')} <span class="hidden-label">{say('of {name}', { name })}</span>
        </button>
        <ReportPreview report={report} />
        {mayOperate.value && report.targets.length > 0 && <ReportMail report={report} again={again} />}
      </div>
      {isOpen && <ReportDocuments report={report} />}
    </>
  );
}

const MAIL_LOOK_MS = 2_000;

/** One without a period of its own is about the last seven days. */
function spanOfRun({ period }: schemas.KeptReport): Query {
  if (period !== 'none') return {};
  const to = new Date();
  return { from: new Date(to.getTime() - 7 * 86_400_000).toISOString(), to: to.toISOString() };
}

/** The mail is shown first, and sent by a second button. */
function ReportMail({ report: { id, name, ...report }, again }: Pick<ReportProps, 'report' | 'again'>) {
  const [draft, setDraft] = useState<schemas.KeptReportMailDraft | undefined>(undefined);
  const { outcome, run, waits } = useAction();
  const look = () =>
    run(async () => {
      setDraft(await client.value.reportMail(id, spanOfRun({ id, name, ...report })));
      return '';
    });
  const send = ({ from, to }: schemas.KeptReportMailDraft) =>
    run(async () => {
      const { message } = await client.value.runReport(id, { from, to, mail: 'true' });
      setDraft(undefined);
      again();
      return message;
    });
  return (
    <>
      <button type="button" disabled={waits} onClick={() => void look()}>
        {say('Send by mail ...')} <span class="hidden-label">{name}</span>
      </button>
      <Said outcome={outcome} waiting="" />
      {draft && (
        <section class="card wide" aria-label={say('The mail of {name}', { name })}>
          <dl class="facts">
            <dt>{say('To ## of a mail')}</dt>
            <dd>
              {draft.targets.map((target) => (
                <div key={target.id}>
                  <bdi>{[target.name, target.addresses.join(', ')].filter(Boolean).join(': ')}</bdi>
                  {!target.enabled && ` ${say('(switched off or gone: gets nothing)')}`}
                </div>
              ))}
            </dd>
            <dt>{say('Subject')}</dt>
            <dd>{draft.subject}</dd>
            <dt>{say('Text')}</dt>
            <dd class="lines">{draft.text}</dd>
            <dt>{say('Attached ## to a mail')}</dt>
            <dd>{draft.attachments.join(', ')}</dd>
          </dl>
          <div class="row">
            <button type="button" class="main" disabled={waits} onClick={() => void send(draft)}>
              {say('Send this mail')}
            </button>
            <button type="button" onClick={() => setDraft(undefined)}>
              {say('Cancel')}
            </button>
          </div>
        </section>
      )}
    </>
  );
}

const STATES = {
  waiting: () => say('The last run is being made'),
  done: () => say('The last run was made'),
  failed: () => say('The last run failed'),
  missed: () => say('The last run was missed'),
};
const RESULTS = {
  sent: () => say('sent'),
  waiting: () => say('waiting ## a mail'),
  refused: () => say('refused by the mail server'),
  not_sent: () => say('not sent'),
};
const triedAgain = () => say('The last run failed and is tried again');

function LastRun({ run, zone }: { readonly run: schemas.KeptReportRun; readonly zone: string }) {
  const { state, ended_at: ended, detail, late, mails, tries } = run;
  const unsent = mails.filter((mail) => mail.state !== 'done');
  const isAgain = state === 'waiting' && tries > 0;
  const words = isAgain ? triedAgain() : STATES[state]();
  return (
    <div class={state === 'failed' || state === 'missed' || isAgain ? 'said bad' : 'soft small'}>
      {say('{sentence}.', {
        sentence: `${words}${ended ? ` ${dayAndTime(ended, zone)}` : ''}${late ? `, ${say('late')}` : ''}`,
      })}
      {detail && ` ${detail}`}
      {mails.length > 0 && unsent.length === 0 && ` ${say('Its mails were sent.')}`}
      {unsent.map((mail) => ` ${mailWords(mail)}`)}
      <ul>
        {mails.flatMap(({ target, recipients }) =>
          recipients.map(({ address, state: result, said }) => (
            <li key={`${target} ${address}`} class={result === 'refused' ? 'over' : ''}>
              <bdi>{address}</bdi>: {RESULTS[result]()} <bdi>{said}</bdi>
            </li>
          )),
        )}
      </ul>
    </div>
  );
}

function mailWords({ target, state, outcome }: schemas.KeptReportMail): string {
  if (state === 'failed') return `${say('Mail to target {target}: failed.', { target })} ${outcome}`;
  if (state === 'skipped') return `${say('Mail to target {target}: skipped.', { target })} ${outcome}`;
  if (state === 'sending') return `${say('Mail to target {target}: sending.', { target })} ${outcome}`;
  return `${say('Mail to target {target}: waiting.', { target })} ${outcome}`;
}

function ReportDocuments({ report: { id, name, zone } }: { readonly report: schemas.KeptReport }) {
  const { found: documents } = useFound(() => client.value.reportDocuments(id), [id, changes.value.job]);
  if (!documents) return null;
  if (documents.length === 0) return <p class="soft">{say('No documents yet.')}</p>;
  return (
    <Paged
      items={documents}
      label={say('documents of {name}', { name })}
      wordsOf={(one) => `${one.name} ${one.sha256}`}
    >
      {(some) => (
        <WideTable heads={[say('Levels of ## a span'), say('Made ## when'), say('Document')]}>
          {some.map((one) => (
            <tr key={one.id}>
              <td>{say('{from} to {to}', { from: dayAndTime(one.from, zone), to: dayAndTime(one.to, zone) })}</td>
              <td>
                {dayAndTime(one.made_at, zone)}
                {one.late && <div class="soft small">{say('late')}</div>}
              </td>
              <td>
                <DownloadLink path={one.href} query={{}} name={one.name}>
                  {say('Save {format}', { format: one.format.toUpperCase() })}{' '}
                  <span class="hidden-label">{one.id}</span>
                </DownloadLink>
                <div class="soft small">
                  {bytes(one.bytes)}, <abbr title={`SHA-256 ${one.sha256}`}>{one.sha256.slice(0, 8)}</abbr>
                </div>
              </td>
            </tr>
          ))}
        </WideTable>
      )}
    </Paged>
  );
}

const HOUR_MS = 3_600_000;
const DAYS = { none: 7, day: 1, week: 7, month: 31 } as const;
const PATH = '/_reports/preview';

/** As a page, of the time up to the last full hour. */
function ReportPreview({ report }: { readonly report: schemas.KeptReport }) {
  const to = Math.floor(now.value / HOUR_MS) * HOUR_MS;
  const { units, zone, lang, channel, template, periods, preset, title, remarks, letterhead } = report;
  const judged = JUDGED.flatMap((name) => (report[name] ? [[name, report[name]]] : []));
  const time = (at: number) => new Date(at).toISOString();
  const query: Query = {
    units: units.join(','),
    zone,
    lang,
    channel,
    template,
    periods,
    preset,
    title,
    remarks,
    format: 'html',
    ...Object.fromEntries(judged),
    ...(letterhead && { letterhead }),
    from: time(to - DAYS[report.period] * 24 * HOUR_MS),
    to: time(to),
  };
  const words = (
    <>
      {say('Preview')} <span class="hidden-label">{say('of {name}', { name: report.name })}</span>
    </>
  );
  if (hasKey.value)
    return (
      <DownloadLink path={PATH} query={query} name="preview.html">
        {words}
      </DownloadLink>
    );
  return (
    <a class="button" href={apiAddress(PATH, query)} target="_blank" rel="noreferrer">
      {words}
    </a>
  );
}

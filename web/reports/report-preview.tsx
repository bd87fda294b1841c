/** The present content of a kept report; it is not stored. */
import type { Query, schemas } from '../../client/index.ts';
import { hasKey } from '../state/access.ts';
import { apiAddress } from '../state/address.ts';
import { now } from '../state/fleet.ts';
import { DownloadLink } from '../ui/download-link.tsx';
import { say } from '../words/say.ts';
import { JUDGED } from './judged-by.tsx';

const HOUR_MS = 3_600_000;
const DAYS = { none: 7, day: 1, week: 7, month: 31 } as const;
const PATH = '/_reports/preview';

/** As a page, of the time up to the last full hour. */
export function ReportPreview({ report }: { readonly report: schemas.KeptReport }) {
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

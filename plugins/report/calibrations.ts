/** The calibration sheet of a report: each check that frames the period or lies in it, and what they make doubtful. */
import { type Calibration, doubtfulWords, fixed, html, type Markup, type ShowTime } from '../../lib/index.ts';
import type { Findings } from './gather.ts';
import { wide } from './style.ts';

/** `show` writes a time of the period. */
export function calibrationSection({ calibrations, doubtful }: Findings, show: ShowTime): Markup {
  if (calibrations.length === 0) return html`<p>No calibration is logged for this meter.</p>`;
  return html`${wide(
    'Calibrations',
    html`<table><thead><tr><th scope="col">Time</th><th class="n" scope="col">Nominal</th><th class="n" scope="col">Before</th><th class="n" scope="col">After</th><th scope="col">Calibrator</th><th scope="col">Certificate</th><th scope="col">By</th><th scope="col">Text</th></tr></thead>
<tbody>${calibrations.map((entry) => line(entry, show))}</tbody></table>`,
  )}
<p>Levels in dB: what the calibrator gives, and what the meter showed before and after it was adjusted.</p>
${
  doubtful.length === 0
    ? null
    : html`<p class="doubt">${doubtful.map((one) => doubtfulWords(one, (at) => show(at))).join(' ')}</p>`
}`;
}

const line = (entry: Calibration, show: ShowTime): Markup => {
  const { time, nominalDb, beforeDb, afterDb, calibrator, serial, certificate, validUntil, person, text } = entry;
  const valid = validUntil === null ? '' : `valid until ${validUntil}`;
  const words = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(', ') || '-';
  return html`<tr><td>${show(time)}</td><td class="n">${fixed(nominalDb, 2)}</td><td class="n">${fixed(beforeDb, 2)}</td><td class="n">${afterDb === null ? 'not adjusted' : fixed(afterDb, 2)}</td><td>${words(calibrator, serial)}</td><td>${words(certificate, valid)}</td><td>${person}</td><td class="lines">${text}</td></tr>`;
};

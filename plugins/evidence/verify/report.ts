/** What a verifier found out about a package. */
import { countOf } from '../../../lib/domain/figures.ts';

/** Something that is not as it was signed. */
export interface PackageDifference {
  /** The path in the package; null: the package as a whole. */
  readonly file: string | null;
  /** Of a table or a log: the line of the file, the header is line 1. */
  readonly line?: number;
  readonly fields?: readonly string[];
  readonly what: string;
}

export interface SealResult {
  readonly day: string;
  /** Of the newest seal; null without one. */
  readonly version: number | null;
  /** `part`: the package has only a part of this day, so the seal of the whole day cannot be computed. */
  readonly result: 'fits' | 'minutes' | 'differs' | 'part' | 'none';
}

export interface SignerResult {
  /** Fingerprint of the key in the package; null: it cannot be read. */
  readonly by: string | null;
  /** RFC 3339, as the gateway's clock was. */
  readonly at: string | null;
  /** Null: it could not be checked here. */
  readonly valid: boolean | null;
}

export interface StampResult {
  /** RFC 3339; null: it cannot be read. */
  readonly at: string | null;
  /** Null: it could not be checked here. */
  readonly valid: boolean | null;
  /** Who stamped, as its certificate says. Whether this authority is trusted is for the reader. */
  readonly authority: string | null;
  /** Of that certificate: `sha256:` and the hex SHA-256 of its DER. */
  readonly fingerprint: string | null;
  /** Whether it leads to an authority that the reader named. */
  readonly is_known: boolean;
}

/** How it came out. `unchecked`: nothing differs, but something could not be checked. */
export type Outcome = 'whole' | 'differs' | 'not a package' | 'unchecked';

/** The answer of a verifier; `slm verify --json` and `verify.py --json` print it. */
export interface Report {
  readonly outcome: Outcome;
  readonly unit_id: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly signed: SignerResult;
  /** Null: not stamped. */
  readonly stamped: StampResult | null;
  /** Why it has no stamp, as the signed statement says. Null: it is stamped, or the statement does not say. */
  readonly not_stamped: string | null;
  readonly files: number;
  readonly seals: readonly SealResult[];
  readonly differences: readonly PackageDifference[];
  /** Sentences: what could not be checked here. */
  readonly unchecked: readonly string[];
}

const WORDS: Readonly<Record<Outcome, string>> = {
  whole: 'WHOLE: every file is as it was signed.',
  differs: 'NOT WHOLE: the package differs from what was signed.',
  'not a package': 'This is not a package of evidence.',
  unchecked: 'NOTHING DIFFERS, but not everything could be checked.',
};
const SEALS: Readonly<Record<SealResult['result'], string>> = {
  fits: 'fits its seal',
  minutes: 'fits its seal by its minutes: not all of its seconds are kept',
  differs: 'does not fit its seal',
  part: 'is there in part: its seal is of the whole day',
  none: 'has no seal',
};

export function reportLines(report: Report): readonly string[] {
  const { outcome, unit_id, from, to, signed, files, seals, differences, unchecked } = report;
  const lines = [WORDS[outcome]];
  if (outcome !== 'not a package') {
    lines.push(`Unit ${unit_id ?? '?'}, from ${from ?? '?'} to ${to ?? '?'}, ${countOf(files, 'file')} compared.`);
    lines.push(signerLine(signed), stampLine(report));
    for (const { day, version, result } of seals)
      lines.push(`${day} ${SEALS[result]}${version === null ? '' : ` (version ${version})`}.`);
  }
  lines.push(...differences.map((difference) => `Differs: ${differenceText(difference)}`));
  return [...lines, ...unchecked.map((what) => `Not checked: ${what}`)];
}

/** `levels/2026-11-20/seconds.csv, line 17, leq: it is not as it was signed` */
export function differenceText({ file, line, fields, what }: PackageDifference): string {
  const place = [file ?? 'the package', ...(line === undefined ? [] : [`line ${line}`]), ...(fields ?? [])];
  return `${place.join(', ')}: ${what}`;
}

function signerLine({ by, at, valid }: SignerResult): string {
  if (valid === null) return `Signature not checked; the key in the package is ${by ?? 'not readable'}.`;
  return valid
    ? `Signed by ${by}, at ${at} by the clock of the gateway.`
    : `The signature is not valid (key ${by ?? '?'}).`;
}

function stampLine({ stamped, not_stamped }: Report): string {
  // Whoever signed the package wrote the reason: it must not look like a line of the report.
  const reason = not_stamped?.replaceAll('\n', ' ') ?? 'nobody else says when it was signed';
  if (!stamped) return `Not stamped: ${reason}.`;
  const { at, authority, fingerprint, valid, is_known } = stamped;
  if (valid === false) return 'The time stamp is not valid.';
  const by = `${at} by ${authority} (certificate ${fingerprint})`;
  if (is_known) return `Stamped at ${by}, an authority that you named.`;
  return valid
    ? `Stamped at ${by}. Whether you trust this authority is for you to say.`
    : `The time stamp is of this signature and says ${by}. Its own signature is not checked.`;
}

/** The time stamp of a package: is it there as the signed statement says, and does it hold. What reads it is loaded where there is one. */
import { ATTACHED, TIMESTAMP } from './manifest.ts';
import type { PackageDifference, StampResult } from './report.ts';
import type { EnvelopeResult } from './signature.ts';

export interface StampFindings {
  /** Null: not stamped. */
  readonly stamped: StampResult | null;
  /** Why, as the signed statement says; null: it is stamped, or the statement does not say. */
  readonly not_stamped: string | null;
  readonly differences: readonly PackageDifference[];
  readonly unchecked: readonly string[];
}

const UNREADABLE: StampResult = { at: null, valid: false, authority: null, fingerprint: null, is_known: false };
const differing = (...whats: readonly string[]): readonly PackageDifference[] =>
  whats.map((what) => ({ file: TIMESTAMP, what }));

/** Of a package without a stamp. One that is not there although the statement names one was taken away. */
export function withoutStamp(signed: EnvelopeResult | undefined, authorities: string | undefined): StampFindings {
  const said = signed?.predicate?.stamp;
  const whats = [
    ...(said === ATTACHED ? ['it is missing'] : []),
    ...(authorities === undefined ? [] : ['there is no time stamp of an authority that you named']),
  ];
  const not_stamped = said === undefined || said === ATTACHED ? null : said;
  return { stamped: null, not_stamped, differences: differing(...whats), unchecked: [] };
}

/**
 * By whom and when. `answer`: undefined where its entry is damaged, which is named elsewhere. `authorities`: PEM, those that the reader knows; throws a
 * RangeError where it is none.
 */
export async function withStamp(
  answer: Uint8Array | undefined,
  signed: EnvelopeResult | undefined,
  authorities: string | undefined,
): Promise<StampFindings> {
  const { signature, at: signedAt, predicate } = signed ?? {};
  const isExpected = predicate?.stamp === undefined || predicate.stamp === ATTACHED;
  const added = isExpected ? [] : differing('it was not there when it was signed');
  if (!answer) return { stamped: UNREADABLE, not_stamped: null, differences: added, unchecked: [] };
  const { certificatesOfPem } = await import('./certificates.ts');
  const { checkStamp } = await import('./check.ts');
  const known = authorities === undefined ? undefined : certificatesOfPem(authorities);
  const found = await checkStamp(answer, signature, { signedAt: signedAt ?? undefined, authorities: known });
  const { at, authority, fingerprint, fault, unchecked } = found;
  const isChecked = unchecked === undefined ? true : null;
  const valid = fault === undefined ? isChecked : false;
  return {
    stamped: { at, valid, authority, fingerprint, is_known: known !== undefined && valid === true },
    not_stamped: null,
    differences: [...added, ...(fault === undefined ? [] : differing(fault))],
    unchecked: fault === undefined && unchecked !== undefined ? [unchecked] : [],
  };
}

/** Why a text cannot be used as `authorities`; undefined: it holds certificates, and all can be read. */
export async function authoritiesFault(pem: string): Promise<string | undefined> {
  const { certificatesOfPem } = await import('./certificates.ts');
  try {
    certificatesOfPem(pem);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

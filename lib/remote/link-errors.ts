/** Errors of a link, and errors of meters on their way over it. */
import { DecodeError, UnknownLayoutError } from '../drivers/wire/contract.ts';
import { ERRORS, type ErrorCode, GatewayError, isGatewayError } from '../errors.ts';
import type { ErrorOnLink } from './messages.ts';

/** No instance serves this unit, in words. */
export const servedByNobody = (unitId: string): string =>
  `No instance of the gateway serves the meter ${unitId} at this moment.`;

/** The instance that owns this unit is not linked, in words. */
export const ownerUnreached = (unitId: string): string =>
  `The instance of the gateway that serves the meter ${unitId} cannot be reached.`;

/** OWNER_CHANGING, with the reason in words. */
export const ownerChanging = (why: string): GatewayError =>
  new GatewayError('OWNER_CHANGING', `${why} Ask again in a few seconds.`);

/** OWNER_CHANGING: no instance serves this unit for the gateway now. */
export const notServed = (unitId: string): GatewayError => ownerChanging(servedByNobody(unitId));

/** What a caller is told whose call was under way when the link was lost. `changes`: it may have changed something at the meter. */
export function linkLost(unitId: string, changes: boolean): GatewayError {
  if (!changes) return notServed(unitId);
  const what = `The link to the instance that serves the meter ${unitId} was lost after this was asked.`;
  return new GatewayError('OUTCOME_UNKNOWN', `${what} Whether it took effect is not known; it is not sent again.`);
}

/** An error for the other side. One that is not of the table stays here: its words may be about this computer. */
export function errorToLink(error: unknown): ErrorOnLink {
  if (!isGatewayError(error)) return { code: 'INTERNAL', detail: 'The instance that serves this meter has a fault.' };
  const { code, message, headers, errors, cause } = error;
  return {
    code,
    detail: message,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(errors && { errors }),
    ...(cause instanceof DecodeError && { unreadable: unreadableToLink(cause) }),
  };
}

const unreadableToLink = (cause: DecodeError): NonNullable<ErrorOnLink['unreadable']> => {
  const { message, raw } = cause;
  return { message, raw, isLayout: cause instanceof UnknownLayoutError };
};

/** The same error as the other side had. A code that is not known here is INTERNAL. */
export function errorFromLink({ code, detail, headers, errors, unreadable }: ErrorOnLink): GatewayError {
  return new GatewayError(isCode(code) ? code : 'INTERNAL', detail, {
    ...(headers && { headers }),
    ...(errors && { errors }),
    ...(unreadable && { cause: unreadableFromLink(unreadable) }),
  });
}

function unreadableFromLink({ message, raw, isLayout }: NonNullable<ErrorOnLink['unreadable']>): DecodeError {
  // Its constructor adds the line again.
  const end = message.lastIndexOf(`: ${JSON.stringify(raw)}`);
  const what = end < 0 ? message : message.slice(0, end);
  return isLayout ? new UnknownLayoutError(what, raw) : new DecodeError(what, raw);
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** The error that a call to the gateway can end with. */

/** One place of a request that was not as it should be. */
export interface InputProblem {
  /** JSON pointer, `/tcp_port`. */
  readonly path: string;
  readonly message: string;
}

/**
 * The gateway's refusal, or none at all. `code` is what programs decide by: a code of the table in docs/api.md, `NO_GATEWAY` where
 * nothing answered, `NO_PROBLEM_FORMAT` where something else than the gateway did. `message` is a sentence for a person.
 */
export class GatewayProblem extends Error {
  override readonly name = 'GatewayProblem';
  readonly code: string;
  /** HTTP status; 0 where nothing answered. */
  readonly status: number;
  readonly errors: readonly InputProblem[];
  /** Seconds after which another try makes sense; undefined: not known. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: string,
    message: string,
    more: Partial<Pick<GatewayProblem, 'status' | 'errors' | 'retryAfterS'>> = {},
  ) {
    super(message);
    this.code = code;
    this.status = more.status ?? 0;
    this.errors = more.errors ?? [];
    this.retryAfterS = more.retryAfterS;
  }
}

export async function problemOf(response: Response): Promise<GatewayProblem> {
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const more = { status: response.status, ...(Number.isFinite(retryAfter) && { retryAfterS: retryAfter }) };
  const body: unknown = await response.json().catch(() => undefined);
  if (!isProblem(body)) return strange(more);
  return new GatewayProblem(body.code, body.detail, { ...more, errors: body.errors ?? [] });
}

export const strange = (more: { readonly status: number; readonly retryAfterS?: number }): GatewayProblem =>
  new GatewayProblem('NO_PROBLEM_FORMAT', `Something answered with ${more.status} that is not the gateway.`, more);

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly InputProblem[];
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && typeof body.code === 'string';

/** What another instance may ask this one alone, whether this one waits or is the gateway. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** The headers of the answer 204; undefined: whoever asks is none of the instances, and is answered as anybody. */
export interface AskedOfInstance {
  readonly path: string;
  readonly answer: (request: IncomingMessage) => Headers204 | undefined | Promise<Headers204 | undefined>;
}

type Headers204 = Readonly<Record<string, string>>;

/** It goes before everything else; `answer` does not reject. */
export function askedFirst(asked: readonly AskedOfInstance[], otherwise: RequestListener): RequestListener {
  const askedAt = new Map(asked.map((one) => [one.path, one]));
  return (request, response) => {
    const one = askedAt.get(pathOf(request));
    if (one) void answerInstance(one.answer(request), response, () => otherwise(request, response));
    else otherwise(request, response);
  };
}

/** Of a request as it came, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

async function answerInstance(
  answered: ReturnType<AskedOfInstance['answer']>,
  response: ServerResponse,
  otherwise: () => void,
): Promise<void> {
  const headers = await answered;
  if (headers) response.writeHead(204, headers).end();
  else otherwise();
}

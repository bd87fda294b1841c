/** The answer to a download. */
export interface Download {
  /** Bytes of the whole file; undefined where the gateway does not know. */
  readonly size: number | undefined;
  /** The first byte of `bytes`, counted from 0: what was asked for, or 0. */
  readonly start: number;
  /** Changes with the file. */
  readonly etag: string | undefined;
  /** The name that the gateway gives the file. */
  readonly name: string | undefined;
  readonly bytes: ReadableStream<Uint8Array>;
}

/** The file of an answer, by its headers. */
export function downloadOf(response: Response): Download {
  const { headers, body } = response;
  const [, start, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('Content-Range') ?? '') ?? [];
  const length = headers.get('Content-Length');
  const size = whole ?? length;
  return {
    size: size === null || size === undefined ? undefined : Number(size),
    start: Number(start ?? 0),
    etag: headers.get('ETag') ?? undefined,
    name: nameIn(headers.get('Content-Disposition') ?? ''),
    bytes: body ?? new Blob([]).stream(),
  };
}

function nameIn(disposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded ? decodeURIComponent(encoded) : /filename="([^"]*)"/.exec(disposition)?.[1];
}

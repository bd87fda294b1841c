/** The picture of the plan in the browser. It comes by fetch, because an address in a page cannot send a key. */
import { useEffect, useState } from 'preact/hooks';
import { client } from '../state/access.ts';
import { messageOf } from '../ui/action.tsx';
import { say } from '../words/say.ts';

/** A picture that the browser could read; pixels as it shows them, turned if the file says so. */
export interface Picture {
  readonly href: string;
  readonly width: number;
  readonly height: number;
}

/** Fetches it once, and again when its hash changes. */
export function usePicture(sha256: string) {
  const [found, setFound] = useState<{ readonly picture?: Picture; readonly wrong?: string }>({});
  useEffect(() => {
    const ended = new AbortController();
    setFound({});
    fetched(ended.signal).then(
      (picture) => ended.signal.aborted || setFound({ picture }),
      (error) => ended.signal.aborted || setFound({ wrong: messageOf(error) }),
    );
    return () => ended.abort();
  }, [sha256]);
  return found;
}

async function fetched(signal: AbortSignal): Promise<Picture> {
  const bytes = await client.value.blob('/_plan/picture', { signal });
  const href = await addressOf(bytes);
  const { naturalWidth: width, naturalHeight: height } = await loaded(href);
  return { href, width, height };
}

/** The policy of the page allows pictures in an address of their own, and no others. */
const addressOf = (bytes: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(say('The picture cannot be read.')));
    reader.readAsDataURL(bytes);
  });

const loaded = (href: string) =>
  new Promise<HTMLImageElement>((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () =>
      reject(new Error(say('The browser cannot show this picture. An admin can replace it in Settings.')));
    image.src = href;
  });

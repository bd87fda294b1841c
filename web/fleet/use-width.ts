/** How wide a part of the page is, also after the window has changed. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** `frame` belongs to the element; `width` in pixels, 0 until it is on the page. */
export function useWidth() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const look = () => setWidth(current.clientWidth);
    const resized = new ResizeObserver(look);
    resized.observe(current);
    look();
    return () => resized.disconnect();
  }, []);
  return { frame, width };
}

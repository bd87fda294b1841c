/** A link to a page of the dashboard. */
import type { ComponentChildren } from 'preact';
import { go } from '../state/address.ts';

interface Props {
  readonly to: string;
  readonly current?: boolean;
  readonly class?: string;
  /** A second one to the same page, only for the pointer. */
  readonly isSecond?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ to, current = false, class: look, isSecond = false, children }: Props) {
  const follow = (event: MouseEvent) => {
    // Another tab, another window, a download: left to the browser.
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={to === '' ? './' : to}
      class={look}
      aria-current={current ? 'page' : undefined}
      onClick={follow}
      {...(isSecond && { 'aria-hidden': true, tabindex: -1 })}
    >
      {children}
    </a>
  );
}

/** The frame of a part of a page, and the names in it. */
import type { ComponentChildren } from 'preact';

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export const Card = ({ id, title, about, class: look = 'card', children }: CardProps) => (
  <section class={look} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {about && <p class="soft">{about}</p>}
    {children}
  </section>
);

/** A name that people gave to something; it may be in a script of another direction. */
export const Name = ({ children }: { readonly children: ComponentChildren }) => (
  <strong>
    <bdi>{children}</bdi>
  </strong>
);

/** Drawn in place of a page, while a slow line brings it. */

const ROWS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** `what`: what is waited for, in words. */
export function Skeleton({ what }: { readonly what: string }) {
  return (
    <div class="skeleton">
      <p class="soft" role="status">
        {what}
      </p>
      <div aria-hidden="true">
        {ROWS.map((row) => (
          <div key={row} class="bone" />
        ))}
      </div>
    </div>
  );
}

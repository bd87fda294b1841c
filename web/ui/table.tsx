/** Tables: a row of heads, and rows below them. */
import type { ComponentChildren } from 'preact';

interface TableProps {
  /** Of each column; `number` for a column of numbers. */
  readonly heads: readonly (ComponentChildren | { readonly number: ComponentChildren })[];
  readonly class?: string;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Table({ heads, class: look, foot, children }: TableProps) {
  return (
    <table class={look}>
      <thead>
        <tr>
          {heads.map((head, index) => {
            const isNumber = typeof head === 'object' && head !== null && 'number' in head;
            return (
              <th key={index} scope="col" class={isNumber ? 'number' : ''}>
                {isNumber ? head.number : head}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  );
}

/** A table that scrolls where the page is narrower. */
export const WideTable = ({ class: look = '', ...table }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reached by keyboard
  <div class={`scroll ${look}`} tabIndex={0}>
    <Table {...table} />
  </div>
);

/**
 * The API pages: Swagger UI with the document of this gateway. It lacks parts for people who do not see or do not use a mouse,
 * and draws its page again and again: so this script watches the page.
 */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

/** Parts outside of the operations, which are the main part. */
const PLACES = [
  ['.information-container', 'About this API'],
  ['.schemes-server-container', 'Server'],
  ['.filter-container', 'Filter'],
] as const;

/** Watches the page for as long as it is open. */
function makeAccessible(page: HTMLElement): void {
  const mend = () => {
    for (const select of page.querySelectorAll<HTMLElement>('select:not([aria-label])'))
      select.setAttribute('aria-label', select.id === 'servers' ? 'Server' : labelOf(select));
    for (const input of page.querySelectorAll<HTMLElement>('input:not([aria-label]), textarea:not([aria-label])'))
      input.setAttribute('aria-label', input.getAttribute('placeholder') || labelOf(input));
    // The name of the whole is a heading of the first level, a group one of the second.
    for (const heading of page.querySelectorAll('h3.opblock-tag:not([aria-level])'))
      heading.setAttribute('aria-level', '2');
    for (const heading of page.querySelectorAll('h4:not([aria-level]), h5:not([aria-level])'))
      heading.setAttribute('aria-level', heading.tagName === 'H4' ? '3' : '4');
    for (const [place, name] of PLACES)
      for (const part of page.querySelectorAll(`${place}:not([role])`)) {
        part.setAttribute('role', 'region');
        part.setAttribute('aria-label', name);
      }
    // A link within a button cannot be reached by itself; the button opens the same.
    for (const link of page.querySelectorAll('button a[href]')) link.removeAttribute('href');
    for (const block of page.querySelectorAll('pre:not([tabindex]), .highlight-code:not([tabindex])'))
      block.setAttribute('tabindex', '0');
  };
  new MutationObserver(mend).observe(page, { subtree: true, childList: true, attributeFilter: ['href'] });
  mend();
}

const labelOf = (element: Element): string =>
  element.closest('tr')?.getAttribute('data-param-name') ??
  element.closest('label, .content-type-wrapper, .response-control-media-type')?.textContent?.trim().slice(0, 60) ??
  'Value';

const meta = (name: string): string => document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';

/** Its own style sheet knows a dark scheme only by this class. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUI({
  url: new URL(`${meta('root')}${meta('api-base')}/openapi.json`, location.href).href,
  dom_id: '#page',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  // It would send the document to a service outside.
  validatorUrl: null,
});

const page = document.getElementById('page');
if (page) makeAccessible(page);

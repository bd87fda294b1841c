/** The API pages: Swagger UI with the document of this gateway. */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import { makeAccessible } from './accessible.ts';

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

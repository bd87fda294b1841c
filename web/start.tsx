/** The start of the page: what the first view needs. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/page.css';
import './styles/forms.css';
import './styles/fleet.css';
import './styles/plan.css';
import './styles/meter.css';
import './styles/history.css';
import './styles/overview.css';
import './styles/small.css';
import './styles/wall.css';
import './styles/print.css';
import { enter } from './app/access.ts';
import { App } from './app/app.tsx';
import { fetchRestLater } from './app/rest.tsx';
import { keepTitle } from './app/title.ts';
import { registerLater } from './app/worker.ts';
import { fetchFirstWords } from './words/tables.ts';

void enter();
void fetchFirstWords().then(() => {
  const place = document.getElementById('page');
  // Until now the place of the page was there alone.
  place?.replaceChildren();
  if (place) render(<App />, place);
  keepTitle();
});
fetchRestLater();
registerLater();

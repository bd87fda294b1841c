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
import { App } from './shell/app.tsx';
import { fetchFirstWords, fetchRestLater } from './shell/rest.tsx';
import { keepTitle } from './shell/title.ts';
import { enter } from './state/access.ts';
import { registerLater } from './state/kept.ts';

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

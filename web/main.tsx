/** The start of the page. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/page.css';
import './styles/parts.css';
import { enter } from './app/access.ts';
import { App } from './app/app.tsx';

const place = document.getElementById('page');
if (place) render(<App />, place);
void enter();

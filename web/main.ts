/** The script of the page: draws the first view (start.tsx); the rest comes when it is wanted. */
import './start.tsx';

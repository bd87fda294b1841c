/** Packages that are loaded when they are needed. A test of the sources sees no difference; the build does. */
import t from 'tap';
import { sourceFiles } from './source.ts';

const LATE = /(?:const (\{[^}]*\}) = \(?|\()await import\('([^.'][^']*)'\)(?:\)\.(\w+))?/g;

t.test('of a package written for require only the default is taken: the build gives nothing else', async (t) => {
  const files = [...sourceFiles('lib'), ...sourceFiles('plugins'), ...sourceFiles('simulator')];
  const found = files.flatMap(({ path, text }) =>
    [...text.matchAll(LATE)].map(([, names, name = '', property]) => ({ path, name, names: names ?? property })),
  );
  t.ok(found.length >= 5, `${found.length} are found`);
  for (const { path, name, names } of found) {
    const isForRequire = 'module.exports' in (await import(name));
    if (isForRequire) t.match(names, /^\{ default: \w+ \}$/, `${path}: ${name}`);
  }
});

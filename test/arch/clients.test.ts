/** Allowed imports outside of the gateway: the dashboard, the typed client, the command line. */
import t from 'tap';
import { breaking, nameOf, sourceFiles } from './source.ts';

const code = sourceFiles('lib', 'plugins', 'simulator');
const web = sourceFiles('web');
const client = sourceFiles('client');
const cli = sourceFiles('cli');

t.test(
  'the dashboard imports the typed client, its own folder and its packages; the client imports two files of facts',
  async (t) => {
    const packages = ['preact', '@preact/signals', 'uplot', '@noble/hashes'];
    const isAllowed = (target: string) => /^(web|client\/index\.ts$)/.test(target) || packages.includes(nameOf(target));
    t.ok(web.length > 20 && client.length > 3);
    // The page that checks packages of evidence does the same as the command line, by the same code.
    const isVerifier = (path: string, target: string) =>
      path.startsWith('web/verify/') && target.startsWith('plugins/evidence/verify/');
    t.strictSame(
      breaking(web, ({ path }, target) => !isAllowed(target) && !isVerifier(path, target)),
      [],
    );
    t.strictSame(
      breaking(client, (_file, target) => !/^(client\/|lib\/domain\/(ids|quantities)\.ts$)/.test(target)),
      [],
    );
    t.strictSame(
      breaking(code, ({ path }, target, typeOnly) => {
        const isAnswer = typeOnly && path.startsWith('plugins/') && target === 'client/schemas.ts';
        return /^(web|client)\//.test(target) && !isAnswer;
      }),
      [],
    );
  },
);

t.test('the command line slm imports the typed client, its own folder and what comes with Node', async (t) => {
  const isAllowed = (target: string) =>
    /^(cli\/|client\/index\.ts$|lib\/(node-version\.cjs|system\.ts)$|plugins\/evidence\/verify\/|node:|package\.json$)/.test(
      target,
    );
  t.ok(cli.length > 10);
  t.strictSame(
    [...new Set(breaking(cli, (_file, target) => !isAllowed(target)))],
    ['cli/backup-file.ts -> tar-stream'],
    'and what reads an archive',
  );
  t.strictSame(
    breaking([...code, ...web, ...client], (_file, target) => target.startsWith('cli/')),
    [],
  );
});

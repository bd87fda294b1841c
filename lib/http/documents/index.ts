/** The documents that describe the API: `{base path}/openapi.json` and `{base path}/asyncapi.json`. */
import type { OwnPath } from '../router.ts';
import { asyncApi } from './asyncapi.ts';
import { type Described, type Examples, openApi } from './openapi.ts';

/** Input of both documents. */
interface DocumentParts extends Omit<Described, 'examples'> {
  /** Read when the document is requested for the first time. */
  readonly examples: () => Examples;
}

/** The paths of both documents. Each document is written when it is requested for the first time. */
export function documentPaths({ examples, ...parts }: DocumentParts): OwnPath[] {
  const { basePath } = parts;
  const described = { ...parts, table: documented(parts.table) };
  return [
    once(`${basePath}/openapi.json`, () => openApi({ ...described, examples: examples() })),
    once(`${basePath}/asyncapi.json`, () => asyncApi(described)),
  ];
}

/** Without the routes that repeat the API of another program. */
const documented = (table: Described['table']): Described['table'] => ({
  routes: table.routes.filter(({ route }) => !route.undocumented),
  sockets: table.sockets.filter(({ route }) => !route.undocumented),
  about: (group) => table.about(group),
});

/** Made at the first request. All answers share the same bytes: anybody may ask, and a slow reader holds no copy. */
function once(path: string, make: () => object): OwnPath {
  let bytes: Buffer | undefined;
  return {
    path,
    answer() {
      bytes ??= Buffer.from(JSON.stringify(make()));
      return bytes;
    },
  };
}

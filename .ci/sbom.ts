/** Prints a CycloneDX bill of materials of production, with the packages that are only in the bundles of `dist`. */
import { manifest, type Package, production } from './production.ts';

const urlOf = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A package may be there twice in one version. */
const refOf = ({ place, ...one }: Package): string => `${urlOf(one)}#${place}`;

function component(one: Package): object {
  const { name, version, licence, integrity = '' } = one;
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': refOf(one),
    name,
    version,
    purl: urlOf(one),
    licenses: [
      / (OR|AND) /.test(licence) ? { expression: licence.replaceAll(/^\(|\)$/g, '') } : { license: { id: licence } },
    ],
    hashes: [{ alg: 'SHA-512', content }],
  };
}

const packages = production();
const refs = new Map(packages.map((one) => [one.place, refOf(one)]));
const direct = new Set(
  [...Object.keys(manifest.dependencies), ...manifest.bundled].map((name) => `node_modules/${name}`),
);
const own = urlOf(manifest);
const needs = (places: readonly string[]) => places.map((place) => refs.get(place));
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': own,
      name: manifest.name,
      version: manifest.version,
      purl: own,
      licenses: [{ license: { id: manifest.license } }],
    },
  },
  components: packages.map(component),
  dependencies: [
    { ref: own, dependsOn: needs(packages.map(({ place }) => place).filter((place) => direct.has(place))) },
    ...packages.map((one) => ({ ref: refOf(one), dependsOn: needs(one.needs) })),
  ],
};
process.stdout.write(`${JSON.stringify(bill, undefined, 2)}\n`);

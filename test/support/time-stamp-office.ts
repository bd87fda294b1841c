/** A time stamp authority of openssl: its certificates, its answers, and such that no honest authority would give. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, TSTInfo, TSTInfoVersion } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import type { Test } from 'tap';
import { derInside, derOf, derValues, SEQUENCE } from '../../plugins/evidence/verify/der.ts';

const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '';
/** False where openssl is there. */
export const NO_OPENSSL = /^OpenSSL 3/.test(version) ? false : 'no openssl 3';

const CONFIG = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
[stamper]
extendedKeyUsage = critical,timeStamping
[lenient]
extendedKeyUsage = timeStamping
[many]
extendedKeyUsage = critical,timeStamping,emailProtection
[mail]
extendedKeyUsage = critical,emailProtection
[none]
subjectKeyIdentifier = hash
[ca]
default_ca = books
[books]
database = index.txt
new_certs_dir = .
serial = ca-serial
default_md = sha256
policy = any
unique_subject = no
email_in_dn = no
[any]
commonName = supplied
organizationName = optional
countryName = optional
organizationIdentifier = optional
serialNumber = optional
emailAddress = optional
[tsa]
default_tsa = own
[own]
serial = serial
default_policy = 1.2.3.4
digests = sha256
signer_digest = sha256
ess_cert_id_alg = sha256
`;

/** A certificate and its key, by the names of their files. */
export type Holder = string;

/** Properties of a certificate of the office. */
export interface Wish {
  /** A section of the configuration. */
  readonly use?: 'stamper' | 'lenient' | 'many' | 'mail' | 'none' | 'authority';
  /** Signer; default `ca`. Its own name: itself. */
  readonly by?: Holder;
  readonly algorithm?: readonly string[];
  /** As openssl writes it; default `/O=Büro/CN=` and the name. */
  readonly subject?: string;
  /** As openssl writes them: 20200101000000Z. */
  readonly from?: string;
  readonly to?: string;
}

/** Content of a made-up stamp. */
export interface Said {
  readonly of?: Uint8Array;
  /** In place of `of`: its SHA-256. */
  readonly imprint?: Uint8Array;
  readonly at?: Date;
  readonly nonce?: Uint8Array;
  readonly by?: Holder;
  /** More words for `openssl cms -sign`. Without `-cades` the certificate is not named. */
  readonly flags?: readonly string[];
  readonly contentType?: string;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** A folder with an authority `ca` and a stamper `tsa`. It goes with the test. */
export function openOffice(t: Pick<Test, 'teardown'>): Office {
  const folder = mkdtempSync(join(tmpdir(), 'slm-office-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'office.cnf'), CONFIG);
  writeFileSync(join(folder, 'serial'), '01\n');
  writeFileSync(join(folder, 'ca-serial'), '1000\n');
  writeFileSync(join(folder, 'index.txt'), '');
  const office = new Office(folder);
  office.authority('ca');
  office.certificate('tsa');
  return office;
}

export class Office {
  readonly folder: string;
  #count = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  ssl(...words: string[]): Buffer {
    return execFileSync('openssl', words, { cwd: this.folder, stdio: 'pipe' });
  }

  write = (name: string, content: string): void => writeFileSync(join(this.folder, name), content);
  read = (name: string): Buffer => readFileSync(join(this.folder, name));
  pem = (holder: Holder): string => this.read(`${holder}.pem`).toString();

  /** `sha256:` and the hash of a certificate, as openssl says it. */
  fingerprint(holder: Holder): string {
    const der = this.ssl('x509', '-in', `${holder}.pem`, '-outform', 'DER');
    return `sha256:${createHash('sha256').update(der).digest('hex')}`;
  }

  /** An authority that nobody signed but itself. */
  authority(name: Holder, algorithm: readonly string[] = EC): void {
    this.certificate(name, { use: 'authority', by: name, algorithm });
  }

  certificate(
    name: Holder,
    { use = 'stamper', by = 'ca', algorithm = EC, subject: who = `/O=Büro/CN=${name}`, from, to }: Wish = {},
  ): void {
    const subject = ['-utf8', '-subj', who, '-config', 'office.cnf'];
    this.ssl('req', ...algorithm, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, ...subject);
    const span = ['-startdate', from ?? '20200101000000Z', '-enddate', to ?? '20400101000000Z'];
    const issuer = by === name ? ['-selfsign'] : ['-cert', `${by}.pem`];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, ...issuer, '-keyfile', `${by}.key`];
    this.ssl(
      'ca',
      '-batch',
      '-notext',
      '-utf8',
      '-preserveDN',
      ...files,
      ...span,
      '-config',
      'office.cnf',
      '-extensions',
      use,
    );
  }

  /** Answer of `openssl ts` to a request. */
  reply(query: Uint8Array, by: Holder = 'tsa', ...more: string[]): Buffer {
    const name = this.#write(query);
    const files = ['-queryfile', name, '-inkey', `${by}.key`, '-signer', `${by}.pem`, '-out', `${name}.tsr`];
    this.ssl('ts', '-reply', ...files, '-config', 'office.cnf', '-section', 'own', ...more);
    return this.read(`${name}.tsr`);
  }

  /** The stamp of `openssl ts` over these bytes. */
  stamp(data: Uint8Array, by: Holder = 'tsa', ...more: string[]): Buffer {
    const name = this.#write(data);
    this.ssl('ts', '-query', '-data', name, '-sha256', '-cert', '-out', `${name}.tsq`);
    return this.reply(this.read(`${name}.tsq`), by, ...more);
  }

  /** A stamp that says anything, signed by anybody. */
  madeUp({
    of = Buffer.of(),
    imprint,
    at = new Date(),
    nonce,
    by = 'tsa',
    flags = ['-cades'],
    contentType,
  }: Said): Buffer {
    const info = new TSTInfo({
      version: TSTInfoVersion.v1,
      policy: '1.2.3.4',
      messageImprint: new MessageImprint({
        hashAlgorithm: new AlgorithmIdentifier({ algorithm: '2.16.840.1.101.3.4.2.1', parameters: null }),
        hashedMessage: new OctetString(imprint ?? createHash('sha256').update(of).digest()),
      }),
      serialNumber: new Uint8Array([7]).buffer,
      genTime: at,
      ...(nonce && { nonce: new Uint8Array(nonce).buffer }),
    });
    const name = this.#write(new Uint8Array(AsnConvert.serialize(info)));
    const type = ['-econtent_type', contentType ?? '1.2.840.113549.1.9.16.1.4'];
    const keys = ['-md', 'sha256', '-signer', `${by}.pem`, '-inkey', `${by}.key`, '-nosmimecap'];
    const form = ['-binary', '-nodetach', '-outform', 'DER', '-in', name, '-out', `${name}.p7s`];
    this.ssl('cms', '-sign', ...form, ...type, ...keys, ...flags);
    return answerOf(this.read(`${name}.p7s`));
  }

  #write(bytes: Uint8Array): string {
    this.#count += 1;
    const name = `file-${this.#count}`;
    writeFileSync(join(this.folder, name), bytes);
    return name;
  }
}

/** An answer that grants this token. */
export const answerOf = (token: Uint8Array): Buffer =>
  Buffer.from(derOf(SEQUENCE, derOf(SEQUENCE, Uint8Array.of(2, 1, 0)), token));

/** An answer of openssl in the form that packages keep: without words about its status. */
export function keptForm(answer: Uint8Array): Buffer {
  const [, token] = derInside(derValues(answer)?.[0], SEQUENCE, 2);
  if (!token) throw new Error('this answer has no stamp');
  return answerOf(token.whole);
}

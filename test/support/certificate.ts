/**
 * A self-signed certificate for loopback, written in DER (RFC 5280, Ed25519 by RFC 8410). So no test needs a tool and no key
 * lies in the repository.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const ED25519 = sequence(Buffer.from('06032b6570', 'hex'));

/** `host`: beside 127.0.0.1. */
export function selfSigned(name: string, host = 'localhost'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const who = sequence(tagged(0x31, sequence(Buffer.from('0603550403', 'hex'), tagged(0x0c, Buffer.from(name)))));
  const validity = sequence(...['250101000000Z', '491231235959Z'].map((time) => tagged(0x17, Buffer.from(time))));
  const signed = sequence(
    tagged(0xa0, Buffer.from('020102', 'hex')),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ED25519,
    who,
    validity,
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeNames(host))),
  );
  const certificate = sequence(
    signed,
    ED25519,
    tagged(0x03, Buffer.concat([Buffer.of(0), sign(null, signed, privateKey)])),
  );
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function alternativeNames(host: string): Buffer {
  const names = sequence(tagged(0x82, Buffer.from(host)), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  return sequence(Buffer.from('0603551d11', 'hex'), tagged(0x04, names));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** The types of the package `http_ece`, which brings none: only the functions that the gateway uses. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  const library: {
    /** RFC 8188 with the keys of RFC 8291: `dh` and `authSecret` of the browser as base64url. The salt is random. Throws if a key is invalid. */
    encrypt(
      content: Buffer,
      parameters: {
        readonly version: 'aes128gcm';
        readonly dh: string;
        readonly authSecret: string;
        readonly privateKey: ECDH;
        readonly salt?: string;
      },
    ): Buffer;
  };
  export default library;
}

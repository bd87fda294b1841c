/** What the gateway uses of the package `http_ece`, which brings no types. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  const library: {
    /** RFC 8188 with the keys of RFC 8291: `dh` and `authSecret` of the browser as base64url. The salt is random. Throws where a key is none. */
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

/** The part that the build uses; the package comes without types. */
declare module 'subset-font' {
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { readonly targetFormat: 'truetype'; readonly noLayoutClosure: boolean; readonly noHinting: boolean },
  ): Promise<Buffer>;
}

/** Style sheets are imported only for the bundler. */
declare module '*.css';

/** A picture in the script, as a `data:` address. */
declare module '*.svg' {
  const address: string;
  export default address;
}

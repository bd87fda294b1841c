/** Its import never ends. */
await new Promise(() => {});

/** Stands in for a part of the program: it has the members that a test needs, of the types that the part has. */

/** What the language and the test runner look for in any object. */
const LOOKED_FOR = ['then', 'toJSON', 'constructor', 'inspect', '$$typeof', 'asymmetricMatch', 'nodeType', 'tagName'];

/** An object of which only these members are used: any other one throws, so that a test says what it lacks. */
export function standIn<Whole extends object>(members: Partial<Whole>): Whole {
  return new Proxy(members as Whole, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || LOOKED_FOR.includes(name)) return Reflect.get(target, name);
      throw new TypeError(`The stand-in of this test has no ${name}.`);
    },
  });
}

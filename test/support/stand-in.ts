/** Stands in for a part of the program: it has the members that a test needs, of the types that the part has. */

/** Members that the language and the test runner look for in any object. */
const LOOKED_FOR = ['then', 'toJSON', 'constructor', 'inspect', '$$typeof', 'asymmetricMatch', 'nodeType', 'tagName'];

/** Some members of it, and of what is in it and what its functions give. Each that is there has its own type. */
export type PartOf<Whole> = Whole extends (...given: infer Given) => infer Result
  ? (...given: Given) => PartOf<Result>
  : Whole extends Promise<infer Result>
    ? Promise<PartOf<Result>>
    : Whole extends readonly (infer Each)[]
      ? readonly PartOf<Each>[]
      : Whole extends object
        ? { readonly [Name in keyof Whole]?: PartOf<Whole[Name]> | undefined }
        : Whole;

/** An object with only these members: every other member throws, so that a test says what it lacks. */
export function standIn<Whole extends object>(members: PartOf<Whole>): Whole {
  return new Proxy(members as Whole & object, {
    get(target, name) {
      if (name in target || typeof name === 'symbol' || LOOKED_FOR.includes(name)) return Reflect.get(target, name);
      throw new TypeError(`The stand-in of this test has no ${name}.`);
    },
  });
}

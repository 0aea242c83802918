/**
 * Lets a class stand for a web object that is dear to make and seldom needed whole: the named members come from the
 * object, which is made when the first of them is asked for.
 */
export function delegate<Own extends object>(
  own: Own,
  names: readonly PropertyKey[],
  whole: (self: Own) => object,
): void {
  for (const name of names)
    Object.defineProperty(own, name, {
      get(this: Own) {
        const made = whole(this)
        const member: unknown = Reflect.get(made, name)
        return typeof member === 'function' ? member.bind(made) : member
      },
    })
}

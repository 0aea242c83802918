interface Light<Whole> {
  /** The object with everything that one of its kind has, made when it is first asked for. */
  whole(): Whole
}

/**
 * Lets objects that have only some members of a web class pass for one of it: every other member comes from the whole
 * object. Node loads much code for some of the members when they are first looked at.
 * @returns what takes an object of `LightClass` and gives it back as one of `WholeClass`
 */
export function standInFor<Whole extends object>(
  LightClass: { prototype: Light<Whole> },
  WholeClass: () => { prototype: Whole },
): (light: Light<Whole>) => Whole {
  let prepared: Whole | undefined
  const prepare = (prototype: Whole) => {
    const rest = Reflect.ownKeys(prototype).filter(
      (name) => name !== Symbol.toStringTag && !(name in LightClass.prototype),
    )
    for (const name of rest)
      Object.defineProperty(LightClass.prototype, name, {
        get(this: Light<Whole>) {
          const whole = this.whole()
          const member: unknown = Reflect.get(whole, name)
          return typeof member === 'function' ? member.bind(whole) : member
        },
      })
    Object.setPrototypeOf(LightClass.prototype, prototype)
    prepared = prototype
  }
  return (light) => {
    // A server may put a class of its own into the global scope in place of Node's; then answers must be instances of that.
    const { prototype } = WholeClass()
    if (prepared !== prototype) prepare(prototype)
    return light as unknown as Whole
  }
}

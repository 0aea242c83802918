interface Light<Whole> {
  /** Returns the full object, created at the first call. */
  whole(): Whole
}

/**
 * Lets an object with the most used members of a web class replace an instance of that class. All other members are
 * read from the full object, which is created only then, because Node loads much code for it.
 * @returns a function that returns an object of `LightClass` with the type `WholeClass`
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
    // A server may replace Node's class in the global scope, and responses must be instances of the replacement.
    const { prototype } = WholeClass()
    if (prepared !== prototype) prepare(prototype)
    return light as unknown as Whole
  }
}

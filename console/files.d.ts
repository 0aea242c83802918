/** A picture's address under which the build puts it. */
declare module '*.svg' {
  const address: string
  export default address
}

/** Rules that are loaded with the module that imports them. */
declare module '*.css' {}

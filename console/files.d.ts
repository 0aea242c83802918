/** The URL of the image in the build. */
declare module '*.svg' {
  const address: string
  export default address
}

/** Styles that are loaded with the module that imports them. */
declare module '*.css' {}

/** A picture's address under which the build puts it. */
declare module '*.svg' {
  const address: string
  export default address
}

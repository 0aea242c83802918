/** The package exports the path of its binary and has no types of its own. */
declare module 'workerd' {
  const path: string
  export default path
}

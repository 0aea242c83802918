/** Wraps the result of a usage query: contract.md 6. */
export function found<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data }
}

/** Returns the notes whose key or text contains every word of a query, ignoring case; without words, all notes. */
export function notesWith(
  memory: Readonly<Record<string, unknown>>,
  query: string,
): Record<string, string> {
  const words = query.toLowerCase().split(/\s+/)
  const found = Object.entries(memory)
    .map(([key, note]) => [key, typeof note === 'string' ? note : JSON.stringify(note)] as const)
    .filter(([key, note]) => {
      const text = `${key} ${note}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  return Object.fromEntries(found)
}

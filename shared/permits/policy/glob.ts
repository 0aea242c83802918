/**
 * Returns whether a pattern matches a whole text. `*` is any run of characters, also an empty one; every other
 * character is itself. Each part between two stars is searched once, from the left.
 */
export function globMatches(pattern: string, text: string): boolean {
  let star = pattern.indexOf('*')
  if (star === -1) return pattern === text
  if (!text.startsWith(pattern.slice(0, star))) return false
  let at = star
  for (;;) {
    const next = pattern.indexOf('*', star + 1)
    const part = pattern.slice(star + 1, next === -1 ? undefined : next)
    if (next === -1) return text.length - part.length >= at && text.endsWith(part)
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
    star = next
  }
}

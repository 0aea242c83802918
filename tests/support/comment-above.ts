/**
 * The comment above a declaration, as one line; empty where there is none.
 * @param declaration how the line below the comment begins, as a regular expression
 */
export function commentAbove(source: string, declaration: string): string {
  const pattern = String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*${declaration}`
  const [, comment = ''] = new RegExp(pattern).exec(source) ?? []
  return comment.replaceAll(/\s*\n\s*\* ?|\s+/g, ' ').trim()
}

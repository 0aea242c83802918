/**
 * Returns the comment above a declaration as one line; empty if it has no comment.
 * @param declaration a regular expression for the start of the line below the comment
 */
export function commentAbove(source: string, declaration: string): string {
  const pattern = String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*${declaration}`
  const [, comment = ''] = new RegExp(pattern).exec(source) ?? []
  return comment.replaceAll(/\s*\n\s*\* ?|\s+/g, ' ').trim()
}

import { emailText } from '../limits.ts'

/** Divides a long answer at the ends of lines where possible. */
export function splitText(text: string): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > emailText) {
    const line = rest.lastIndexOf('\n', emailText)
    const end = line > emailText / 2 ? line : emailText
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...parts, rest]
}

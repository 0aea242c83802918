import { emailText } from '../limits.ts'

/** Divides a long answer, between lines if possible. */
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

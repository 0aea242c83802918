/** The name and description in a SKILL.md, and the text below them. */
export interface FrontMatter {
  name: string | undefined
  description: string | undefined
  text: string
}

/**
 * Reads the two fields of a SKILL.md's YAML head that the gateway uses, as plain, quoted or block scalars. Ignores
 * everything else in the head.
 */
export function readFrontMatter(document: string): FrontMatter {
  const head = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(document)
  if (head === null) return { name: undefined, description: undefined, text: document.trim() }
  const lines = (head[1] ?? '').split(/\r?\n/)
  return {
    name: readScalar(lines, 'name'),
    description: readScalar(lines, 'description'),
    text: document.slice(head[0].length).trim(),
  }
}

function readScalar(lines: readonly string[], key: string): string | undefined {
  const index = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (index < 0) return undefined
  const value = (lines[index] ?? '').slice(key.length + 1).trim()
  const text = /^[>|][+-]?$/.test(value) ? readBlock(lines.slice(index + 1)) : unquote(value)
  return text === '' ? undefined : text
}

function readBlock(lines: readonly string[]): string {
  const end = lines.findIndex((line) => /^\S/.test(line))
  return (end < 0 ? lines : lines.slice(0, end))
    .map((line) => line.trim())
    .join(' ')
    .trim()
}

function unquote(value: string): string {
  if (/^".*"$/s.test(value)) return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1')
  if (/^'.*'$/s.test(value)) return value.slice(1, -1).replaceAll("''", "'")
  return value.replace(/\s+#.*$/, '')
}

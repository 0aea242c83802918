/** The files and lines that begin a piece of the code, and the steps that remain. */
export interface Draft {
  /** Texts of new files by path. */
  files: Readonly<Record<string, string>>
  /** Changes of existing files by path. */
  edits?: Readonly<Record<string, Edit>>
  /** The files that the repository derives from these. */
  generates?: readonly Generated[]
  next: readonly string[]
}

export type Generated = 'api' | 'districts' | 'table'

/** Returns the changed text of a file. @throws Error if the file has no place for the change */
export type Edit = (text: string) => string

/** `<district>/<noun>`. */
export const place = /^([a-z-]+)\/([a-z-]+)$/

export const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

export function camel(words: string): string {
  return words.replaceAll(/[-. ]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Returns an edit that makes several changes of one file. */
export function chained(...edits: readonly Edit[]): Edit {
  return (text) => edits.reduce((result, edit) => edit(result), text)
}

/**
 * Returns an edit that adds a line to a list.
 * @param starts texts that follow each other in the file; the list begins with the last one
 * @param order `sorted` before the first line that sorts after it, otherwise at the end
 */
export function addLine(starts: readonly string[], line: string, order: 'sorted' | 'last'): Edit {
  return (text) => {
    const [from, to] = placeOf(text, starts)
    const lines = text.slice(from, to).split('\n')
    const indent = indentOf(lines[1] ?? '')
    const added = line.replaceAll(/^/gm, indent)
    const isAfter = (other: string) =>
      indentOf(other) === indent && /^[\w'.]/.test(other.trim()) && sortKey(other) > sortKey(added)
    const found = order === 'sorted' ? lines.findIndex((other, i) => i > 0 && isAfter(other)) : -1
    lines.splice(found === -1 ? lines.length : found, 0, added)
    return `${text.slice(0, from)}${lines.join('\n')}${text.slice(to)}`
  }
}

/** Returns an edit that adds an item at the end of a list, which may be on one line; the formatter wraps it. */
export function addItem(start: string, item: string): Edit {
  return (text) => {
    const end = text.indexOf(']', text.indexOf(start) + start.length)
    if (!text.includes(start) || end === -1)
      throw new Error(`a file has changed: it has no ${start}`)
    return `${text.slice(0, end).trimEnd().replace(/,?$/, ',')} ${item}${text.slice(end)}`
  }
}

/** Returns the places of a list's begin and of the end of its last line. */
function placeOf(text: string, starts: readonly string[]): [number, number] {
  let from = 0
  for (const start of starts) {
    from = text.indexOf(start, from)
    if (from === -1) throw new Error(`a file has changed: it has no ${start}`)
  }
  const indent = indentOf(text.slice(text.lastIndexOf('\n', from) + 1))
  const end = text.slice(from).search(new RegExp(`\\n${indent}[\\]}]`))
  if (end === -1) throw new Error(`a file has changed: the list ${starts.at(-1)} has no end`)
  return [from, from + end]
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? ''
}

function sortKey(line: string): string {
  return line.replaceAll(/['" ]/g, '').toLowerCase()
}

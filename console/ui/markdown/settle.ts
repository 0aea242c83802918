/**
 * A text that is still on its way, so that what has come already looks as it will: what is open at its end is closed, and
 * what may yet become something else is left out until that is known.
 */
export function settle(text: string): string {
  const code = endOfCode(text)
  // Ticks on a line of their own may become its end.
  if (code === undefined) return text.replace(/\n {0,3}(?:`+|~+)$/, '\n')
  const start = Math.max(code, text.lastIndexOf('\n\n') + 1)
  return text.slice(0, start) + closed(withoutGuesses(text.slice(start)))
}

/** Where the last block of code ends; undefined within one, where nothing else means anything. */
function endOfCode(text: string): number | undefined {
  let fence: string | undefined
  let end = 0
  for (const { 0: line, 1: mark = '', 2: rest = '', index } of text.matchAll(
    /^ {0,3}(`{3,}|~{3,})(.*)$/gm,
  ))
    if (fence === undefined) {
      if (mark.startsWith('~') || !rest.includes('`')) fence = mark
    } else if (mark.startsWith(fence) && rest.trim() === '') {
      fence = undefined
      end = index + line.length
    }
  return fence === undefined ? end : undefined
}

/** The beginning of a list, a heading, a rule or a fence, and a table before its second line is whole. */
function withoutGuesses(block: string): string {
  const isTable = /^\s*\|[^\n]*(?:\n[\s|:-]*)?$/.test(block)
  return isTable ? '' : block.replace(/(^|\n)[ \t]*(?:[-=*+_`~#>]+|\d+[.)]?)[ \t]*$/, '$1')
}

const pairs = ['**', '~~', '*', '_'] as const

/** A block with its code, links and emphasis closed. */
function closed(block: string): string {
  const ticks = block.match(/`+/g) ?? []
  const last = ticks.at(-1)
  if (last !== undefined && ticks.length % 2 === 1) {
    const at = block.lastIndexOf(last)
    return at + last.length === block.length ? block.slice(0, at) : block + last
  }
  const linked = block.replace(/!?\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/, '$1')
  // Whether the last marks are all that will come is not known; those of what is open come back below.
  let text = linked.replace(/[*_~]+$/, '')
  const words = text.replaceAll(/`+[^`]*`+/g, '').replaceAll(/\]\([^)]*\)/g, '')
  for (const mark of pairs) {
    const others = mark.length === 1 ? words.replaceAll(mark + mark, '') : words
    const marks = others.match(markOf(mark)) ?? []
    if (marks.length % 2 === 1) text = text.trimEnd() + mark
  }
  return text
}

/** Marks of that kind next to a word: others are stars, lists and names_of_things. */
function markOf(mark: string): RegExp {
  const literal = mark.replaceAll('*', '\\*')
  return new RegExp(`(?<![\\w*~])${literal}(?=\\S)|(?<=\\S)${literal}(?!\\w)`, 'g')
}

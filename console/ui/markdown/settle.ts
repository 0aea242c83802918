/**
 * Completes a text that is still streaming in, so that it looks as it will at the end: closes open marks at its end,
 * and leaves out what may still become something else.
 */
export function completeMarkdown(text: string): string {
  const code = endOfCode(text)
  // Backticks on their own line may become the end of the block.
  if (code === undefined) return text.replace(/\n {0,3}(?:`+|~+)$/, '\n')
  const start = Math.max(code, text.lastIndexOf('\n\n') + 1)
  return text.slice(0, start) + closed(withoutGuesses(text.slice(start)))
}

/** Returns the end of the last code block. Undefined inside one, because other marks have no meaning there. */
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

/** Removes the beginning of a list, heading, rule or fence, and a table until its second line is complete. */
function withoutGuesses(block: string): string {
  const isTable = /^\s*\|[^\n]*(?:\n[\s|:-]*)?$/.test(block)
  return isTable ? '' : block.replace(/(^|\n)[ \t]*(?:[-=*+_`~#>]+|\d+[.)]?)[ \t]*$/, '$1')
}

const pairs = ['**', '~~', '*', '_'] as const

/** Closes the code, links and emphasis of a block. */
function closed(block: string): string {
  const ticks = block.match(/`+/g) ?? []
  const last = ticks.at(-1)
  if (last !== undefined && ticks.length % 2 === 1) {
    const at = block.lastIndexOf(last)
    return at + last.length === block.length ? block.slice(0, at) : block + last
  }
  const linked = block.replace(/!?\[([^\]\n]*)(?:\](?:\([^)\n]*)?)?$/, '$1')
  // The last marks may be incomplete, so they are removed; the closing marks are added below.
  let text = linked.replace(/[*_~]+$/, '')
  const words = text.replaceAll(/`+[^`]*`+/g, '').replaceAll(/\]\([^)]*\)/g, '')
  for (const mark of pairs) {
    const others = mark.length === 1 ? words.replaceAll(mark + mark, '') : words
    const marks = others.match(markOf(mark)) ?? []
    if (marks.length % 2 === 1) text = text.trimEnd() + mark
  }
  return text
}

/** Matches marks next to a word. Others are stars, lists and names_with_underscores. */
function markOf(mark: string): RegExp {
  const literal = mark.replaceAll('*', '\\*')
  return new RegExp(`(?<![\\w*~])${literal}(?=\\S)|(?<=\\S)${literal}(?!\\w)`, 'g')
}

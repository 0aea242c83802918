import { marked, type Token, type Tokens } from 'marked'

/** The marks of a service's texts. Each function receives escaped text. */
export interface Marks {
  /** Escapes the characters that the service would read as marks. */
  escape(text: string): string
  bold(text: string): string
  italic(text: string): string
  strike(text: string): string
  /** @param href escaped too */
  link(text: string, href: string): string
}

/**
 * Writes an agent's Markdown in the marks of a service: bold headings, lists by dashes, tables as code. A text whose
 * quotes and lists are nested too deeply for the parser has no marks.
 */
export function withMarks(markdown: string, marks: Marks): string {
  try {
    return blocks(marked.lexer(markdown), marks).join('\n\n').trim()
  } catch (error) {
    // The stack is full. Another attempt would fail in the same way.
    if (!(error instanceof RangeError)) throw error
    return marks.escape(markdown).trim()
  }
}

function blocks(tokens: readonly Token[], marks: Marks): string[] {
  return tokens.flatMap((token) => (token.type === 'space' ? [] : [block(token, marks)]))
}

function block(token: Token, marks: Marks): string {
  switch (token.type) {
    case 'heading':
      return marks.bold(inline(token.tokens, marks))
    case 'code':
      return `\`\`\`\n${marks.escape(token.text)}\n\`\`\``
    case 'table':
      return `\`\`\`\n${marks.escape(token.raw.trim())}\n\`\`\``
    case 'blockquote':
      return blocks(token.tokens ?? [], marks)
        .join('\n\n')
        .replaceAll(/^/gm, '> ')
    case 'list':
      return list(token as Tokens.List, marks)
    case 'hr':
      return '———'
    case 'paragraph':
    case 'text':
      return token.tokens ? inline(token.tokens, marks) : marks.escape(token.text)
    default:
      return marks.escape(token.raw.trim())
  }
}

function list({ items, ordered, start }: Tokens.List, marks: Marks): string {
  const first = typeof start === 'number' ? start : 1
  return items
    .map((item, index) => {
      const sign = ordered ? `${first + index}. ` : '- '
      const body = blocks(item.tokens, marks).join('\n')
      return sign + body.replaceAll('\n', `\n${' '.repeat(sign.length)}`)
    })
    .join('\n')
}

function inline(tokens: readonly Token[] | undefined, marks: Marks): string {
  return (tokens ?? []).map((token) => span(token, marks)).join('')
}

function span(token: Token, marks: Marks): string {
  switch (token.type) {
    case 'strong':
      return marks.bold(inline(token.tokens, marks))
    case 'em':
      return marks.italic(inline(token.tokens, marks))
    case 'del':
      return marks.strike(inline(token.tokens, marks))
    case 'codespan':
      return `\`${marks.escape(token.text)}\``
    case 'br':
      return '\n'
    case 'link':
    case 'image':
      return marks.link(
        token.tokens ? inline(token.tokens, marks) : marks.escape(token.text),
        marks.escape(token.href),
      )
    case 'escape':
      return marks.escape(token.text)
    default:
      return marks.escape(token.raw)
  }
}

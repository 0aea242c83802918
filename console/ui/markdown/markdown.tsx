import { Lexer, type MarkedToken, type Token } from 'marked'
import { Component } from 'preact'
import { Block } from './blocks.tsx'
import { settle } from './settle.ts'

/** Markdown as elements. HTML in it is text, pictures are links to them, and links lead to http, https and mailto alone. */
export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <div class="prose">
      {lexed(streaming ? settle(text) : text).map((token) => (
        <Kept token={token} />
      ))}
    </div>
  )
}

/** A part of an answer is drawn anew only when it has changed: while one streams in, that is the last. */
class Kept extends Component<{ token: MarkedToken }> {
  override shouldComponentUpdate({ token }: { token: MarkedToken }) {
    return token.raw !== this.props.token.raw
  }

  override render() {
    return <Block token={this.props.token} depth={0} />
  }
}

function lexed(text: string): MarkedToken[] {
  try {
    return known(new Lexer({ gfm: true }).lex(text))
  } catch (error) {
    // Quotes within quotes, thousands deep: the lexer has no end to its recursion but the stack's.
    if (!(error instanceof RangeError)) throw error
    return [{ type: 'text', raw: text, text }]
  }
}

function known(tokens: Token[]): MarkedToken[] {
  return tokens as MarkedToken[]
}

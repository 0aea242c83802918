import { Lexer, type MarkedToken, type Token } from 'marked'
import { Component } from 'preact'
import { Block } from './blocks.tsx'
import { completeMarkdown } from './settle.ts'

/** Renders Markdown. HTML becomes text, images become links, and links lead only to http, https and mailto. */
export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <div class="prose">
      {lexed(streaming ? completeMarkdown(text) : text).map((token) => (
        <Kept token={token} />
      ))}
    </div>
  )
}

/** Renders a part of an answer only if it has changed. While an answer streams in, that is the last part. */
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
    // For quotes nested thousands of levels deep, the lexer recurses until the stack overflows.
    if (!(error instanceof RangeError)) throw error
    return [{ type: 'text', raw: text, text }]
  }
}

function known(tokens: Token[]): MarkedToken[] {
  return tokens as MarkedToken[]
}

import type { MarkedToken, Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { Copy } from '../copy.tsx'
import { entities } from './entities.ts'
import './markdown.css'

/** Deeper nesting is shown as plain text. */
const deepest = 24

interface BlockProps<T = MarkedToken> {
  token: T
  depth: number
}

/** A block, such as a paragraph, list or table. */
export function Block({ token, depth }: BlockProps) {
  if (depth > deepest) return <p>{token.raw}</p>
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'code':
      return <Code {...token} />
    case 'heading':
      return <Heading token={token} depth={depth} />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth)}</blockquote>
    case 'list':
      return <List token={token} depth={depth} />
    case 'table':
      return <Table token={token} depth={depth} />
    case 'paragraph':
      return <p>{inline(token.tokens, depth)}</p>
    case 'html':
      return <p>{token.text}</p>
    case 'text':
      return <>{token.tokens === undefined ? entities(token.text) : inline(token.tokens, depth)}</>
    default:
      return <>{inline([token], depth)}</>
  }
}

function blocks(tokens: Token[], depth: number) {
  return tokens.map((token) => <Block token={token as MarkedToken} depth={depth + 1} />)
}

function inline(tokens: Token[], depth: number) {
  return tokens.map((token) => <Inline token={token as MarkedToken} depth={depth + 1} />)
}

/** The inline content of a line. */
function Inline({ token, depth }: BlockProps) {
  if (depth > deepest) return <>{token.raw}</>
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens, depth)}</strong>
    case 'em':
      return <em>{inline(token.tokens, depth)}</em>
    case 'del':
      return <s>{inline(token.tokens, depth)}</s>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link href={token.href}>{inline(token.tokens, depth)}</Link>
    case 'image':
      return <Link href={token.href}>{token.text === '' ? 'picture' : token.text}</Link>
    case 'checkbox':
      return <>{token.checked ? '☑ ' : '☐ '}</>
    case 'text':
      return <>{token.tokens === undefined ? entities(token.text) : inline(token.tokens, depth)}</>
    case 'escape':
      return <>{token.text}</>
    default:
      return <>{token.raw}</>
  }
}

/** A link if it leads to a web page or an email address, otherwise text. */
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const url = URL.parse(href)
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol))
    return <span>{children}</span>
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** Headings of an answer are below the page's own. */
function Heading({ token, depth }: BlockProps<Tokens.Heading>) {
  const Level = (['h3', 'h4', 'h5', 'h6'] as const)[token.depth - 1] ?? 'h6'
  return <Level>{inline(token.tokens, depth)}</Level>
}

function Code({ text, lang = '' }: Tokens.Code) {
  const name = lang.split(/\s/)[0] ?? ''
  return (
    <figure class="code">
      <figcaption>
        <span>{name === '' ? 'text' : name}</span>
        <Copy text={text} />
      </figcaption>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Code">
        <pre>
          <code>{text}</code>
        </pre>
      </div>
    </figure>
  )
}

function List({ token, depth }: BlockProps<Tokens.List>) {
  const items = token.items.map((item) => <li>{blocks(item.tokens, depth)}</li>)
  return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>
}

function Table({ token, depth }: BlockProps<Tokens.Table>) {
  const aligned = (cell: Tokens.TableCell) =>
    cell.align === null ? {} : { style: { textAlign: cell.align } }
  return (
    <div class="scrolled" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell) => (
              <th {...aligned(cell)}>{inline(cell.tokens, depth)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td {...aligned(cell)}>{inline(cell.tokens, depth)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
